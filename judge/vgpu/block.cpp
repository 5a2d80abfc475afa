#include "judge/vgpu/block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "judge/vgpu/faults.hpp"
#include "judge/vgpu/lane_text.hpp"
#include "judge/vgpu/schedule.hpp"
#include "judge/vgpu/watch/race_watch.hpp"

namespace warpbook::vgpu {

namespace {

/// What shared memory holds before anybody writes: NaN as a float, -1 as an int, so that reading too early shows.
constexpr int kSharedPattern = 0xFF;
constexpr std::size_t kMostWaiters = 24;
/// Rounds over all warps without a change of memory after which other blocks get a turn.
constexpr int kIdleRounds = 8;

}  // namespace

Block::Block(LaunchContext& context) : context_(context) {
  const std::uint64_t threads = context.launch.block.count();
  const auto warps = static_cast<int>((threads + kWarpSize - 1) / kWarpSize);
  shared_ = std::make_unique_for_overwrite<std::byte[]>(std::max<std::uint64_t>(context.shared_extent, 1));
  if (context.initialised != nullptr) shared_defined_ = std::make_unique<DefinedBytes>(context.shared_extent);
  for (int warp = 0; warp < warps; ++warp) {
    const std::uint64_t left = threads - static_cast<std::uint64_t>(warp) * kWarpSize;
    const LaneMask lanes = left >= kWarpSize ? kAllLanes : (LaneMask{1} << left) - 1;
    warps_.push_back(std::make_unique<Warp>(context, *this, warp, lanes));
  }
  order_.resize(warps_.size());
  status_.resize(warps_.size());
  for (Barrier& barrier : barriers_) barrier.arrived.resize(warps_.size());
}

void Block::start(std::uint64_t linear) {
  const device::Dim3 grid = context_.launch.grid;
  linear_ = linear;
  index_ = {static_cast<std::uint32_t>(linear % grid.x), static_cast<std::uint32_t>(linear / grid.x % grid.y),
            static_cast<std::uint32_t>(linear / grid.x / grid.y)};
  for (const Region& region : context_.shared_regions) std::memset(shared_.get() + region.base, kSharedPattern, region.bytes);
  if (shared_defined_ != nullptr) {
    for (const Region& region : context_.shared_regions) shared_defined_->forget(region.base, region.bytes);
  }
  for (Barrier& barrier : barriers_) barrier.open = false;
  mbarriers_.attach(shared_.get());
  mbarriers_.clear();
  in_flight_.clear();
  order_ = schedule_order(context_.options.schedule, order_.size(), linear);
  if (context_.races != nullptr) context_.races->start_block(*this);
  for (std::size_t i = 0; i < warps_.size(); ++i) {
    warps_[i]->start();
    status_[i] = WarpStatus::kRunnable;
  }
}

device::Dim3 Block::thread(int warp, int lane) const {
  const device::Dim3 size = context_.launch.block;
  const std::uint32_t number = static_cast<std::uint32_t>(warp) * kWarpSize + static_cast<std::uint32_t>(lane);
  return {number % size.x, number / size.x % size.y, number / size.x / size.y};
}

bool Block::can_run() const {
  for (std::size_t i = 0; i < warps_.size(); ++i) {
    if (status_[i] != WarpStatus::kDone && warps_[i]->can_run()) return true;
  }
  return false;
}

BlockStatus Block::run() {
  int idle_rounds = 0;
  for (;;) {
    bool ran = false, done = true;
    const std::uint64_t changes_before = context_.changes;
    for (const std::size_t i : order_) {
      if (status_[i] == WarpStatus::kDone) continue;
      if (warps_[i]->can_run()) {
        ran = true;
        status_[i] = warps_[i]->run();
        if (status_[i] == WarpStatus::kFault) return BlockStatus::kFault;
        if (status_[i] == WarpStatus::kDone) dirty_barriers_ = true;
        complete_barriers();
        if (context_.ended()) return BlockStatus::kFault;
      }
      done = done && status_[i] == WarpStatus::kDone;
    }
    if (done) {
      if (context_.races != nullptr) context_.races->end_block(*this);
      return context_.settle() ? BlockStatus::kDone : BlockStatus::kFault;
    }
    if (!ran) {
      if (std::any_of(warps_.begin(), warps_.end(), [](const auto& warp) { return warp->spins(); })) return BlockStatus::kWaits;
      report_deadlock();
      return BlockStatus::kFault;
    }
    idle_rounds = context_.changes == changes_before ? idle_rounds + 1 : 0;
    if (idle_rounds >= kIdleRounds) return BlockStatus::kTurnOver;
  }
}

void Block::arrive(int number, std::uint32_t expected, int warp, LaneMask lanes, bool whole, LaneMask votes) {
  Barrier& barrier = barriers_[static_cast<std::size_t>(number)];
  const auto w = static_cast<std::size_t>(warp);
  if (!barrier.open) {
    barrier.open = true;
    barrier.expected = expected;
    barrier.threads = barrier.votes = barrier.voters = 0;
    std::fill(barrier.arrived.begin(), barrier.arrived.end(), LaneMask{0});
  }
  const LaneMask before = barrier.arrived[w];
  barrier.arrived[w] |= lanes;
  // Barriers count warps: lanes that a warp lacks (the stump of an odd block, exited ones) count with the last that comes.
  const LaneMask alive = warps_[w]->alive();
  const auto came = static_cast<std::uint32_t>(std::popcount(lanes));
  const bool last = whole || ((before | lanes) & alive) == alive;
  barrier.threads += last ? static_cast<std::uint32_t>(kWarpSize) - static_cast<std::uint32_t>(std::popcount(before & ~lanes)) : came;
  barrier.votes += static_cast<std::uint32_t>(std::popcount(votes & lanes));
  barrier.voters += came;
  dirty_barriers_ = true;
}

bool Block::is_complete(const Barrier& barrier) const {
  if (barrier.expected != 0) return barrier.threads >= barrier.expected;
  for (std::size_t i = 0; i < warps_.size(); ++i) {
    if ((warps_[i]->alive() & ~barrier.arrived[i]) != 0) return false;
  }
  return true;
}

void Block::complete_barriers() {
  if (!dirty_barriers_) return;
  dirty_barriers_ = false;
  for (int number = 0; number < kBarriers; ++number) {
    Barrier& barrier = barriers_[static_cast<std::size_t>(number)];
    if (!barrier.open || !is_complete(barrier)) continue;
    barrier.open = false;
    context_.settle();
    if (context_.races != nullptr) context_.races->block_barrier(*this, number, barrier.arrived);
    for (const auto& warp : warps_) warp->release_barrier(number, barrier.votes, barrier.votes == barrier.voters, barrier.votes != 0);
  }
}

void Block::describe_waiters(WaiterGroups& groups) const {
  for (const auto& warp : warps_) {
    for (const Split& split : warp->splits())
      groups.add(index_, warp->index(), split.waiting != 0 ? split.waiting : split.mask, warp->waiter(split));
    for (const Join& join : warp->joins()) {
      if (join.arrived != 0)
        groups.add(index_, warp->index(), join.arrived, {"waits for other lanes of its warp", "", warp->where(*join.frame, join.step)});
    }
    if (const LaneMask ended = warp->lanes() & ~warp->alive(); ended != 0) groups.add(index_, warp->index(), ended, {"exited", "", {}});
  }
}

void Block::report_deadlock() {
  device::Fault fault = deadlock_fault(context_, *this);
  WaiterGroups groups(context_.launch.grid.count() > 1);
  describe_waiters(groups);
  fault.waiters = groups.take(kMostWaiters);
  context_.add(std::move(fault));
}

device::Fault deadlock_fault(const LaunchContext& context, const Block& block) {
  device::Fault fault;
  fault.kind = device::FaultKind::kDeadlock;
  fault.code = device::Code::kLaunchTimeout;
  fault.kernel = context.program.kernel;
  fault.block = block.index();
  fault.message =
      fmt::format("no thread of block ({}, {}, {}) can go on: each waits for another", block.index().x, block.index().y, block.index().z);
  // The place that is shown first is a loop that waits, since barriers are where the others wait for it; else where most threads wait.
  int most = 0;
  for (const auto& warp : block.warps()) {
    for (const Split& split : warp->splits()) {
      const int weight = std::popcount(split.mask) + (split.state == SplitState::kSpinning ? kWarpSize : 0);
      if (weight <= most) continue;
      most = weight;
      fault.frames = warp->where(*split.frame, split.step);
      fault.instruction = instruction_text(*split.frame, split.step);
      fault.thread = block.thread(warp->index(), std::countr_zero(split.mask));
    }
  }
  return fault;
}

}  // namespace warpbook::vgpu
