// What a warp does at a barrier of its block. bar.sync and barrier.sync.aligned are for whole warps: all lanes that have not ended must
// come to the same instruction. Lanes that come early wait for their siblings; when those can no longer come, the barrier stands in
// divergent code, which is reported at once, before it becomes a deadlock or (on hardware) goes by unnoticed.
#include <fmt/format.h>

#include <bit>

#include "judge/vgpu/block.hpp"
#include "judge/vgpu/lane_text.hpp"
#include "judge/vgpu/warp.hpp"

namespace warpbook::vgpu {

namespace {

using ptx::Instruction;
using ptx::Opcode;

bool is_aligned(const Instruction& instruction) { return instruction.op == Opcode::kBar || instruction.mod.aligned; }
bool is_reduction(const Instruction& instruction) { return instruction.mod.other.find(".red") != std::string::npos; }

const Step& step_of(const Split& split) { return split.frame->function->steps[static_cast<std::size_t>(split.step)]; }

/// The barrier's number and count as the first waiting lane has them; `votes` of bar.red.
struct Operands {
  std::uint32_t number = 0, expected = 0;
  LaneMask votes = 0;
};

Operands operands_of(const Split& split, const Step& step) {
  const Registers registers = split.frame->registers();
  const int lane = std::countr_zero(split.waiting);
  Operands operands;
  operands.number = registers.row<std::uint32_t>(step.src[0])[lane];
  const auto sources = static_cast<int>(step.instruction->src.size());
  const int counts = sources - (is_reduction(*step.instruction) ? 1 : 0);
  if (counts > 1) operands.expected = registers.row<std::uint32_t>(step.src[1])[lane];
  if (is_reduction(*step.instruction)) {
    const LaneMask predicate = registers.predicate(step.src[sources - 1]);
    operands.votes = (step.source_negated >> (sources - 1) & 1u) != 0 ? ~predicate : predicate;
  }
  return operands;
}

}  // namespace

Warp::Outcome Warp::barrier_step(std::size_t index, const Step& step, LaneMask active) {
  hold_back(index, active);
  Split& split = splits_[index];
  split.waiting = active;
  const Operands operands = operands_of(split, step);
  if (operands.number >= kBarriers || operands.expected % kWarpSize != 0) {
    report(device::FaultKind::kBarrierDivergence, device::Code::kLaunchFailure,
           operands.number >= kBarriers
               ? fmt::format("barrier {} does not exist: there are {}", operands.number, kBarriers)
               : fmt::format("a barrier of {} threads: the number must be a multiple of {}", operands.expected, kWarpSize),
           *split.frame, step, std::countr_zero(active));
    return Outcome::kFault;
  }
  if (is_aligned(*step.instruction) && active != alive_) {
    split.state = SplitState::kPartialBarrier;
    return Outcome::kSwitch;
  }
  block_.arrive(static_cast<int>(operands.number), operands.expected, index_, active, active == alive_, operands.votes);
  if (step.instruction->mod.arrive) {
    ++split.step;
    return Outcome::kContinue;
  }
  split.state = SplitState::kBarrier;
  split.barrier = static_cast<int>(operands.number);
  return Outcome::kSwitch;
}

/// Splits that wait at one aligned barrier go to it together once they are all that is left of the warp; false: never (no fault here).
bool Warp::settle_partial_barriers(bool& moved) {
  LaneMask present = 0;
  const Step* common = nullptr;
  for (const Split& split : splits_) {
    if (split.state != SplitState::kPartialBarrier) continue;
    if (common != nullptr && common != &step_of(split)) return true;
    common = &step_of(split);
    present |= split.waiting;
  }
  if (common == nullptr || present != alive_) return true;
  LaneMask votes = 0;
  Operands operands;
  for (Split& split : splits_) {
    operands = operands_of(split, *common);
    votes |= operands.votes & split.waiting;
    split.state = common->instruction->mod.arrive ? SplitState::kRunnable : SplitState::kBarrier;
    split.barrier = static_cast<int>(operands.number);
    if (common->instruction->mod.arrive) ++split.step;
  }
  block_.arrive(static_cast<int>(operands.number), operands.expected, index_, present, true, votes);
  moved = common->instruction->mod.arrive;
  return true;
}

void Warp::release_barrier(int number, std::uint32_t count, bool all, bool any) {
  for (Split& split : splits_) {
    if (split.state != SplitState::kBarrier || split.barrier != number) continue;
    const Step& step = step_of(split);
    if (is_reduction(*step.instruction) && step.dst[0] != kNoRegister) {
      const Registers registers = split.frame->registers();
      if (step.instruction->mod.bool_op == ptx::BoolOp::kNone) {
        std::uint32_t* row = registers.row<std::uint32_t>(step.dst[0]);
        for (LaneMask left = split.waiting; left != 0; left &= left - 1) row[std::countr_zero(left)] = count;
      } else {
        const bool answer = step.instruction->mod.bool_op == ptx::BoolOp::kAnd ? all : any;
        LaneMask& predicate = registers.predicate(step.dst[0]);
        predicate = (predicate & ~split.waiting) | (answer ? split.waiting : 0);
      }
    }
    split.state = SplitState::kRunnable;
    split.barrier = -1;
    split.waiting = 0;
    ++split.step;
  }
}

/// Some lanes wait at an aligned barrier, the others cannot come. True: the launch goes on (without the barrier).
bool Warp::divergent_barrier_fault() {
  for (Split& split : splits_) {
    if (split.state != SplitState::kPartialBarrier) continue;
    const Step& step = step_of(split);
    const LaneMask absent = alive_ & ~split.waiting;
    device::Fault fault = make_fault(device::FaultKind::kBarrierDivergence, device::Code::kLaunchFailure,
                                     fmt::format("{} in divergent code: {} of warp {} {} it, {} {} not", step.instruction->spelling,
                                                 lanes_text(split.waiting), index_, std::has_single_bit(split.waiting) ? "reaches" : "reach",
                                                 lanes_text(absent), std::has_single_bit(absent) ? "does" : "do"),
                                     *split.frame, step, std::countr_zero(split.waiting));
    fault.lanes_affected = static_cast<std::uint64_t>(std::popcount(split.waiting));
    for (const Split& each : splits_) fault.waiters.push_back(waiter(each));
    for (const Join& join : joins_) {
      if (join.arrived != 0)
        fault.waiters.push_back({"waits for the other lanes", lanes_name(join.arrived), where(*join.frame, join.step)});
    }
    if (!add_fault(std::move(fault))) return false;
    split.state = SplitState::kRunnable;
    split.waiting = 0;
    ++split.step;
  }
  return true;
}

}  // namespace warpbook::vgpu
