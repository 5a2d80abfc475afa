#include "judge/cudart/occupancy.hpp"

#include <algorithm>

#include "judge/device/occupancy.hpp"

namespace warpbook::cudart {
namespace {

constexpr std::uint64_t kSharedUnit = 128;  // per block

}  // namespace

int blocks_per_multiprocessor(const device::Properties& properties, const device::FunctionInfo& info, std::uint64_t dynamic_shared_limit,
                              int threads, std::uint64_t dynamic_shared) {
  if (threads < 1 || threads > properties.max_threads_per_block || threads > info.max_threads_per_block) return 0;
  const auto default_limit = static_cast<std::uint64_t>(properties.shared_per_block);
  const std::uint64_t limit = std::max(dynamic_shared_limit + info.static_shared, default_limit);
  if (dynamic_shared > limit || info.static_shared > limit - dynamic_shared) return 0;

  return device::occupancy_of(threads, info.registers, info.static_shared + dynamic_shared, properties).blocks;
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
