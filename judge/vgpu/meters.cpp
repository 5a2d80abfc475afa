#include "judge/vgpu/meters.hpp"

#include <algorithm>
#include <bit>

#include "judge/device/kernel_meters.hpp"
#include "judge/vgpu/distinct.hpp"
#include "judge/vgpu/line_meters.hpp"

namespace warpbook::vgpu {

namespace {

using device::kSectorBits, device::kSectorBytes;
constexpr int kLineBits = 7;
constexpr std::uint32_t kWordBytes = 4;
constexpr int kLanesOfSector = 8;  // in local memory

std::uint32_t span(Address first, Address last, int bits) { return static_cast<std::uint32_t>((last >> bits) - (first >> bits) + 1); }

struct GlobalCost {
  std::uint32_t sectors = 0, ideal = 0, lines = 0;
};

GlobalCost global_cost(const Access& access, LaneMask active) {
  GlobalCost cost;
  const Address first = access.address[static_cast<std::size_t>(std::countr_zero(active)) % kWarpSize];
  if (access.pattern == Pattern::kContiguous && active == kAllLanes) {
    const Address last = first + kWarpSize * access.bytes - 1;
    cost.sectors = span(first, last, kSectorBits);
    cost.lines = span(first, last, kLineBits);
  } else if (access.pattern == Pattern::kUniform || std::has_single_bit(active)) {
    cost.sectors = cost.lines = 1;  // aligned, and no lane is wider than a sector
  } else {
    cost.sectors = count_distinct(keys_of(access.address, active, kSectorBits), active);
    cost.lines = count_distinct(keys_of(access.address, active, kLineBits), active);
  }
  const auto bytes = access.bytes * static_cast<std::uint32_t>(std::popcount(active));
  cost.ideal = std::min(cost.sectors, (bytes + kSectorBytes - 1) / kSectorBytes);
  return cost;
}

/// Round by round, one lane an address.
std::uint32_t atomic_sectors(const Access& access, LaneMask active) {
  if (access.pattern == Pattern::kUniform) return static_cast<std::uint32_t>(std::popcount(active));
  const LaneKeys places = keys_of(access.address, active, std::countr_zero(access.bytes));
  const LaneKeys sectors = keys_of(access.address, active, kSectorBits);
  std::uint32_t count = 0;
  for (LaneMask left = active; left != 0;) {
    const LaneMask round = first_lanes(places, left);
    count += count_distinct(sectors, round);
    left &= ~round;
  }
  return count;
}

/// What the assembler leaves of a reduction: see meters.hpp.
LaneMask merged_lanes(const Access& access) {
  const bool merged = access.plan.action == MemoryAction::kReduce && access.pattern == Pattern::kUniform && access.bytes == kWordBytes &&
                      access.step.instruction->mod.atom == ptx::AtomOp::kAdd && !ptx::is_float(access.step.instruction->types.back());
  return merged ? access.active & -access.active : access.active;
}

/// Adds to any number of counters at once.
class Sum {
 public:
  Sum(device::Counters& total, device::Counters* line) : total_(total), line_(line) {}
  void add(std::uint64_t device::Counters::*counter, std::uint64_t value) {
    total_.*counter += value;
    if (line_ != nullptr) line_->*counter += value;
  }

 private:
  device::Counters& total_;
  device::Counters* line_;
};

void meter_global(const Access& access, LaunchContext& context, Sum& sum) {
  using C = device::Counters;
  const bool atomic = access.plan.atomic != nullptr;
  const LaneMask active = atomic ? merged_lanes(access) : access.active;
  const GlobalCost cost = global_cost(access, active);
  sum.add(&C::global_sectors, cost.sectors);
  sum.add(&C::global_ideal_sectors, cost.ideal);
  sum.add(&C::global_lines, cost.lines);
  if (context.lines != nullptr) context.lines->example(access, cost.sectors, cost.ideal, context);
  const std::uint64_t bytes = std::uint64_t{access.bytes} * static_cast<std::uint64_t>(std::popcount(active));
  if (atomic) {
    const bool wanted = access.plan.action == MemoryAction::kAtomic;
    sum.add(wanted ? &C::global_atomic_requests : &C::global_reduction_requests, 1);
    sum.add(wanted ? &C::global_atomic_sectors : &C::global_reduction_sectors, atomic_sectors(access, active));
    return;
  }
  sum.add(access.reads ? &C::global_load_requests : &C::global_store_requests, 1);
  sum.add(access.reads ? &C::global_load_sectors : &C::global_store_sectors, cost.sectors);
  sum.add(access.reads ? &C::global_load_bytes : &C::global_store_bytes, bytes);
}

void meter_local(const Access& access, Sum& sum) {
  using C = device::Counters;
  const std::uint32_t words = std::max(1u, access.bytes / kWordBytes);
  // Every word of a lane lies in a row of its own, so each adds as many sectors as the first.
  LaneKeys keys = keys_of(access.address, access.active, 2);
  for (int lane = 0; lane < kWarpSize; ++lane) keys.key[lane] = keys.key[lane] * (kWarpSize / kLanesOfSector) + lane / kLanesOfSector;
  const std::uint64_t sectors = std::uint64_t{words} * count_distinct(keys, access.active);
  sum.add(access.reads ? &C::local_load_requests : &C::local_store_requests, words);
  sum.add(access.reads ? &C::local_load_sectors : &C::local_store_sectors, sectors);
}

}  // namespace

std::uint32_t count_sectors(const Access& access) { return global_cost(access, access.active).sectors; }

void meter(const Access& access, LaunchContext& context) {
  using C = device::Counters;
  Sum sum(context.counters, context.lines == nullptr ? nullptr : &context.lines->at(access.step));
  if (access.space == ptx::Space::kGlobal) {
    meter_global(access, context, sum);
  } else if (access.space == ptx::Space::kLocal) {
    meter_local(access, sum);
  } else if (access.space == ptx::Space::kShared) {
    Access one_lane = access;
    one_lane.active = access.plan.atomic == nullptr ? access.active : merged_lanes(access);
    const Wavefronts wavefronts = count_wavefronts(one_lane.active == access.active ? access : one_lane);
    sum.add(&C::shared_requests, 1);
    sum.add(&C::shared_wavefronts, wavefronts.actual);
    sum.add(&C::shared_ideal_wavefronts, wavefronts.ideal);
    if (context.lines != nullptr) context.lines->example(access, wavefronts.actual, wavefronts.ideal, context);
  }
}

void meter_branch(const Step& step, bool divergent, LaunchContext& context) {
  using C = device::Counters;
  Sum sum(context.counters, context.lines == nullptr ? nullptr : &context.lines->at(step));
  sum.add(divergent ? &C::divergent_branches : &C::uniform_branches, 1);
}

}  // namespace warpbook::vgpu
