#pragma once
// How many blocks of a kernel a multiprocessor holds at once, and what stops it from holding more.
#include <cstdint>
#include <string_view>

#include "judge/device/device.hpp"

namespace warpbook::device {

enum class OccupancyLimit : std::uint8_t { kThreads, kBlocks, kRegisters, kShared };

struct Occupancy {
  int blocks = 0;               ///< resident on one multiprocessor; 0: the kernel does not fit at all
  int warps = 0, warps_of = 0;  ///< resident, and most there can be
  int registers = 0;            ///< a thread
  int spilled_bytes = 0;        ///< a thread, stored to local memory for want of registers
  OccupancyLimit limit = OccupancyLimit::kThreads;
  double share() const { return warps_of == 0 ? 0.0 : static_cast<double>(warps) / warps_of; }
};

/// "threads", "blocks", "registers", "shared memory".
std::string_view name_of(OccupancyLimit limit);

/// `registers` a thread as ptxas reports them, `shared` bytes a block, static and dynamic. The rules of allocation are those of compute
/// capability 8.0 to 9.0 (CUDA programming guide, technical specifications): registers by warp in units of 256 and for four warps at once,
/// shared memory in units of 128 bytes, 1 KB of it reserved for each block.
Occupancy occupancy_of(int threads, int registers, std::uint64_t shared, const Properties& properties);

}  // namespace warpbook::device
