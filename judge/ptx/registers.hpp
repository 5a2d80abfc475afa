#pragma once
// Which registers an instruction reads and writes.
#include <cstdint>

#include "judge/ptx/module.hpp"

namespace warpbook::ptx {

enum class Access : std::uint8_t { kRead, kWrite };

namespace detail {

template <class Visit>
void visit_operand(const Operand& operand, Access access, Visit& visit) {
  // The base register of an address is read even where the address is the destination of a store.
  if (operand.reg >= 0) visit(operand.reg, operand.kind == OperandKind::kAddress ? Access::kRead : access);
  for (const Operand& element : operand.elements) visit_operand(element, access, visit);
}

}  // namespace detail

/// Calls `visit(register index, access)` for every register of the instruction, reads first, guard and call operands included.
template <class Visit>
void for_each_register(const Instruction& instruction, Visit visit) {
  if (instruction.guard >= 0) visit(instruction.guard, Access::kRead);
  for (const Operand& operand : instruction.src) detail::visit_operand(operand, Access::kRead, visit);
  for (const Operand& operand : instruction.call_arguments) detail::visit_operand(operand, Access::kRead, visit);
  for (const Operand& operand : instruction.dst) detail::visit_operand(operand, Access::kWrite, visit);
  for (const Operand& operand : instruction.call_results) detail::visit_operand(operand, Access::kWrite, visit);
}

}  // namespace warpbook::ptx
