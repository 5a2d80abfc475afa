#include "judge/cudart/occupancy.hpp"

#include <algorithm>

namespace warpbook::cudart {
namespace {

constexpr int kWarp = 32;
constexpr std::int64_t kRegisterUnit = 256;  // per warp
constexpr std::uint64_t kSharedUnit = 128;   // per block
constexpr int kWarpUnit = 4;                 // warps are spread over four schedulers

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

int blocks_per_multiprocessor(const device::Properties& properties, const device::FunctionInfo& info, std::uint64_t dynamic_shared_limit,
                              int threads, std::uint64_t dynamic_shared) {
  if (threads < 1 || threads > properties.max_threads_per_block || threads > info.max_threads_per_block) return 0;
  const auto default_limit = static_cast<std::uint64_t>(properties.shared_per_block);
  const std::uint64_t limit = std::max(dynamic_shared_limit + info.static_shared, default_limit);
  if (dynamic_shared > limit || info.static_shared > limit - dynamic_shared) return 0;

  const int warps = (threads + kWarp - 1) / kWarp;
  std::int64_t blocks = std::min(properties.max_blocks_per_multiprocessor, properties.max_threads_per_multiprocessor / (warps * kWarp));
  const std::int64_t registers_per_warp =
      static_cast<std::int64_t>(round_up(static_cast<std::uint64_t>(std::max(info.registers, 1)) * kWarp, kRegisterUnit));
  const std::int64_t warps_by_registers = properties.registers_per_block / registers_per_warp / kWarpUnit * kWarpUnit;
  blocks = std::min<std::int64_t>(blocks, warps_by_registers / warps);
  const std::uint64_t shared =
      round_up(info.static_shared + dynamic_shared, kSharedUnit) + static_cast<std::uint64_t>(properties.reserved_shared_per_block);
  blocks =
      std::min<std::int64_t>(blocks, static_cast<std::int64_t>(static_cast<std::uint64_t>(properties.shared_per_multiprocessor) / shared));
  return static_cast<int>(blocks);
}

std::uint64_t shared_for_blocks(const device::Properties& properties, const device::FunctionInfo& info, int blocks) {
  if (blocks < 1) return 0;
  const std::uint64_t share =
      static_cast<std::uint64_t>(properties.shared_per_multiprocessor) / static_cast<unsigned>(blocks) / kSharedUnit * kSharedUnit;
  const std::uint64_t taken = static_cast<std::uint64_t>(properties.reserved_shared_per_block) + info.static_shared;
  if (share <= taken) return 0;
  return std::min(share - taken, static_cast<std::uint64_t>(properties.shared_per_block_optin) -
                                     std::min(info.static_shared, static_cast<std::uint64_t>(properties.shared_per_block_optin)));
}

}  // namespace warpbook::cudart
