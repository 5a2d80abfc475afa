// Decoding of calls: which function, and where the caller keeps arguments and results. And of what moves the stack pointer.
#include <array>

#include "judge/vgpu/decoder.hpp"

namespace warpbook::vgpu {

namespace {

struct Provided {
  std::string_view name;
  Intrinsic intrinsic;
};
constexpr std::array<Provided, 4> kProvided{{
    {"vprintf", Intrinsic::kPrintf},
    {"__assertfail", Intrinsic::kAssertFail},
    {"malloc", Intrinsic::kMalloc},
    {"free", Intrinsic::kFree},
}};

Intrinsic intrinsic_of(std::string_view name) {
  for (const Provided& provided : kProvided) {
    if (provided.name == name) return provided.intrinsic;
  }
  return Intrinsic::kMissing;
}

}  // namespace

void Decoder::decode_call(const ptx::Instruction& instruction, Step& step) {
  CallPlan plan;
  const ptx::Operand& target = instruction.src.front();
  if (target.kind == ptx::OperandKind::kRegister) {
    step.src[0] = rows_.of_register(target.reg);
  } else {
    plan.callee = linker_.program_function(target.symbol);
    if (plan.callee < 0) plan.intrinsic = intrinsic_of(target.symbol);
  }
  for (const ptx::Operand& argument : instruction.call_arguments) {
    if (const std::optional<Slot> slot = call_slot(argument)) plan.arguments.push_back(*slot);
  }
  for (const ptx::Operand& result : instruction.call_results) {
    if (const std::optional<Slot> slot = call_slot(result)) plan.results.push_back(*slot);
  }
  step.plan = static_cast<std::int32_t>(function_.call_plans.size());
  function_.call_plans.push_back(std::move(plan));
}

void Decoder::decode_stack(const ptx::Instruction& instruction, Step& step) {
  function_.grows_stack = true;
  place_destinations(instruction, step);
  if (!instruction.src.empty()) place_source(instruction.src.front(), instruction.types.front(), 0, step);
  if (instruction.src.size() > 1) step.immediate = static_cast<std::int64_t>(instruction.src[1].bits);
}

std::optional<Slot> Decoder::call_slot(const ptx::Operand& operand) {
  Slot slot;
  if (operand.kind == ptx::OperandKind::kRegister) {
    slot.row = rows_.of_register(operand.reg);
    slot.bytes = static_cast<std::uint32_t>(rows_.register_bytes(operand.reg));
    return slot;
  }
  if (operand.kind == ptx::OperandKind::kImmediate) {
    slot.bytes = static_cast<std::uint32_t>(row_bytes(operand.type));
    slot.row = rows_.of_constant(operand.bits, static_cast<int>(slot.bytes));
    return slot;
  }
  if (operand.kind == ptx::OperandKind::kSink) return slot;
  const std::optional<Place> place = linker_.find(source_, operand.symbol);
  if (!place || !place->in_frame) {
    fail("'" + operand.symbol + "' is no parameter of this call");
    return std::nullopt;
  }
  slot.displacement = static_cast<std::uint32_t>(place->value);
  slot.bytes = static_cast<std::uint32_t>(place->bytes);
  return slot;
}

}  // namespace warpbook::vgpu
