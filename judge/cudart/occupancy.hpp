#pragma once
// How many blocks of a kernel a multiprocessor holds at once: the smallest of what threads, blocks, registers and shared memory allow.
// Granularities are those of compute capability 7 to 9 (CUDA C++ Programming Guide, table of technical specifications): registers are
// given out to a warp in units of 256, shared memory to a block in units of 128 bytes (1 KB of it reserved by the system).
#include <cstdint>

#include "judge/device/device.hpp"

namespace warpbook::cudart {

/// Blocks of `threads` with `dynamic_shared` bytes per multiprocessor; 0 when not even one fits.
int blocks_per_multiprocessor(const device::Properties& properties, const device::FunctionInfo& info, std::uint64_t dynamic_shared_limit,
                              int threads, std::uint64_t dynamic_shared);

/// Dynamic shared memory that each of `blocks` blocks can have on one multiprocessor.
std::uint64_t shared_for_blocks(const device::Properties& properties, const device::FunctionInfo& info, int blocks);

}  // namespace warpbook::cudart
