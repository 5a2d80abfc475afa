// Decoding of one function: which part of the engine runs an instruction, and where its operands lie. What a memory instruction or a call
// needs besides is in decode_memory.cpp and decode_call.cpp.
#include "judge/vgpu/decode.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "judge/ptx/assigned.hpp"
#include "judge/vgpu/decoder.hpp"
#include "judge/vgpu/ops/ops.hpp"
#include "judge/vgpu/window_steps.hpp"

namespace warpbook::vgpu {

namespace {

using ptx::Opcode;
using ptx::Operand;
using ptx::OperandKind;

bool is_clock(ptx::SpecialRegister reg) {
  switch (reg) {
    case ptx::SpecialRegister::kClock:
    case ptx::SpecialRegister::kClockHi:
    case ptx::SpecialRegister::kClock64:
    case ptx::SpecialRegister::kGlobaltimer:
    case ptx::SpecialRegister::kGlobaltimerLo:
    case ptx::SpecialRegister::kGlobaltimerHi: return true;
    default: return false;
  }
}

/// The steps that the engine itself runs; kLanes: ask ops.
StepKind kind_of(const ptx::Instruction& instruction) {
  switch (instruction.op) {
    case Opcode::kLd:
    case Opcode::kLdu:
    case Opcode::kSt:
    case Opcode::kAtom:
    case Opcode::kRed:
    case Opcode::kCp: return StepKind::kMemory;
    case Opcode::kShfl:
    case Opcode::kVote:
    case Opcode::kMatch:
    case Opcode::kRedux:
    case Opcode::kActivemask:
    case Opcode::kElect: return StepKind::kWarp;
    case Opcode::kBar: return instruction.mod.other == ".warp" ? StepKind::kWarp : StepKind::kBarrier;
    case Opcode::kBarrier: return StepKind::kBarrier;
    case Opcode::kMbarrier: return StepKind::kMbarrier;
    case Opcode::kAlloca:
    case Opcode::kStacksave:
    case Opcode::kStackrestore: return StepKind::kStack;
    case Opcode::kBra: return StepKind::kBranch;
    case Opcode::kBrx: return StepKind::kIndirectBranch;
    case Opcode::kCall: return StepKind::kCall;
    case Opcode::kRet: return StepKind::kReturn;
    case Opcode::kExit: return StepKind::kExit;
    case Opcode::kTrap:
    case Opcode::kBrkpt: return StepKind::kTrap;
    case Opcode::kMembar:
    case Opcode::kFence: return StepKind::kFence;
    case Opcode::kPrefetch:
    case Opcode::kPrefetchu:
    case Opcode::kApplypriority:
    case Opcode::kDiscard:
    case Opcode::kNanosleep:
    case Opcode::kGriddepcontrol:
    case Opcode::kSetmaxnreg:
    case Opcode::kPmevent: return StepKind::kNothing;
    default: return StepKind::kLanes;
  }
}

/// Warp instructions that wait for lanes exist only with .sync since compute capability 7.0.
bool is_refused(const ptx::Instruction& instruction) {
  switch (instruction.op) {
    case Opcode::kShfl:
    case Opcode::kVote:
    case Opcode::kMatch:
    case Opcode::kRedux:
    case Opcode::kElect: return !instruction.mod.sync;
    case Opcode::kBarrier: return instruction.mod.other.find(".cluster") != std::string::npos;
    default: return false;
  }
}

}  // namespace

Decoder::Decoder(ProgramFunction& function, const ptx::Flow& flow, const Linker& linker)
    : function_(function), source_(*function.source), flow_(flow), linker_(linker), rows_(function) {
  find_reads();
}

void Decoder::find_reads() {
  read_.assign(source_.registers.size(), false);
  const auto mark = [&](std::int32_t reg) {
    if (reg >= 0) read_[static_cast<std::size_t>(reg)] = true;
  };
  const auto mark_all = [&](const std::vector<Operand>& operands) {
    for (const Operand& operand : operands) {
      mark(operand.reg);
      for (const Operand& element : operand.elements) mark(element.reg);
    }
  };
  for (const ptx::Instruction& instruction : source_.body) {
    mark(instruction.guard);
    mark_all(instruction.src);
    mark_all(instruction.call_arguments);
  }
  for (const ptx::Parameter& result : source_.results) mark(result.reg);
}

Status Decoder::run() {
  for (auto* slots : {&function_.parameters, &function_.results}) {
    for (Slot& slot : *slots) {
      if (slot.row == kNoRegister) continue;
      const auto reg = static_cast<std::int32_t>(slot.row);
      slot.row = rows_.of_register(reg);
      slot.bytes = static_cast<std::uint32_t>(rows_.register_bytes(reg));
    }
  }
  std::vector<std::int32_t> step_of(source_.body.size() + 1);
  for (std::size_t i = 0; i < source_.body.size(); ++i) {
    step_of[i] = static_cast<std::int32_t>(function_.steps.size());
    current_ = static_cast<std::int32_t>(i);
    refresh_clocks(source_.body[i]);
    function_.steps.push_back(decode_one(source_.body[i]));
    if (failure_) return Error{*failure_, where(source_.body[i])};
  }
  // Running off the end of a body returns.
  step_of.back() = static_cast<std::int32_t>(function_.steps.size());
  Step end;
  end.kind = StepKind::kReturn;
  end.origin = source_.body.empty() ? -1 : static_cast<std::int32_t>(source_.body.size()) - 1;
  if (end.origin >= 0) end.instruction = &source_.body.back();
  function_.steps.push_back(end);

  for (const std::int32_t reg : ptx::maybe_unassigned(source_, flow_)) {
    function_.unset_registers.push_back({rows_.of_register(reg), source_.registers[static_cast<std::size_t>(reg)].name});
  }

  const auto resolve = [&](std::int64_t instruction) { return instruction < 0 ? -1 : step_of[static_cast<std::size_t>(instruction)]; };
  for (Step& step : function_.steps) {
    if (step.kind == StepKind::kBranch) step.immediate = resolve(step.immediate);
    step.reconverge = resolve(step.reconverge);
  }
  for (std::vector<std::int32_t>& table : function_.branch_tables) {
    for (std::int32_t& target : table) target = resolve(target);
  }
  return Done{};
}

Where Decoder::where(const ptx::Instruction& instruction) const { return Where{"PTX", instruction.ptx_line, 0}; }

void Decoder::refresh_clocks(const ptx::Instruction& instruction) {
  for (const Operand& operand : instruction.src) {
    if (operand.kind != OperandKind::kSpecial || !is_clock(operand.special)) continue;
    Step step = start(instruction, StepKind::kClock);
    step.guard = kNoRegister;
    step.width = static_cast<std::uint8_t>(row_bytes(operand.type));
    step.dst[0] = rows_.of_special(operand.special, step.width);
    step.immediate = static_cast<std::int64_t>(operand.special);
    function_.steps.push_back(step);
  }
}

Step Decoder::start(const ptx::Instruction& instruction, StepKind kind) {
  Step step;
  step.kind = kind;
  step.origin = current_;
  step.instruction = &instruction;
  if (instruction.guard >= 0) step.guard = rows_.of_register(instruction.guard);
  step.guard_negated = instruction.guard_negated;
  return step;
}

Step Decoder::decode_one(const ptx::Instruction& instruction) {
  Step step = start(instruction, kind_of(instruction));
  if (instruction.op == Opcode::kUnknown || is_refused(instruction)) {
    step.kind = StepKind::kRefused;
    return step;
  }
  switch (step.kind) {
    case StepKind::kMemory: decode_memory(instruction, step); break;
    case StepKind::kMbarrier: decode_mbarrier(instruction, step); break;
    case StepKind::kCall: decode_call(instruction, step); break;
    case StepKind::kLanes: decode_lanes(instruction, step); break;
    case StepKind::kStack: decode_stack(instruction, step); break;
    case StepKind::kBranch:
    case StepKind::kIndirectBranch: decode_branch(instruction, step); break;
    case StepKind::kWarp:
    case StepKind::kBarrier:
      place_destinations(instruction, step);
      for (std::size_t i = 0; i < instruction.src.size(); ++i) place_source(instruction.src[i], instruction.src[i].type, i, step);
      break;
    default: break;
  }
  return step;
}

void Decoder::decode_branch(const ptx::Instruction& instruction, Step& step) {
  step.reconverge = flow_.reconvergence[static_cast<std::size_t>(current_)];
  if (step.kind == StepKind::kBranch) {
    step.immediate = instruction.src.front().target;
    return;
  }
  place_source(instruction.src.front(), ptx::Type::kU32, 0, step);
  step.plan = static_cast<std::int32_t>(function_.branch_tables.size());
  std::vector<std::int32_t> table;
  const auto list = source_.branch_targets.find(instruction.src.back().symbol);
  if (list == source_.branch_targets.end())
    return fail(fmt::format("brx.idx names no .branchtargets list: '{}'", instruction.src.back().symbol));
  for (const std::string& label : list->second) {
    const auto target = source_.labels.find(label);
    if (target == source_.labels.end()) return fail(fmt::format("unknown label '{}'", label));
    table.push_back(target->second);
  }
  function_.branch_tables.push_back(std::move(table));
}

void Decoder::decode_lanes(const ptx::Instruction& instruction, Step& step) {
  const bool windows = is_window_instruction(instruction);
  step.operation = windows ? window_operation(instruction, source_.entry, step) : ops::lane_operation(instruction, source_, step);
  if (step.operation == nullptr) {
    step.kind = StepKind::kRefused;
    return;
  }
  place_destinations(instruction, step);
  for (std::size_t i = 0; i < instruction.src.size(); ++i) {
    const auto source = static_cast<int>(i);
    const int slot = windows ? window_slot(instruction, source) : ops::source_slot(instruction, source);
    if (slot < 0) continue;
    place_source(instruction.src[i], windows ? instruction.src[i].type : ops::source_type(instruction, source), static_cast<std::size_t>(slot),
                 step);
  }
  if (ops::reads_carry(instruction)) step.src[kCarrySource] = rows_.carry();
  if (ops::writes_carry(instruction)) step.dst[kCarryDestination] = rows_.carry();
}

void Decoder::place_destinations(const ptx::Instruction& instruction, Step& step) {
  std::size_t slot = 0;
  for (const Operand& operand : instruction.dst) {
    if (operand.kind != OperandKind::kVector) {
      if (slot < kMaxDestinations) step.dst[slot++] = destination(operand);
      continue;
    }
    for (const Operand& element : operand.elements) {
      if (slot < kMaxDestinations) step.dst[slot++] = destination(element);
    }
  }
}

std::uint32_t Decoder::destination(const Operand& operand) const {
  return operand.kind == OperandKind::kRegister ? rows_.of_register(operand.reg) : kNoRegister;
}

void Decoder::place_source(const Operand& operand, ptx::Type type, std::size_t slot, Step& step) {
  if (operand.kind == OperandKind::kNone) return;
  const std::size_t elements = operand.kind == OperandKind::kVector ? operand.elements.size() : 1;
  if (slot + elements > kMaxSources) return fail("too many operands");
  if (operand.kind == OperandKind::kVector) {
    const int bytes = std::max(2, ptx::bits_of(type) / 8 / static_cast<int>(std::max<std::size_t>(elements, 1)));
    for (const Operand& element : operand.elements) step.src[slot++] = row_of(element, bytes);
    return;
  }
  step.src[slot] = row_of(operand, row_bytes(type));
  // Negated floats are the operation's business (the assembler's fused products); negated predicates are told here.
  const bool predicate = operand.kind == OperandKind::kRegister && rows_.register_bytes(operand.reg) == 0;
  if (operand.negated && predicate) step.source_negated |= 1u << slot;
}

std::uint32_t Decoder::row_of(const Operand& operand, int bytes) {
  switch (operand.kind) {
    case OperandKind::kRegister: return rows_.of_register(operand.reg);
    case OperandKind::kImmediate: return rows_.of_constant(operand.bits, bytes);
    case OperandKind::kSpecial: return rows_.of_special(operand.special, bytes);
    case OperandKind::kSymbol:
    case OperandKind::kFunction: return row_of_symbol(operand, bytes);
    default: fail("an operand of this kind cannot stand here"); return kNoRegister;
  }
}

std::uint32_t Decoder::row_of_symbol(const Operand& operand, int bytes) {
  const std::optional<Place> place = linker_.find(source_, operand.symbol);
  if (!place) {
    fail(fmt::format("unknown symbol '{}'", operand.symbol));
    return kNoRegister;
  }
  const std::uint64_t value = place->value + static_cast<std::uint64_t>(operand.offset);
  return place->in_frame ? rows_.of_frame_address(static_cast<std::uint32_t>(value), bytes) : rows_.of_constant(value, bytes);
}

void Decoder::fail(std::string what) {
  if (!failure_) failure_ = std::move(what);
}

Status decode(ProgramFunction& function, const ptx::Flow& flow, const Linker& linker) { return Decoder(function, flow, linker).run(); }

}  // namespace warpbook::vgpu
