// Bank conflicts. The rules stand in meters.hpp.
#include <algorithm>
#include <array>
#include <bit>

#include "judge/vgpu/distinct.hpp"
#include "judge/vgpu/meters.hpp"

namespace warpbook::vgpu {

namespace {

constexpr std::uint32_t kBankBytes = 4;

/// How the lanes of an access go to the banks: in groups, each of which can use all banks once.
struct Groups {
  int shift = 2;             ///< key: address >> shift
  std::uint32_t slots = 32;  ///< banks taken together to the width of a lane
  int lanes = 32;            ///< of a group
};

Groups groups_for(std::uint32_t bytes) {
  if (bytes <= 4) return {2, 32, 32};
  return bytes == 8 ? Groups{3, 16, 16} : Groups{4, 8, 8};
}

LaneMask group_mask(int first, int lanes) { return lanes == kWarpSize ? kAllLanes : ((LaneMask{1} << lanes) - 1) << first; }

/// True when no pair (2i, 2i+1) of active lanes wants two things.
bool pairs_agree(const LaneKeys& keys, LaneMask active) {
  for (LaneMask both = active & active >> 1 & 0x55555555u; both != 0; both &= both - 1) {
    const int lane = std::countr_zero(both);
    if (keys.key[lane] != keys.key[lane + 1]) return false;
  }
  return true;
}

/// Calls f(lanes) for every group that has active lanes.
template <class F>
void for_groups(const Groups& groups, LaneMask active, F f) {
  for (int first = 0; first < kWarpSize; first += groups.lanes) {
    const LaneMask lanes = active & group_mask(first, groups.lanes);
    if (lanes != 0) f(lanes);
  }
}

/// Lanes at the busiest slot.
std::uint32_t busiest(const LaneKeys& keys, std::uint32_t slots, LaneMask lanes) {
  if (slots == kWarpSize) {
    std::uint32_t banks = 0;
    for (LaneMask left = lanes; left != 0; left &= left - 1)
      banks |= std::uint32_t{1} << (static_cast<std::uint32_t>(keys.key[std::countr_zero(left)]) & (slots - 1));
    if (std::popcount(banks) == std::popcount(lanes)) return 1;
  }
  std::array<std::uint8_t, kWarpSize> load{};
  std::uint8_t most = 0;
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    std::uint8_t& here = load[static_cast<std::uint32_t>(keys.key[std::countr_zero(left)]) & (slots - 1)];
    most = std::max(most, ++here);
  }
  return most;
}

/// Keys that keep their bank: shared addresses fit 32 bits.
LaneKeys shared_keys(const Access& access, int shift) {
  LaneKeys keys;
  for (int lane = 0; lane < kWarpSize; ++lane) keys.key[lane] = static_cast<std::int32_t>(access.address[lane] >> shift);
  return keys;
}

std::uint32_t rows_needed(LaneMask lanes, std::uint32_t bytes) {
  return (static_cast<std::uint32_t>(std::popcount(lanes)) * bytes + device::kBankRowBytes - 1) / device::kBankRowBytes;
}

/// Loads and stores: lanes that want the same word share it.
Wavefronts plain(const LaneKeys& keys, std::uint32_t bytes, LaneMask active) {
  Groups groups = groups_for(bytes);
  if (groups.lanes < kWarpSize && pairs_agree(keys, active)) groups.lanes *= 2;
  Wavefronts count;
  for_groups(groups, active, [&](LaneMask lanes) { count.actual += busiest(keys, groups.slots, first_lanes(keys, lanes)); });
  count.ideal = std::min(count.actual, rows_needed(active, bytes));
  return count;
}

/// Load and compare-and-swap, until every lane has had its turn.
Wavefronts swap_loop(const LaneKeys& keys, std::uint32_t bytes, LaneMask active) {
  const Groups groups = groups_for(bytes);
  Wavefronts count;
  for (LaneMask left = active; left != 0;) {
    const Wavefronts load = plain(keys, bytes, left);
    count.actual += load.actual;
    count.ideal += load.ideal + 2 * rows_needed(left, bytes);
    LaneMask served = 0;
    for_groups(groups, left, [&](LaneMask lanes) {
      count.actual += 2;
      std::uint32_t taken = 0;
      for (; lanes != 0; lanes &= lanes - 1) {
        const int lane = std::countr_zero(lanes);
        const std::uint32_t slot = std::uint32_t{1} << (static_cast<std::uint32_t>(keys.key[lane]) & (groups.slots - 1));
        if ((taken & slot) == 0) served |= LaneMask{1} << lane;
        taken |= slot;
      }
    });
    left &= ~served;
  }
  return count;
}

bool is_swap(const Access& access) { return access.step.instruction->mod.atom == ptx::AtomOp::kCas; }

/// True when the hardware has no such atomic for shared memory.
bool needs_loop(const Access& access) {
  if (is_swap(access)) return false;
  const ptx::Type type = access.step.instruction->types.back();
  const bool real = ptx::is_float(type);
  return access.bytes > kBankBytes || (real && access.step.instruction->mod.atom != ptx::AtomOp::kExch);
}

Wavefronts atomic(const Access& access, const LaneKeys& keys, LaneMask active) {
  if (needs_loop(access)) return swap_loop(keys, access.bytes, active);
  const Groups groups = groups_for(access.bytes);
  const std::uint32_t times = is_swap(access) ? 2 : 1;
  Wavefronts count;
  for_groups(groups, active, [&](LaneMask lanes) { count.actual += busiest(keys, groups.slots, lanes); });
  count.ideal = std::min(count.actual, rows_needed(active, access.bytes)) * times;
  count.actual *= times;
  return count;
}

}  // namespace

Wavefronts count_wavefronts(const Access& access) {
  if (access.plan.atomic == nullptr && access.bytes <= 16) {
    if (access.pattern == Pattern::kContiguous) {
      const std::uint32_t all = std::max(1u, access.bytes / kBankBytes);
      return {all, all};
    }
    if (access.pattern == Pattern::kUniform && access.bytes <= 8) return {1, 1};
  }
  const LaneKeys keys = shared_keys(access, groups_for(access.bytes).shift);
  if (access.plan.atomic != nullptr) return atomic(access, keys, access.active);
  return plain(keys, std::min<std::uint32_t>(access.bytes, 16), access.active);
}

}  // namespace warpbook::vgpu
