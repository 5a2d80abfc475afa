// How splits come and go: divergence, joins, exits, and what to do when no split of a warp can run.
#include <algorithm>
#include <bit>

#include "judge/vgpu/block.hpp"
#include "judge/vgpu/warp.hpp"

namespace warpbook::vgpu {

std::int32_t Warp::make_join(Frame* frame, std::int32_t step, LaneMask expected, std::int32_t parent) {
  std::int32_t join = static_cast<std::int32_t>(joins_.size());
  if (free_joins_.empty()) {
    joins_.emplace_back();
  } else {
    join = free_joins_.back();
    free_joins_.pop_back();
  }
  joins_[static_cast<std::size_t>(join)] = Join{frame, step, expected, 0, parent};
  return join;
}

void Warp::free_join(std::int32_t join) {
  joins_[static_cast<std::size_t>(join)] = Join{};
  free_joins_.push_back(join);
}

void Warp::diverge(std::size_t index, std::int32_t reconverge, const Part* parts, std::size_t count) {
  Split& split = splits_[index];
  Frame* const frame = split.frame;
  std::int32_t join = split.join;
  if (reconverge >= 0) {
    // A loop that lanes leave one by one diverges towards the same place each time: one join serves them all.
    const bool same =
        join >= 0 && joins_[static_cast<std::size_t>(join)].frame == frame && joins_[static_cast<std::size_t>(join)].step == reconverge;
    if (!same) join = make_join(frame, reconverge, split.mask, join);
  }
  bool first = true;
  for (std::size_t i = 0; i < count; ++i) {
    if (parts[i].step == reconverge) {
      joins_[static_cast<std::size_t>(join)].arrived |= parts[i].mask;
      continue;
    }
    Split next;
    next.frame = frame;
    next.step = parts[i].step;
    next.mask = parts[i].mask;
    next.join = join;
    if (first) {
      split = next;
      first = false;
    } else {
      splits_.push_back(next);
    }
  }
}

void Warp::hold_back(std::size_t index, LaneMask lanes) {
  Split& split = splits_[index];
  if (split.mask == lanes) return;
  const Part parts[2] = {{split.step, lanes}, {split.step + 1, split.mask & ~lanes}};
  diverge(index, split.step + 1, parts, 2);
}

void Warp::remove(std::size_t index) { splits_.erase(splits_.begin() + static_cast<std::ptrdiff_t>(index)); }

Warp::Outcome Warp::arrive(std::size_t index) {
  Split& split = splits_[index];
  Join& join = joins_[static_cast<std::size_t>(split.join)];
  join.arrived |= split.mask;
  if (join.arrived != join.expected) {
    remove(index);
    return Outcome::kSwitch;
  }
  const std::int32_t finished = split.join;
  split.mask = join.expected;
  split.join = join.parent;
  free_join(finished);
  return Outcome::kContinue;
}

/// Resumes or frees a join that has just lost lanes it expected.
void Warp::complete_join(std::int32_t number) {
  const Join join = joins_[static_cast<std::size_t>(number)];
  if (join.arrived != join.expected) return;
  free_join(number);
  if (join.expected == 0) return;
  Split split;
  split.frame = join.frame;
  split.step = join.step;
  split.mask = join.expected;
  split.join = join.parent;
  splits_.push_back(split);
}

/// `lanes` will come neither to `join` nor to those around it; with `only_in`, to those of that frame.
void Warp::forget_lanes(std::int32_t join, LaneMask lanes, const Frame* only_in) {
  while (join >= 0) {
    Join& here = joins_[static_cast<std::size_t>(join)];
    if (only_in != nullptr && here.frame != only_in) return;
    const std::int32_t parent = here.parent;
    here.expected &= ~lanes;
    here.arrived &= ~lanes;
    complete_join(join);
    join = parent;
  }
}

Warp::Outcome Warp::exit_lanes(std::size_t index, LaneMask lanes) {
  const Split split = splits_[index];
  finish_copies(*split.frame, lanes);
  remove(index);
  alive_ &= ~lanes;
  forget_lanes(split.join, lanes, nullptr);
  for (Frame* frame = split.frame; frame != nullptr;) {
    Frame* const caller = frame->caller;
    drop_lanes(frame, lanes);
    frame = caller;
  }
  if (!check_exits(lanes) || !settle_rendezvous()) return Outcome::kFault;
  return Outcome::kSwitch;
}

/// True when the lanes of a join do nothing but end: they came from an early return.
bool Warp::ends_here(const Join& join) const {
  if (join.frame->caller != nullptr) return false;
  const Step& step = join.frame->function->steps[static_cast<std::size_t>(join.step)];
  return step.guard == kNoRegister && (step.kind == StepKind::kReturn || step.kind == StepKind::kExit);
}

/// Lets lanes that wait at the youngest join go on without those that are missing.
bool Warp::release_joins(bool only_at_exit) {
  for (std::size_t i = joins_.size(); i-- > 0;) {
    Join& join = joins_[i];
    if (join.arrived == 0 || join.arrived == join.expected) continue;
    if (only_at_exit && !ends_here(join)) continue;
    Split split;
    split.frame = join.frame;
    split.step = join.step;
    split.mask = join.arrived;
    split.join = join.parent;
    join.expected &= ~join.arrived;
    join.arrived = 0;
    splits_.push_back(split);
    return true;
  }
  return false;
}

/// Lanes whose rendezvous is complete leave a split in which others must still wait.
bool Warp::free_finished_lanes() {
  for (std::size_t i = 0; i < splits_.size(); ++i) {
    Split& split = splits_[i];
    if (split.state != SplitState::kRendezvous || split.done == 0) continue;
    Split finished = split;
    finished.state = SplitState::kRunnable;
    finished.mask = split.done;
    finished.waiting = finished.done = 0;
    ++finished.step;
    split.mask &= ~split.done;
    split.waiting &= ~split.done;
    split.done = 0;
    splits_.push_back(finished);
    return true;
  }
  return false;
}

/// No split of the warp can run. In this order: barriers that are complete but for lanes that have ended meanwhile; lanes that only have to
/// end; a barrier that part of the warp will never reach; lanes held back by others of their split; lanes held back at a join.
Warp::Unstuck Warp::unstick() {
  bool moved = false;
  if (!settle_partial_barriers(moved)) return Unstuck::kFault;
  if (moved) return Unstuck::kMoved;
  if (release_joins(true)) return Unstuck::kMoved;
  const auto is = [&](SplitState state) {
    return std::any_of(splits_.begin(), splits_.end(), [&](const Split& split) { return split.state == state; });
  };
  if (is(SplitState::kPartialBarrier)) {
    if (is(SplitState::kSpinning)) return Unstuck::kStuck;  // the others may still come
    return divergent_barrier_fault() ? Unstuck::kMoved : Unstuck::kFault;
  }
  if (free_finished_lanes() || release_joins(false)) return Unstuck::kMoved;
  return Unstuck::kStuck;
}

}  // namespace warpbook::vgpu
