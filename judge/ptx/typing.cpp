// Gives each operand the type that the table says its slot has, converts constants to it, and refuses what does not fit: a wrong
// number of operands, a register of another width, a constant as a destination.
#include <fmt/format.h>

#include <algorithm>

#include "judge/ptx/parse_state.hpp"

namespace warpbook::ptx {
namespace {

constexpr int kPointerBits = 64, kShortPointerBits = 32;

// How many of the optional source slots are filled, leftmost first; `present` holds which.
std::vector<bool> chosen_slots(const Shape& shape, const Instruction& instruction, std::size_t given) {
  const bool hinted = instruction.spelling.find(".L2::cache_hint") != std::string::npos;
  std::vector<bool> present;
  std::size_t needed = 0;
  for (const OperandSlot& slot : shape.src) {
    bool must = slot.with_bool_op ? instruction.mod.bool_op != BoolOp::kNone : slot.with_cache_hint ? hinted : !slot.optional;
    present.push_back(must);
    needed += must;
  }
  for (std::size_t i = 0; i < present.size() && needed < given; ++i) {
    if (present[i] || shape.src[i].with_bool_op || shape.src[i].with_cache_hint) continue;
    present[i] = true;
    ++needed;
  }
  return present;
}

Type bits_type(int bits) {
  switch (bits) {
    case 8: return Type::kB8;
    case 16: return Type::kB16;
    case 32: return Type::kB32;
    case 64: return Type::kB64;
    default: return Type::kNone;
  }
}

}  // namespace

bool Parser::assign_types(FunctionState& state, Instruction& instruction, const Shape& shape, std::vector<RawOperand>& raw) {
  std::size_t next = 0;
  for (const OperandSlot& slot : shape.dst) {
    bool given = next < raw.size() && raw[next].behind_bar == slot.pair;
    if (!given && slot.optional) continue;
    if (!given) {
      return fail_at(instruction,
                     fmt::format("{} lacks its {}", instruction.spelling, slot.pair ? "second destination behind `|`" : "destination"));
    }
    instruction.dst.emplace_back();
    if (!give_type(state, instruction, slot, raw[next++], instruction.dst.back(), true)) return false;
  }
  std::size_t given = raw.size() - next;
  std::vector<bool> present = chosen_slots(shape, instruction, given);
  auto wanted = static_cast<std::size_t>(std::count(present.begin(), present.end(), true));
  bool bar = std::any_of(raw.begin() + static_cast<std::ptrdiff_t>(next), raw.end(), [](const RawOperand& r) { return r.behind_bar; });
  if (wanted != given || bar) {
    return fail_at(instruction,
                   fmt::format("{} takes {} operands, not {}", instruction.spelling, wanted + instruction.dst.size(), raw.size()));
  }
  for (std::size_t i = 0; i < shape.src.size(); ++i) {
    if (!present[i]) continue;
    instruction.src.emplace_back();
    if (!give_type(state, instruction, shape.src[i], raw[next++], instruction.src.back(), false)) return false;
  }
  return true;
}

bool Parser::give_type(FunctionState& state, Instruction& instruction, const OperandSlot& slot, RawOperand& raw, Operand& out,
                       bool destination) {
  Type type = slot_type(slot, instruction.mod, instruction.types);
  bool is_predicate =
      raw.operand.kind == OperandKind::kRegister && state.function.registers[static_cast<std::size_t>(raw.operand.reg)].type == Type::kPred;
  if (slot.role == OperandRole::kSizeOrPredicate && is_predicate) type = Type::kPred;
  bool negatable = slot.role == OperandRole::kNegatable || (slot.role == OperandRole::kSizeOrPredicate && is_predicate);
  if (raw.operand.negated && !negatable) return fail_at(instruction, fmt::format("{} cannot negate this operand", instruction.spelling));
  bool address = raw.operand.kind == OperandKind::kAddress;
  if (address != (slot.role == OperandRole::kAddressOf)) {
    return fail_at(instruction, fmt::format("{} takes {} here", instruction.spelling, address ? "no address" : "an address in brackets"));
  }
  bool vector = raw.operand.kind == OperandKind::kVector;
  switch (slot.role) {
    case OperandRole::kAddressOf:
      out = std::move(raw.operand);
      out.type = type;
      return true;
    case OperandRole::kVectorOf:
      if (instruction.mod.vector > 1) return give_vector(state, instruction, type, instruction.mod.vector, true, raw, out, destination);
      return give_plain(state, instruction, type, true, raw, out, destination);
    case OperandRole::kFlexible: {
      if (!vector) return give_plain(state, instruction, type, false, raw, out, destination);
      Type element = bits_type(bits_of(type) / static_cast<int>(raw.elements.size()));
      if (element == Type::kNone)
        return fail_at(instruction, fmt::format("{} cannot be made of {} elements", instruction.spelling, raw.elements.size()));
      out.type = type;
      return give_vector(state, instruction, element, raw.elements.size(), false, raw, out, destination);
    }
    default: return give_plain(state, instruction, type, slot.role == OperandRole::kWide, raw, out, destination);
  }
}

bool Parser::give_vector(FunctionState& state, Instruction& instruction, Type element, std::size_t count, bool wider, RawOperand& raw,
                         Operand& out, bool destination) {
  if (raw.operand.kind != OperandKind::kVector || raw.elements.size() != count) {
    return fail_at(instruction, fmt::format("{} takes a vector of {} elements here", instruction.spelling, count));
  }
  out.kind = OperandKind::kVector;
  if (out.type == Type::kNone) out.type = element;
  for (RawOperand& part : raw.elements) {
    out.elements.emplace_back();
    if (!give_plain(state, instruction, element, wider, part, out.elements.back(), destination)) return false;
  }
  return true;
}

bool Parser::give_plain(FunctionState& state, Instruction& instruction, Type type, bool wider, RawOperand& raw, Operand& out,
                        bool destination) {
  out = std::move(raw.operand);
  out.type = type;
  int width = bits_of(type);
  switch (out.kind) {
    case OperandKind::kRegister: {
      const Register& reg = state.function.registers[static_cast<std::size_t>(out.reg)];
      int has = bits_of(reg.type);
      bool fits = (reg.type == Type::kPred) == (type == Type::kPred) && (wider ? has >= width : has == width);
      if (fits) return true;
      return fail_at(instruction,
                     fmt::format("{} takes a .{} here, `{}` is .{}", instruction.spelling, name_of(type), reg.name, name_of(reg.type)));
    }
    case OperandKind::kSink:
      if (destination) return true;
      return fail_at(instruction, fmt::format("`_` is no operand that {} can read", instruction.spelling));
    case OperandKind::kImmediate: {
      if (destination) return fail_at(instruction, fmt::format("{} cannot write to a constant", instruction.spelling));
      auto bits = bits_in(raw.constant, type);
      if (!bits)
        return fail_at(instruction, fmt::format("{} takes a .{} here: give its bits, such as 0x3C00", instruction.spelling, name_of(type)));
      out.bits = *bits;
      return true;
    }
    case OperandKind::kSpecial:
      if (!destination && (type == Type::kPred) == (out.special == SpecialRegister::kIsExplicitCluster)) return true;
      return fail_at(instruction, fmt::format("{} cannot use a special register here", instruction.spelling));
    case OperandKind::kSymbol:
    case OperandKind::kFunction:
      if (!destination && !is_float(type) && (width == kPointerBits || width == kShortPointerBits)) return true;
      return fail_at(instruction, fmt::format("{} cannot use the address of `{}` here", instruction.spelling, out.symbol));
    default: return fail_at(instruction, fmt::format("{} takes a single register or constant here", instruction.spelling));
  }
}

}  // namespace warpbook::ptx
