#include "judge/device/occupancy.hpp"

#include <algorithm>
#include <array>

namespace warpbook::device {

namespace {

constexpr int kWarp = 32, kSchedulers = 4;
constexpr int kRegisterUnit = 256;
constexpr std::uint64_t kSharedUnit = 128;

template <class T>
T round_up(T value, T unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

std::string_view name_of(OccupancyLimit limit) {
  switch (limit) {
    case OccupancyLimit::kThreads: return "threads";
    case OccupancyLimit::kBlocks: return "blocks";
    case OccupancyLimit::kRegisters: return "registers";
    case OccupancyLimit::kShared: return "shared memory";
  }
  return "";
}

Occupancy occupancy_of(int threads, int registers, std::uint64_t shared, const Properties& p) {
  const int warps = (std::max(threads, 1) + kWarp - 1) / kWarp;
  const int most_warps = p.max_threads_per_multiprocessor / kWarp;
  const int warps_by_registers =
      p.registers_per_block / round_up(std::max(registers, 1) * kWarp, kRegisterUnit) / kSchedulers * kSchedulers;
  const std::uint64_t allocated = round_up(shared + static_cast<std::uint64_t>(p.reserved_shared_per_block), kSharedUnit);
  // Before sm_80 the system keeps nothing for itself: a block may need none at all, and then nothing limits it.
  const int blocks_by_shared = allocated == 0 ? p.max_blocks_per_multiprocessor
                                              : static_cast<int>(static_cast<std::uint64_t>(p.shared_per_multiprocessor) / allocated);
  // In the order in which a tie is told: what the programmer changes most easily comes last.
  const std::array<std::pair<OccupancyLimit, int>, 4> limits = {{
      {OccupancyLimit::kThreads, most_warps / warps},
      {OccupancyLimit::kBlocks, p.max_blocks_per_multiprocessor},
      {OccupancyLimit::kRegisters, warps_by_registers / warps},
      {OccupancyLimit::kShared, blocks_by_shared},
  }};
  const auto least = std::min_element(limits.begin(), limits.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  Occupancy out;
  out.blocks = least->second;
  out.limit = least->first;
  out.warps = out.blocks * warps;
  out.warps_of = most_warps;
  out.registers = registers;
  return out;
}

}  // namespace warpbook::device
