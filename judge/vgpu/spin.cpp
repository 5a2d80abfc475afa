#include "judge/vgpu/spin.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "judge/vgpu/warp.hpp"

namespace warpbook::vgpu {

namespace {

/// Turns without a change of memory after which lanes waiting at a join go on alone.
constexpr std::uint32_t kPatience = 4;

}  // namespace

void SpinWatch::reset(std::uint64_t changes) {
  changes_ = changes;
  back_edges_ = tries_ = idle_turns_ = 0;
  next_look_ = pause_ = kFirstLook;
  probe_frame_ = nullptr;
}

void SpinWatch::look_soon(std::uint64_t changes) {
  reset(changes);
  next_look_ = 1;
}

bool SpinWatch::same(const Frame& frame, std::int32_t step, LaneMask mask) const {
  return probe_frame_ == &frame && probe_step_ == step && probe_mask_ == mask && probe_rows_.size() == frame.function->register_bytes &&
         std::memcmp(probe_rows_.data(), frame.rows, probe_rows_.size()) == 0;
}

void SpinWatch::photograph(const Frame& frame, std::int32_t step, LaneMask mask) {
  probe_frame_ = &frame;
  probe_step_ = step;
  probe_mask_ = mask;
  probe_reads_ = reads_;
  probe_rows_.assign(frame.rows, frame.rows + frame.function->register_bytes);
}

SpinWatch::Verdict SpinWatch::look(const Frame& frame, std::int32_t step, LaneMask mask, std::uint64_t changes) {
  if (changes != changes_) {
    reset(changes);
    return Verdict::kGoOn;
  }
  if (probe_frame_ != nullptr && same(frame, step, mask)) {
    const bool endless = reads_ == probe_reads_;
    probe_frame_ = nullptr;
    return endless ? Verdict::kEndless : Verdict::kWaits;
  }
  if (back_edges_ >= kTurn) {
    const std::uint32_t turns = idle_turns_ + 1;
    reset(changes);
    idle_turns_ = turns;
    return Verdict::kTurnOver;
  }
  if (probe_frame_ == nullptr && tries_ == 0) photograph(frame, step, mask);
  next_look_ = back_edges_ + 1;
  if (++tries_ > kTries) {
    tries_ = 0;
    probe_frame_ = nullptr;
    next_look_ = back_edges_ + pause_;
    pause_ = std::min(pause_ * 2, kLongestPause);
  }
  return Verdict::kGoOn;
}

Warp::Outcome Warp::at_back_edge(std::size_t index, const Step& step) {
  Split& split = splits_[index];
  const int lane = std::countr_zero(split.mask);
  if (context_.over_budget()) {
    report(device::FaultKind::kBudget, device::Code::kLaunchTimeout,
           "the launch has used its budget of " + std::to_string(context_.options.instruction_budget) + " thread instructions",
           *split.frame, step, lane);
    return Outcome::kFault;
  }
  switch (spin_.look(*split.frame, split.step, split.mask, context_.changes)) {
    case SpinWatch::Verdict::kGoOn: return Outcome::kContinue;
    case SpinWatch::Verdict::kWaits:
      split.state = SplitState::kSpinning;
      split.seen_changes = context_.changes;
      return Outcome::kSwitch;
    case SpinWatch::Verdict::kEndless:
      report(device::FaultKind::kBudget, device::Code::kLaunchTimeout,
             "this loop never ends: one time round reads nothing and leaves all registers as they were", *split.frame, step, lane);
      return Outcome::kFault;
    case SpinWatch::Verdict::kTurnOver:
      // The split that has had its turn goes behind its siblings; lanes that wait for it at a join get tired of waiting.
      if (spin_.idle_turns() >= kPatience) release_joins(false);
      std::rotate(splits_.begin(), splits_.begin() + static_cast<std::ptrdiff_t>(index),
                  splits_.begin() + static_cast<std::ptrdiff_t>(index) + 1);
      return Outcome::kTurnOver;
  }
  return Outcome::kContinue;
}

}  // namespace warpbook::vgpu
