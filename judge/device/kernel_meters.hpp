#pragma once
// What a device that counts knows about its kernels: totals of each, and where in the source the cost arises.
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "judge/device/device.hpp"
#include "judge/device/occupancy.hpp"

namespace warpbook::device {

/// One request of a warp, kept so that people can see what a count means.
struct AccessExample {
  bool shared = false;  ///< of shared memory; else of global memory
  bool reads = false, writes = false, atomic = false;
  std::string tensor;                 ///< the allocation's or the variable's name; empty when it has none
  std::uint32_t bytes = 4;            ///< a lane
  std::uint32_t lanes = 0;            ///< that take part, a bit each
  std::array<std::int64_t, 32> at{};  ///< each lane's first byte, counted from the tensor's; 0 for lanes that take no part
  /// Where the tensor begins: bytes behind a boundary of a sector (global) or of a row of banks (shared).
  std::uint32_t phase = 0;
  std::uint32_t count = 0, ideal = 0;  ///< sectors or wavefronts, as Counters has them

  /// Examples are chosen by what they waste, not by its ratio: three lanes that straddle a boundary at a row's end take 2 sectors for 1,
  /// which is a worse ratio than 5 for 4, and no picture of what the line does. Of two that waste the same the one with more lanes tells
  /// more.
  static std::uint64_t weight_of(std::uint32_t count, std::uint32_t ideal, std::uint32_t lanes) {
    return std::uint64_t{count - ideal} << 32 | static_cast<std::uint64_t>(std::popcount(lanes));
  }
  std::uint64_t weight() const { return weight_of(count, ideal, lanes); }
};

/// The instructions of one source position. Counts of instructions are by warp and by lane; of requests as in Counters.
struct LineMeters {
  std::vector<Frame> frames;  ///< innermost first: a line of a header, then where it is called from
  Counters counters;
  std::vector<AccessExample> examples{};  ///< the heaviest request of global memory and that of shared memory, where there are any

  /// Keeps `example` when it is the heaviest of its kind of memory.
  void offer(const AccessExample& example) {
    for (AccessExample& known : examples) {
      if (known.shared != example.shared) continue;
      if (example.weight() > known.weight()) known = example;
      return;
    }
    examples.push_back(example);
  }
};

/// What a request is counted in.
inline constexpr int kSectorBits = 5;
inline constexpr std::uint32_t kSectorBytes = 1u << kSectorBits;
/// A row of shared memory: 32 banks of one word.
inline constexpr std::uint32_t kBankRowBytes = 128;

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
