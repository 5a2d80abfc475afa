#pragma once
// What a device that counts knows about its kernels: totals of each, and where in the source the cost arises.
#include <optional>
#include <string>
#include <vector>

#include "judge/device/device.hpp"
#include "judge/device/occupancy.hpp"

namespace warpbook::device {

/// The instructions of one source position. Counts of instructions are by warp and by lane; of requests as in Counters.
struct LineMeters {
  std::vector<Frame> frames;  ///< innermost first: a line of a header, then where it is called from
  Counters counters;
};

/// What a request is counted in.
inline constexpr int kSectorBits = 5;
inline constexpr std::uint32_t kSectorBytes = 1u << kSectorBits;

/// All launches of a kernel with one launch configuration.
struct KernelMeters {
  std::string kernel;  ///< demangled name
  std::string entry;   ///< name in the PTX
  Dim3 grid, block;
  std::uint64_t static_shared = 0, dynamic_shared = 0;  ///< bytes a block
  std::uint64_t launches = 0;
  Counters counters;
  std::optional<Occupancy> occupancy;  ///< of whoever asked ptxas

  // Only when lines are counted.
  /// Bytes of the distinct sectors that each launch loaded and stored, summed over launches: what DRAM must move at least when caches keep
  /// everything within a launch and nothing between launches.
  std::uint64_t compulsory_read_bytes = 0, compulsory_write_bytes = 0;
  std::vector<LineMeters> lines;

  /// Bytes of all sectors asked for: what DRAM moves when no cache ever hits.
  std::uint64_t uncached_read_bytes() const { return (counters.global_load_sectors + atomics()) * kSectorBytes; }
  std::uint64_t uncached_write_bytes() const { return (counters.global_store_sectors + atomics()) * kSectorBytes; }

 private:
  std::uint64_t atomics() const { return counters.global_sectors - counters.global_load_sectors - counters.global_store_sectors; }
};

}  // namespace warpbook::device
