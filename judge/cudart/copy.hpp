#pragma once
// Copies between host and device, shared by the calls that copy.
#include <cstddef>

#include "judge/device/device.hpp"

namespace warpbook::cudart {

/// Copies `bytes` in the direction of cudaMemcpyKind. A side that is said to be the host and is a device address is refused: following
/// it would crash the program.
device::Answer copy_bytes(device::Device& device, void* to, const void* from, std::size_t bytes, int direction);

}  // namespace warpbook::cudart
