#include "judge/vgpu/warp.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "judge/vgpu/block.hpp"
#include "judge/vgpu/line_meters.hpp"
#include "judge/vgpu/meters.hpp"
#include "judge/vgpu/rows.hpp"
#include "judge/vgpu/watch/init_watch.hpp"
#include "judge/vgpu/watch/race_watch.hpp"
#include "judge/vgpu/watch/tracer.hpp"

namespace warpbook::vgpu {

namespace {

constexpr std::uint64_t kNanosecondsPerInstruction = 1;  // what the clocks pretend

/// Local memory of all lanes; null when the program needs none.
std::byte* map_local(std::uint64_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

/// Lanes a cache set apart: a power of two would put the same variable of all lanes into one set.
constexpr std::uint64_t kStrideSkew = 64 + 16;

}  // namespace

void LocalMemory::allocate(std::uint32_t bytes_per_lane) {
  if (bytes_per_lane == 0) return;
  stride_ = bytes_per_lane + kStrideSkew;
  bytes_ = stride_ * kWarpSize;
  base_ = map_local(bytes_);
}

LocalMemory::~LocalMemory() {
  if (base_ != nullptr) munmap(base_, bytes_);
}

Warp::Warp(LaunchContext& context, Block& block, int index, LaneMask lanes)
    : context_(context), block_(block), index_(index), lanes_(lanes), frames_(context.program) {
  splits_.reserve(kWarpSize + 1);  // lanes of splits are disjoint, so references to splits stay valid
  local_.allocate(context.program.stack_bytes);
  if (context.initialised != nullptr) local_.watch();
}

void Warp::start() {
  alive_ = lanes_;
  splits_.clear();
  joins_.clear();
  free_joins_.clear();
  Split split;
  split.frame = make_frame(0, nullptr, lanes_);
  split.mask = lanes_;
  splits_.push_back(split);
  spin_.reset(context_.changes);
  copies_.clear();
  poll_ = {};
}

bool Warp::spins() const {
  return std::any_of(splits_.begin(), splits_.end(), [](const Split& split) { return split.state == SplitState::kSpinning; });
}

bool Warp::can_run() const {
  return std::any_of(splits_.begin(), splits_.end(), [&](const Split& split) {
    return split.state == SplitState::kRunnable || (split.state == SplitState::kSpinning && split.seen_changes != context_.changes);
  });
}

int Warp::next_runnable() {
  for (std::size_t i = splits_.size(); i-- > 0;) {
    if (splits_[i].state == SplitState::kRunnable) return static_cast<int>(i);
  }
  for (std::size_t i = splits_.size(); i-- > 0;) {
    Split& split = splits_[i];
    if (split.state != SplitState::kSpinning || split.seen_changes == context_.changes) continue;
    split.state = SplitState::kRunnable;
    split.waiting = 0;
    spin_.look_soon(context_.changes);
    return static_cast<int>(i);
  }
  return -1;
}

WarpStatus Warp::run() {
  for (;;) {
    const int next = next_runnable();
    if (next < 0) {
      if (alive_ == 0) return WarpStatus::kDone;
      const Unstuck unstuck = unstick();
      if (unstuck == Unstuck::kFault) return WarpStatus::kFault;
      if (unstuck == Unstuck::kMoved) continue;
      return spins() ? WarpStatus::kSpinning : WarpStatus::kBlocked;
    }
    spin_.forget();
    switch (run_split(static_cast<std::size_t>(next))) {
      case Outcome::kFault: return WarpStatus::kFault;
      case Outcome::kTurnOver: return WarpStatus::kRunnable;
      case Outcome::kContinue:
      case Outcome::kSwitch: break;
    }
  }
}

/// The interpreter's loop. Lane and memory steps, nearly all there are, stay inside; whatever may change splits goes through
/// control_step and comes back for a fresh look at the split. A frame that holds undefined values, and a launch that is being traced, run
/// in the watched copy of the loop, so that the usual one pays nothing for them.
Warp::Outcome Warp::run_split(std::size_t index) {
  for (;;) {
    const Outcome outcome = watched(*splits_[index].frame) ? run_steps<true>(index) : run_steps<false>(index);
    if (outcome != Outcome::kContinue) return outcome;
  }
}

bool Warp::watched(const Frame& frame) const { return context_.tracer != nullptr || context_.lines != nullptr || frame.taint->any(); }

template <bool kWatched>
Warp::Outcome Warp::run_steps(std::size_t index) {
  Split& split = splits_[index];
  const Step* steps = split.frame->function->steps.data();
  const Registers registers = split.frame->registers();
  const LaneMask mask = split.mask;
  std::int32_t at = split.step;
  const Join* join = split.join < 0 ? nullptr : &joins_[static_cast<std::size_t>(split.join)];
  const std::int32_t meeting = join != nullptr && join->frame == split.frame ? join->step : -1;
  for (;;) {
    if (at == meeting) {
      split.step = at;
      return arrive(index);
    }
    const Step& step = steps[at];
    LaneMask active = mask;
    if (step.guard != kNoRegister) {
      const LaneMask guard = registers.predicate(step.guard);
      active &= step.guard_negated ? ~guard : guard;
    }
    ++context_.counters.warp_instructions;
    context_.counters.thread_instructions += static_cast<std::uint64_t>(std::popcount(active));
    if constexpr (kWatched) {
      split.step = at;
      if (!watch_step(split, step, active)) return Outcome::kFault;
    }
    if (step.kind == StepKind::kLanes) {
      if (active != 0) step.operation(registers, step, active);
      ++at;
      continue;
    }
    if (step.kind == StepKind::kBranch) {
      const auto target = static_cast<std::int32_t>(step.immediate);
      const bool conditional = step.guard != kNoRegister;
      if (active == 0 || target == at + 1) {
        context_.counters.uniform_branches += conditional ? 1 : 0;
        ++at;
        continue;
      }
      if (active == mask) {
        context_.counters.uniform_branches += conditional ? 1 : 0;
        const bool backwards = target <= at;
        at = target;
        if (!backwards || !spin_.count_back_edge()) continue;
        split.step = at;
        return at_back_edge(index, step);
      }
      const Part parts[2] = {{at + 1, mask & ~active}, {target, active}};  // not taken first
      split.step = at;
      ++context_.counters.divergent_branches;
      diverge(index, step.reconverge, parts, 2);
      return Outcome::kContinue;
    }
    if (active == 0 || step.kind == StepKind::kNothing) {
      ++at;
      continue;
    }
    split.step = at;
    if (step.kind == StepKind::kMemory) {
      if (!memory_step(split, step, active)) return Outcome::kFault;
      ++at;
      if (watched(*split.frame) == kWatched) continue;
      split.step = at;  // the load brought undefined bytes, or the last of them are gone
      return Outcome::kContinue;
    }
    return control_step(index, step, active);
  }
}

/// What watchers want to know before a step runs. False: the launch ends.
bool Warp::watch_step(const Split& split, const Step& step, LaneMask active) {
  const Actor actor{block_, *this, *split.frame, step};
  if (context_.lines != nullptr) context_.lines->executed(step, split.step, active, split.mask);
  if (context_.tracer != nullptr) context_.tracer->step(actor, split.mask, active);
  if (context_.initialised == nullptr || !split.frame->taint->any()) return true;
  if (!context_.initialised->uses(actor, active, split.mask)) return false;
  if ((step.kind == StepKind::kLanes || step.kind == StepKind::kClock) && active != 0)
    context_.initialised->flow(*split.frame, step, active);
  return true;
}

Warp::Outcome Warp::control_step(std::size_t index, const Step& step, LaneMask active) {
  Split& split = splits_[index];
  const Frame& frame = *split.frame;
  switch (step.kind) {
    case StepKind::kWarp: return sync_step(index, step, active);
    case StepKind::kBarrier:
      ++context_.counters.barriers;
      return barrier_step(index, step, active);
    case StepKind::kMbarrier: return mbarrier_step(index, step, active);
    case StepKind::kStack:
      if (!stack_step(split, step, active)) return Outcome::kFault;
      break;
    case StepKind::kCopyWait:
      if (!wait_for_copies(frame, step, active)) return Outcome::kFault;
      break;
    case StepKind::kIndirectBranch: return indirect_branch(index, step, active);
    case StepKind::kCall: return call(index, step, active);
    case StepKind::kReturn:
      if (frame.caller != nullptr) return return_lanes(index, active);
      [[fallthrough]];
    case StepKind::kExit:
      if (active != split.mask) {
        const Part parts[2] = {{split.step + 1, split.mask & ~active}, {split.step, active}};
        diverge(index, -1, parts, 2);
        return exit_lanes(splits_.size() - 1, active);
      }
      return exit_lanes(index, active);
    case StepKind::kClock: clock_step(frame, step, active); break;
    case StepKind::kFence:
      if (context_.races != nullptr) context_.races->fence({block_, *this, frame, step}, active, step.instruction->mod.scope);
      break;
    case StepKind::kTrap:
      report(device::FaultKind::kTrap, device::Code::kLaunchFailure,
             "the kernel ran into a trap: this line calls __trap(), or the compiler saw undefined behaviour here (a store through a pointer "
             "that it knows to be null, for one) and put a trap in its place",
             frame, step, std::countr_zero(active));
      return Outcome::kFault;
    case StepKind::kRefused:
      report(device::FaultKind::kUnsupported, device::Code::kNotSupported, "not supported yet: " + step.instruction->spelling, frame, step,
             std::countr_zero(active));
      return Outcome::kFault;
    default: break;
  }
  ++split.step;
  return Outcome::kContinue;
}

Warp::Outcome Warp::indirect_branch(std::size_t index, const Step& step, LaneMask active) {
  Split& split = splits_[index];
  const std::vector<std::int32_t>& table = split.frame->function->branch_tables[static_cast<std::size_t>(step.plan)];
  const std::uint32_t* choice = split.frame->registers().row<std::uint32_t>(step.src[0]);
  std::vector<Part> parts;
  const auto add = [&](std::int32_t target, LaneMask lanes) {
    for (Part& part : parts) {
      if (part.step == target) {
        part.mask |= lanes;
        return;
      }
    }
    parts.push_back({target, lanes});
  };
  if (active != split.mask) add(split.step + 1, split.mask & ~active);
  for (LaneMask left = active; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    if (choice[lane] >= table.size()) {
      report(device::FaultKind::kInvalidCall, device::Code::kInvalidPc,
             "branch number " + std::to_string(choice[lane]) + " of a list of " + std::to_string(table.size()), *split.frame, step, lane);
      return Outcome::kFault;
    }
    add(table[choice[lane]], LaneMask{1} << lane);
  }
  meter_branch(step, parts.size() > 1, context_);
  if (parts.size() == 1) {
    split.step = parts.front().step;
  } else {
    diverge(index, step.reconverge, parts.data(), parts.size());
  }
  return Outcome::kContinue;
}

void Warp::clock_step(const Frame& frame, const Step& step, LaneMask active) {
  const std::uint64_t now = context_.counters.warp_instructions * kNanosecondsPerInstruction;
  const auto reg = static_cast<ptx::SpecialRegister>(step.immediate);
  const bool high = reg == ptx::SpecialRegister::kClockHi || reg == ptx::SpecialRegister::kGlobaltimerHi;
  (void)active;  // lanes that are off never read the row before it is refreshed
  fill_row(frame.rows + step.dst[0], high ? now >> 32 : now, step.width);
}

}  // namespace warpbook::vgpu
