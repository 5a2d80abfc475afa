#pragma once
// Copies between host and device and fills, shared by the calls that copy.
#include <cstddef>

#include "judge/cudart/abi.hpp"
#include "judge/cudart/runtime.hpp"

namespace warpbook::cudart {

/// Copies `bytes` in the direction of cudaMemcpyKind. A side that is said to be the host and is a device address is refused: following
/// it would crash the program. Memory that is both (managed, pinned) may be called either.
device::Answer copy_bytes(Runtime& runtime, void* to, const void* from, std::size_t bytes, int direction);

/// All rows of all slices. Arrays are refused.
device::Answer copy_volume(Runtime& runtime, const abi::Copy3D& copy);

/// `height` rows of `width` elements.
device::Answer fill_rows(device::Device& device, const abi::Fill2D& fill);

}  // namespace warpbook::cudart
