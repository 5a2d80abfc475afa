#include "judge/ptx/instruction.hpp"

#include <fmt/format.h>

#include "judge/ptx/names.hpp"

namespace warpbook::ptx {
namespace {

std::string register_name(std::int32_t reg, const Function& function) {
  if (reg < 0 || static_cast<std::size_t>(reg) >= function.registers.size()) return "?";
  return function.registers[static_cast<std::size_t>(reg)].name;
}

std::string immediate_text(const Operand& operand) {
  switch (operand.type) {
    case Type::kF32: return fmt::format("0f{:08X}", operand.bits);
    case Type::kF64: return fmt::format("0d{:016X}", operand.bits);
    case Type::kS8: return fmt::format("{}", static_cast<std::int8_t>(operand.bits));
    case Type::kS16: return fmt::format("{}", static_cast<std::int16_t>(operand.bits));
    case Type::kS32: return fmt::format("{}", static_cast<std::int32_t>(operand.bits));
    case Type::kS64: return fmt::format("{}", static_cast<std::int64_t>(operand.bits));
    default: return fmt::format("{}", operand.bits);
  }
}

std::string offset_text(std::int64_t offset) { return offset == 0 ? "" : fmt::format("{:+}", offset); }

std::string operand_text(const Operand& operand, const Function& function) {
  switch (operand.kind) {
    case OperandKind::kNone: return "";
    case OperandKind::kRegister: {
      const char* sign = !operand.negated ? "" : operand.type == Type::kPred ? "!" : "-";
      return fmt::format("{}{}", sign, register_name(operand.reg, function));
    }
    case OperandKind::kImmediate: return immediate_text(operand);
    case OperandKind::kSpecial: return std::string(name_of(operand.special));
    case OperandKind::kSymbol: return operand.symbol + offset_text(operand.offset);
    case OperandKind::kAddress: {
      if (operand.reg >= 0) return fmt::format("[{}{}]", register_name(operand.reg, function), offset_text(operand.offset));
      if (operand.symbol.empty()) return fmt::format("[{}]", operand.offset);
      return fmt::format("[{}{}]", operand.symbol, offset_text(operand.offset));
    }
    case OperandKind::kVector: {
      std::string text = "{";
      for (std::size_t i = 0; i < operand.elements.size(); ++i)
        text += fmt::format("{}{}", i == 0 ? "" : ", ", operand_text(operand.elements[i], function));
      text += "}";
      return text;
    }
    case OperandKind::kLabel:
    case OperandKind::kFunction: return operand.symbol;
    case OperandKind::kSink: return "_";
  }
  return "";
}

std::string list_text(const std::vector<Operand>& operands, const Function& function) {
  std::string text = "(";
  for (std::size_t i = 0; i < operands.size(); ++i) text += fmt::format("{}{}", i == 0 ? "" : ", ", operand_text(operands[i], function));
  text += ")";
  return text;
}

std::string call_text(const Instruction& call, const Function& function) {
  std::string text;
  if (!call.call_results.empty()) text += list_text(call.call_results, function) + ", ";
  if (!call.src.empty()) text += operand_text(call.src[0], function);
  if (!call.call_arguments.empty()) text += fmt::format(", {}", list_text(call.call_arguments, function));
  if (!call.call_prototype.empty()) text += fmt::format(", {}", call.call_prototype);
  return text;
}

}  // namespace

std::string opcode_text(const Instruction& instruction) {
  if (instruction.op == Opcode::kUnknown) return instruction.mod.other;
  return instruction.spelling.empty() ? std::string(mnemonic_of(instruction.op)) : instruction.spelling;
}

std::string text_of(const Instruction& instruction, const Function& function) {
  std::string text;
  if (instruction.guard >= 0)
    text += fmt::format("@{}{} ", instruction.guard_negated ? "!" : "", register_name(instruction.guard, function));
  text += opcode_text(instruction);
  if (instruction.op == Opcode::kCall) return fmt::format("{} {}", text, call_text(instruction, function));
  std::string operands;
  for (std::size_t i = 0; i < instruction.dst.size(); ++i)
    operands += fmt::format("{}{}", i == 0 ? "" : "|", operand_text(instruction.dst[i], function));
  for (const Operand& operand : instruction.src)
    operands += fmt::format("{}{}", operands.empty() ? "" : ", ", operand_text(operand, function));
  return operands.empty() ? text : fmt::format("{} {}", text, operands);
}

}  // namespace warpbook::ptx
