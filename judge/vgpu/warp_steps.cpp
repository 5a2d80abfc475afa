// Instructions in which lanes of a warp meet: shfl, vote, match, redux, elect, bar.warp.
//
// Each lane brings a mask of the lanes it means to meet. A rendezvous is complete when every lane of the mask that has not ended is at an
// instruction of the same kind with the same mask; it need not be the same instruction, nor need the lanes be one split. Usually they
// are, and the rendezvous is complete as soon as it begins.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "judge/vgpu/exchange.hpp"
#include "judge/vgpu/lane_text.hpp"
#include "judge/vgpu/warp.hpp"
#include "judge/vgpu/watch/init_watch.hpp"
#include "judge/vgpu/watch/race_watch.hpp"

namespace warpbook::vgpu {

namespace {

using ptx::Opcode;

LaneMask bit(int lane) { return LaneMask{1} << lane; }

/// Which source of the instruction is the mask.
int mask_source(const ptx::Instruction& instruction) {
  if (instruction.op == Opcode::kShfl) return 3;
  return instruction.op == Opcode::kBar || instruction.op == Opcode::kElect ? 0 : 1;
}

bool same_kind(const ptx::Instruction& a, const ptx::Instruction& b) {
  return a.op == b.op && a.types == b.types && a.mod.shuffle == b.mod.shuffle && a.mod.vote == b.mod.vote && a.mod.atom == b.mod.atom;
}

/// Instructions whose result tells something about every lane of the mask: a lane that ends instead of coming is a mistake, not an exit
/// that may be waited out. A vote or bar.warp.sync is defined without it.
bool needs_everybody(const ptx::Instruction& instruction) {
  return instruction.op == Opcode::kShfl || instruction.op == Opcode::kMatch || instruction.op == Opcode::kRedux;
}

const Step& step_of(const Split& split) { return split.frame->function->steps[static_cast<std::size_t>(split.step)]; }

const std::uint32_t* masks_of(const Split& split) {
  const Step& step = step_of(split);
  return split.frame->registers().row<std::uint32_t>(step.src[mask_source(*step.instruction)]);
}

LaneMask with_mask(const std::uint32_t* masks, LaneMask lanes, LaneMask wanted) {
  LaneMask same = 0;
  for (int lane = 0; lane < kWarpSize; ++lane) same |= masks[lane] == wanted ? bit(lane) : 0;
  return same & lanes;
}

}  // namespace

Warp::Outcome Warp::sync_step(std::size_t index, const Step& step, LaneMask active) {
  const Registers registers = splits_[index].frame->registers();
  if (step.instruction->op == Opcode::kActivemask) {
    std::uint32_t* to = registers.row<std::uint32_t>(step.dst[0]);
    for (LaneMask left = active; left != 0; left &= left - 1) to[std::countr_zero(left)] = active;
    ++splits_[index].step;
    return Outcome::kContinue;
  }
  const std::uint32_t* masks = registers.row<std::uint32_t>(step.src[mask_source(*step.instruction)]);
  LaneMask outside = 0;
  for (int lane = 0; lane < kWarpSize; ++lane) outside |= (masks[lane] >> lane & 1u) == 0 ? bit(lane) : 0;
  outside &= active;
  if (outside != 0) {
    const int lane = std::countr_zero(outside);
    report(device::FaultKind::kBadShuffleMask, device::Code::kLaunchFailure,
           fmt::format("{} executes {} with mask {:#010x}, in which it is not itself", lanes_text(outside), step.instruction->spelling,
                       masks[lane]),
           *splits_[index].frame, step, lane);
    return Outcome::kFault;
  }
  const LaneMask first = masks[std::countr_zero(active)];
  const bool complete = with_mask(masks, active, first) == active && (first & alive_ & ~active) == 0;
  if (complete) {
    const Participant self{registers, &step, active, splits_[index].frame};
    if (!exchange({&self, 1}, *splits_[index].frame, first, active)) return Outcome::kFault;
    ++splits_[index].step;
    return Outcome::kContinue;
  }
  hold_back(index, active);
  Split& split = splits_[index];
  split.state = SplitState::kRendezvous;
  split.waiting = active;
  split.done = 0;
  if (!settle_rendezvous()) return Outcome::kFault;
  return split.state == SplitState::kRunnable ? Outcome::kContinue : Outcome::kSwitch;
}

/// Completes what can be completed among the waiting splits; false: a fault ended the launch.
bool Warp::settle_rendezvous() {
  for (std::size_t i = 0; i < splits_.size(); ++i) {
    Split& split = splits_[i];
    if (split.state != SplitState::kRendezvous) continue;
    const ptx::Instruction& instruction = *step_of(split).instruction;
    LaneMask open = split.waiting & ~split.done;
    while (open != 0) {
      const LaneMask mask = masks_of(split)[std::countr_zero(open)];
      open &= ~with_mask(masks_of(split), open, mask);
      std::array<Participant, kWarpSize> participants;
      std::array<Split*, kWarpSize> members{};
      std::size_t count = 0;
      LaneMask present = 0;
      for (Split& other : splits_) {
        if (other.state != SplitState::kRendezvous || !same_kind(instruction, *step_of(other).instruction)) continue;
        const LaneMask lanes = with_mask(masks_of(other), other.waiting & ~other.done, mask);
        if (lanes == 0) continue;
        participants[count] = {other.frame->registers(), &step_of(other), lanes, other.frame};
        members[count++] = &other;
        present |= lanes;
      }
      if ((mask & alive_ & ~present) != 0) continue;
      if (!exchange({participants.data(), count}, *split.frame, mask, present)) return false;
      for (std::size_t member = 0; member < count; ++member) members[member]->done |= participants[member].lanes;
    }
  }
  for (Split& split : splits_) {
    if (split.state != SplitState::kRendezvous || split.done != split.waiting) continue;
    split.state = SplitState::kRunnable;
    split.waiting = split.done = 0;
    ++split.step;
  }
  return true;
}

bool Warp::exchange(std::span<const Participant> participants, const Frame& frame, LaneMask mask, LaneMask present) {
  if (context_.initialised != nullptr && std::any_of(participants.begin(), participants.end(), [](const Participant& participant) {
        return participant.frame->taint->any();
      })) {
    const Actor actor{block_, *this, *participants.front().frame, *participants.front().step};
    if (!context_.initialised->exchange(actor, participants, present)) return false;
  }
  const std::optional<AbsentRead> absent = run_exchange(participants, mask, present);
  if (!absent) {
    const Step& step = *participants.front().step;
    if (context_.races != nullptr && step.instruction->op == Opcode::kBar) context_.races->warp_barrier({block_, *this, frame, step}, present);
    return true;
  }
  const LaneMask source = bit(absent->source);
  std::string why;
  if ((mask & source) == 0) why = fmt::format("is not in the mask {:#010x}", mask);
  else if ((lanes_ & source) == 0) why = fmt::format("does not exist: the warp has {} lanes here", std::popcount(lanes_));
  else why = "has ended";
  report(device::FaultKind::kBadShuffleMask, device::Code::kLaunchFailure,
         fmt::format("lane {} reads from lane {}, which {}: the value is undefined", absent->reader, absent->source, why), frame,
         *absent->step, absent->reader);
  return false;
}

/// " mask 0xffffffff"
std::string Warp::rendezvous_mask(const Split& split) const {
  return fmt::format(" mask {:#010x}", masks_of(split)[std::countr_zero(split.waiting)]);
}

/// Lanes have ended; somebody may be waiting for them in vain.
bool Warp::check_exits(LaneMask exited) {
  for (const Split& split : splits_) {
    if (split.state != SplitState::kRendezvous || !needs_everybody(*step_of(split).instruction)) continue;
    const LaneMask open = split.waiting & ~split.done;
    for (LaneMask left = open; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      const LaneMask mask = masks_of(split)[lane];
      if ((mask & exited) == 0) continue;
      device::Fault fault = make_fault(device::FaultKind::kBadShuffleMask, device::Code::kLaunchFailure,
                                       fmt::format("the mask {:#010x} names {}, which ended without executing {}", mask,
                                                   lanes_text(mask & exited), step_of(split).instruction->spelling),
                                       *split.frame, step_of(split), lane);
      fault.lanes_affected = static_cast<std::uint64_t>(std::popcount(open));
      add_fault(std::move(fault));
      return false;
    }
  }
  return true;
}

}  // namespace warpbook::vgpu
