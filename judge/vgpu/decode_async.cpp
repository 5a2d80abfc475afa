// Decoding of cp.async and mbarrier: asynchronous copies and the barriers that know of them.
#include "judge/vgpu/decoder.hpp"
#include "judge/vgpu/mbarrier.hpp"
#include "judge/vgpu/mbarrier_step.hpp"

namespace warpbook::vgpu {

namespace {

using ptx::Operand;
using ptx::OperandKind;
using ptx::Space;

/// mbarrier.pending_count: the count is in the state itself.
void pending_count(const Registers& registers, const Step& step, LaneMask active) {
  const std::uint64_t* states = registers.row<std::uint64_t>(step.src[0]);
  std::uint32_t* counts = registers.row<std::uint32_t>(step.dst[0]);
  for (int lane = 0; lane < kWarpSize; ++lane) counts[lane] = (active >> lane & 1u) != 0 ? pending_of_state(states[lane]) : counts[lane];
}

}  // namespace

void Decoder::decode_copy(const ptx::Instruction& instruction, Step& step) {
  const std::string& form = instruction.mod.other;
  const auto says = [&](std::string_view word) { return form.find(word) != std::string::npos; };
  if (says(".commit_group") || says(".wait")) {
    step.kind = StepKind::kCopyWait;
    step.flags = static_cast<std::uint8_t>(says(".commit") ? CopyWait::kCommit : says(".wait_all") ? CopyWait::kAll : CopyWait::kGroups);
    if (says(".wait_group")) step.immediate = static_cast<std::int64_t>(instruction.src.front().bits);
    return;
  }
  if (says(".mbarrier")) return decode_mbarrier(instruction, step);
  const bool copies = form == ".async.ca" || form == ".async.cg";
  if (!copies || instruction.src.size() < 3 || instruction.src[2].kind != OperandKind::kImmediate) {
    step.kind = StepKind::kRefused;
    return;
  }
  MemoryPlan plan;
  plan.action = MemoryAction::kCopyAsync;
  plan.space = Space::kShared;
  plan.element_bytes = static_cast<std::uint8_t>(instruction.src[2].bits);
  // The second address goes through the same door as the first, aside, and moves into its slot afterwards.
  Step aside = step;
  MemoryPlan global;
  place_address(instruction.src[1], aside, global);
  place_address(instruction.src[0], step, plan);
  step.src[1] = aside.src[0];
  plan.source_offset = aside.immediate;
  if (instruction.src.size() > 3) {
    const Operand& limit = instruction.src[3];
    const bool predicate = limit.kind == OperandKind::kRegister && rows_.register_bytes(limit.reg) == 0;
    if (predicate) place_source(limit, ptx::Type::kPred, 3, step);
    else if (ptx::bits_of(limit.type) == 32) step.src[2] = row_of(limit, 4);
  }
  step.width = plan.element_bytes;
  step.plan = static_cast<std::int32_t>(function_.memory_plans.size());
  function_.memory_plans.push_back(plan);
}

void Decoder::decode_mbarrier(const ptx::Instruction& instruction, Step& step) {
  const std::string& words = instruction.mod.other;
  const auto says = [&](std::string_view word) { return words.find(word) != std::string::npos; };
  if (says(".pending_count")) {
    place_destinations(instruction, step);
    place_source(instruction.src.front(), ptx::Type::kU64, 0, step);
    step.kind = step.dst[0] == kNoRegister ? StepKind::kNothing : StepKind::kLanes;
    step.operation = pending_count;
    return;
  }
  MbarrierForm form;
  form.drops = says(".arrive_drop");
  form.expects = says(".expect_tx");
  form.must_not_complete = says(".noComplete") || instruction.mod.noinc;
  form.by_parity = says(".parity");
  form.relaxed = instruction.mod.order == ptx::Order::kRelaxed;
  if (instruction.op == ptx::Opcode::kCp) form.action = MbarrierAction::kTrack;
  else if (says(".init")) form.action = MbarrierAction::kInit;
  else if (says(".inval")) form.action = MbarrierAction::kInvalidate;
  else if (says(".arrive")) form.action = MbarrierAction::kArrive;
  else if (says("_wait")) form.action = MbarrierAction::kTest;
  else if (form.expects) form.action = MbarrierAction::kExpect;
  else if (says(".complete_tx")) form.action = MbarrierAction::kComplete;
  else {
    step.kind = StepKind::kRefused;
    return;
  }
  step.kind = StepKind::kMbarrier;
  form.store(step);
  MemoryPlan plan;
  plan.space = instruction.mod.space;
  plan.element_bytes = sizeof(std::uint64_t);
  // The object is written plainly when it begins, else by operations that are no races among each other. Its end is one of these:
  // cuda::pipeline lets one lane invalidate what the others used, after no more than a match.sync.
  plan.order = form.action == MbarrierAction::kInit ? ptx::Order::kWeak : ptx::Order::kRelaxed;
  place_destinations(instruction, step);
  place_address(instruction.src.front(), step, plan);
  if (instruction.src.size() > 1) {
    const bool state = form.action == MbarrierAction::kTest && !form.by_parity;
    step.src[1] = row_of(instruction.src[1], state ? 8 : 4);
  }
  step.plan = static_cast<std::int32_t>(function_.memory_plans.size());
  function_.memory_plans.push_back(plan);
}

}  // namespace warpbook::vgpu
