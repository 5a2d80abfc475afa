#include "judge/vgpu/grid.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "judge/device/fault_text.hpp"
#include "judge/vgpu/schedule.hpp"

namespace warpbook::vgpu {

namespace {

constexpr std::size_t kMostWaiters = 24;

/// What a block costs besides its instructions, in thread instructions: a grid of 2^31 empty blocks must use up its budget too.
constexpr std::uint64_t kBlockCharge = 4096;

}  // namespace

bool Grid::start_next() {
  if (next_ >= context_.launch.grid.count() || running_.size() >= resident_) return false;
  if (context_.counters.thread_instructions + next_ * kBlockCharge > context_.options.instruction_budget) {
    report_budget();
    return false;
  }
  std::unique_ptr<Block> block;
  if (idle_.empty()) {
    block = std::make_unique<Block>(context_);
  } else {
    block = std::move(idle_.back());
    idle_.pop_back();
  }
  block->start(block_in_turn(context_.options.schedule, next_++, context_.launch.grid.count()));
  running_.push_back(std::move(block));
  return true;
}

void Grid::run() {
  while (!over_budget_ && (!running_.empty() || start_next())) {
    bool ran = false;
    for (std::size_t i = 0; i < running_.size();) {
      if (!running_[i]->can_run()) {
        ++i;
        continue;
      }
      ran = true;
      const BlockStatus status = running_[i]->run();
      if (status == BlockStatus::kFault) return;
      if (status == BlockStatus::kDone) {
        idle_.push_back(std::move(running_[i]));
        running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
        continue;
      }
      ++i;
      // Blocks that wait need a partner: the next one of the grid, when there is room for it.
      if (i == running_.size()) start_next();
    }
    if (!ran && !running_.empty() && !start_next() && !over_budget_) {
      report_deadlock();
      return;
    }
  }
}

void Grid::report_budget() {
  over_budget_ = true;
  device::Fault fault;
  fault.kind = device::FaultKind::kBudget;
  fault.code = device::Code::kLaunchTimeout;
  fault.kernel = context_.program.kernel;
  fault.message = fmt::format("the launch has used its budget of {} thread instructions after {} of {} blocks",
                              context_.options.instruction_budget, next_, context_.launch.grid.count());
  context_.add(std::move(fault));
}

void Grid::report_deadlock() {
  device::Fault fault = deadlock_fault(context_, *running_.front());
  const std::uint64_t blocks = context_.launch.grid.count();
  const auto multiprocessors = static_cast<std::uint64_t>(context_.options.properties.multiprocessors);
  if (running_.size() > 1 || blocks > 1) {
    fault.message =
        next_ < blocks
            ? fmt::format(
                  "all {} blocks that fit on the device wait for memory to change, and {} of {} blocks have not begun: whoever waits "
                  "for the whole grid needs at most {} blocks of this size ({} on each of {} multiprocessors)",
                  running_.size(), blocks - next_, blocks, resident_, resident_ / multiprocessors, multiprocessors)
        : running_.size() == 1
            ? fmt::format("block {} waits for memory to change, and nobody is left to change it",
                          device::text_of(running_.front()->index()))
            : fmt::format("all {} blocks that are left wait for memory to change, and nobody is left to change it", running_.size());
  }
  WaiterGroups groups(blocks > 1);
  for (const auto& block : running_) block->describe_waiters(groups);
  fault.waiters = groups.take(kMostWaiters);
  context_.add(std::move(fault));
}

}  // namespace warpbook::vgpu
