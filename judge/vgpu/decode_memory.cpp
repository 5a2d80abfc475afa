// Decoding of ld, st, atom and red: where the address is, how wide the elements are, and which rows hold them.
#include <algorithm>

#include "judge/vgpu/decoder.hpp"

namespace warpbook::vgpu {

namespace {

using ptx::Opcode;
using ptx::Operand;
using ptx::OperandKind;
using ptx::Space;

constexpr int kWidestElement = 8;
constexpr int kWidestAccess = 16;  // of a lane, by a step of its own

std::uint8_t element_bytes(ptx::Type type) { return static_cast<std::uint8_t>(std::max(1, ptx::bits_of(type) / 8)); }

}  // namespace

void Decoder::decode_memory(const ptx::Instruction& instruction, Step& step) {
  if (instruction.op == Opcode::kCp) return decode_copy(instruction, step);
  if (instruction.types.empty()) {
    step.kind = StepKind::kRefused;
    return;
  }
  MemoryPlan plan;
  const ptx::Type type = instruction.types.back();
  plan.space = instruction.mod.space;
  plan.element_bytes = element_bytes(type);
  plan.vector = std::max<std::uint8_t>(instruction.mod.vector, 1);
  plan.sign_extend = ptx::is_signed(type);
  plan.order = instruction.mod.order;
  plan.scope = instruction.mod.scope;
  step.width = plan.element_bytes;
  place_address(instruction.src.front(), step, plan);

  bool understood = true;
  const bool atomic = instruction.op == Opcode::kAtom || instruction.op == Opcode::kRed;
  if (plan.element_bytes > kWidestElement || plan.lane_bytes() > kWidestAccess || (atomic && plan.vector > 1)) {
    understood = place_wide(instruction, step, plan);
  } else if (instruction.op == Opcode::kSt) {
    plan.action = MemoryAction::kStore;
    understood = instruction.src.size() >= 2 && place_elements(instruction.src[1], step, plan);
  } else if (atomic) {
    decode_atomic(instruction, step, plan);
    understood = plan.atomic != nullptr;
  } else {
    plan.action = MemoryAction::kLoad;
    understood = instruction.dst.size() == 1 && place_elements(instruction.dst[0], step, plan);
  }
  if (!understood) {
    step.kind = StepKind::kRefused;
    return;
  }
  step.plan = static_cast<std::int32_t>(function_.memory_plans.size());
  function_.memory_plans.push_back(plan);
}

void Decoder::decode_atomic(const ptx::Instruction& instruction, Step& step, MemoryPlan& plan) {
  plan.action = instruction.op == Opcode::kAtom ? MemoryAction::kAtomic : MemoryAction::kReduce;
  plan.atomic = atomic_operation(instruction.mod.atom, instruction.types.back(), plan.space != Space::kShared);
  plan.register_bytes = static_cast<std::uint8_t>(std::max<int>(plan.element_bytes, 2));
  for (std::size_t i = 1; i < instruction.src.size() && i < 3; ++i) step.src[i] = row_of(instruction.src[i], plan.register_bytes);
  if (step.src[2] == kNoRegister) step.src[2] = step.src[1];
  if (!instruction.dst.empty()) step.dst[0] = destination(instruction.dst.front());
  // An atom whose result nobody reads is assembled as a red: it requests nothing back.
  const bool wanted = !instruction.dst.empty() && instruction.dst.front().kind == OperandKind::kRegister &&
                      read_[static_cast<std::size_t>(instruction.dst.front().reg)];
  plan.returns = step.dst[0] != kNoRegister;
  if (!wanted) plan.action = MemoryAction::kReduce;
}

void Decoder::place_address(const Operand& operand, Step& step, MemoryPlan& plan) {
  step.immediate = operand.offset;
  const bool function_parameter = plan.space == Space::kParam && !source_.entry;
  if (operand.reg >= 0) {
    step.src[0] = rows_.of_register(operand.reg);
    plan.narrow_address = rows_.register_bytes(operand.reg) == 4;
    if (function_parameter) plan.space = Space::kLocal;
    return;
  }
  if (operand.symbol.empty()) {  // an absolute address
    step.immediate += static_cast<std::int64_t>(operand.bits);
    return;
  }
  const std::optional<Place> place = linker_.find(source_, operand.symbol);
  if (!place) return fail("unknown symbol '" + operand.symbol + "'");
  const bool generic = plan.space == Space::kGeneric;
  if (place->in_frame) {
    step.src[0] = rows_.of_frame_address(static_cast<std::uint32_t>(place->value), 8);
    plan.space = Space::kLocal;
    return;
  }
  step.immediate += static_cast<std::int64_t>(place->value);
  if (generic) plan.space = place->space;
}

/// The rows of a wide access: `ld dst, [a]`, `st [a], src`, `atom dst, [a], src (, src)`.
bool Decoder::place_wide(const ptx::Instruction& instruction, Step& step, MemoryPlan& plan) {
  const auto elements_of = [](const Operand& operand) {
    return operand.kind == OperandKind::kVector ? operand.elements : std::vector<Operand>{operand};
  };
  int bytes = 0;
  const auto same_width = [&](const Operand& operand) {
    if (operand.kind != OperandKind::kRegister) return operand.kind == OperandKind::kSink;  // a constant of 128 bits has no row
    const int width = rows_.register_bytes(operand.reg);
    if (bytes == 0) bytes = width;
    return width == bytes && width >= plan.element_bytes;
  };
  const bool atomic = instruction.op == Opcode::kAtom || instruction.op == Opcode::kRed;
  if (atomic) {
    plan.action = instruction.op == Opcode::kAtom ? MemoryAction::kAtomic : MemoryAction::kReduce;
    // Of 128 bits only exch and cas exist, which wide_access.cpp does itself: the operation only says that there is one.
    const ptx::Type type = plan.element_bytes > kWidestElement ? ptx::Type::kB64 : instruction.types.back();
    plan.atomic = atomic_operation(instruction.mod.atom, type, true);
    if (plan.atomic == nullptr) return false;
  } else {
    plan.action = instruction.op == Opcode::kSt ? MemoryAction::kStore : MemoryAction::kLoad;
  }
  plan.wide.used = true;
  if (!instruction.dst.empty()) {
    const std::vector<Operand> elements = elements_of(instruction.dst.front());
    const bool none = elements.size() == 1 && elements.front().kind == OperandKind::kSink;
    if (!none && (elements.size() != plan.vector || elements.size() > WideRows::kMost)) return false;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (!same_width(elements[i])) return false;
      plan.wide.dst[i] = destination(elements[i]);
    }
  }
  std::size_t next = 0;
  const bool compares = instruction.mod.atom == ptx::AtomOp::kCas;
  for (std::size_t s = 1; s < instruction.src.size() && s <= (compares ? 2u : 1u) && instruction.op != Opcode::kLd; ++s) {
    for (const Operand& element : elements_of(instruction.src[s])) {
      if (next == WideRows::kMost || !same_width(element) || element.kind == OperandKind::kSink) return false;
      plan.wide.src[next++] = row_of(element, bytes);
    }
  }
  plan.register_bytes = static_cast<std::uint8_t>(bytes);
  (void)step;
  return bytes != 0;
}

bool Decoder::place_elements(const Operand& operand, Step& step, MemoryPlan& plan) {
  const bool store = plan.action == MemoryAction::kStore;
  std::vector<Operand> elements = operand.kind == OperandKind::kVector ? operand.elements : std::vector<Operand>{operand};
  if (elements.size() != plan.vector) return false;
  int bytes = 0;
  for (const Operand& element : elements) {
    if (element.kind != OperandKind::kRegister) continue;
    const int width = rows_.register_bytes(element.reg);
    if (width == 0 || (bytes != 0 && bytes != width)) return false;  // mixed widths: nobody writes that
    bytes = width;
  }
  if (bytes == 0) bytes = std::max<int>(plan.element_bytes, 2);
  if (bytes < plan.element_bytes) return false;
  plan.register_bytes = static_cast<std::uint8_t>(bytes);
  plan.mover =
      store ? store_mover(plan.element_bytes, bytes, plan.vector) : load_mover(plan.element_bytes, bytes, plan.sign_extend, plan.vector);
  if (plan.mover == nullptr) return false;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (store) step.src[i + 1] = row_of(elements[i], bytes);
    else step.dst[i] = destination(elements[i]);
  }
  return true;
}

}  // namespace warpbook::vgpu
