// Operands as written: what kind of thing stands there. Types come later (typing.cpp), from the table.
#include <fmt/format.h>

#include "judge/ptx/names.hpp"
#include "judge/ptx/parse_state.hpp"

namespace warpbook::ptx {
namespace {

constexpr std::size_t kWidestVector = 64;

// Position of `.x`, `.y`, `.z`, `.w` or `.r`, `.g`, `.b`, `.a`; -1 for anything else.
int component(std::string_view word) {
  if (word.size() != 2) return -1;
  std::size_t at = std::string_view("xyzw").find(word[1]);
  if (at == std::string_view::npos) at = std::string_view("rgba").find(word[1]);
  return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

}  // namespace

Operand Parser::register_operand(std::int32_t index) const {
  Operand operand;
  operand.kind = OperandKind::kRegister;
  operand.reg = index;
  return operand;
}

bool Parser::raw_operand(FunctionState& state, RawOperand& out) {
  const Token& token = tokens_.now();
  if (token.is('[')) return address_operand(state, out);
  if (token.is('{')) return vector_operand(state, out);
  if (token.is('!')) {
    // `!%p` negates a predicate, `!1` is a constant expression; only a name tells.
    Tokens ahead = tokens_;
    ahead.take();
    if (ahead.now().kind == TokenKind::kName && !ahead.now().is("WARP_SZ")) {
      tokens_.take();
      if (!named_operand(state, out)) return false;
      out.operand.negated = true;
      return out.operand.kind == OperandKind::kRegister || tokens_.fail("`!` stands before what is no predicate");
    }
  }
  if (begins_constant(tokens_)) {
    auto constant = parse_constant(tokens_);
    if (!constant) return false;
    out.operand.kind = OperandKind::kImmediate;
    out.constant = *constant;
    return true;
  }
  if (token.kind == TokenKind::kName) return named_operand(state, out);
  return tokens_.fail("an operand should stand here, not " + tokens_.found());
}

bool Parser::offset_of(std::int64_t& offset) {
  // `+ -4` and `-4` both occur; the sign belongs to the constant expression.
  if (!tokens_.now().is('-') && !tokens_.accept('+')) return !tokens_.failed();
  auto constant = parse_constant(tokens_);
  if (!constant) return false;
  if (constant->kind != Constant::Kind::kInteger) return tokens_.fail("an offset is an integer");
  offset += constant->as_signed();
  return true;
}

bool Parser::named_operand(FunctionState& state, RawOperand& out) {
  std::int32_t line = tokens_.now().line;
  std::string_view name = tokens_.take().text;
  if (name == "_") {
    out.operand.kind = OperandKind::kSink;
    return true;
  }
  auto symbol = state.scopes.find(name);
  if (!symbol && name.front() == '%') {
    std::string full(name);
    if (tokens_.now().kind == TokenKind::kDotted) full += tokens_.take().text;
    if (auto special = special_of(full)) {
      out.operand.kind = OperandKind::kSpecial;
      out.operand.special = *special;
      return true;
    }
    out.operand.symbol = full;
    out.refused = is_refused_special(full) || newer_than_table();
    return out.refused || tokens_.fail(line, fmt::format("`{}` is neither declared nor a special register", full));
  }
  if (symbol && symbol->kind == Symbol::Kind::kVectorRegister) {
    if (tokens_.now().kind == TokenKind::kDotted) {
      int at = component(tokens_.take().text);
      if (at < 0 || at >= static_cast<int>(symbol->count)) return tokens_.fail(line, fmt::format("`{}` has no such element", name));
      out.operand = register_operand(symbol->index + at);
      return true;
    }
    out.operand.kind = OperandKind::kVector;
    for (std::uint32_t i = 0; i < symbol->count; ++i) {
      out.elements.emplace_back();
      out.elements.back().operand = register_operand(symbol->index + static_cast<std::int32_t>(i));
    }
    return true;
  }
  if (!name_meaning(state, name, out)) return tokens_.fail(line, fmt::format("`{}` is not declared", name));
  return out.operand.kind != OperandKind::kSymbol || offset_of(out.operand.offset);
}

bool Parser::name_meaning(FunctionState& state, std::string_view name, RawOperand& out) {
  if (auto symbol = state.scopes.find(name)) {
    if (symbol->kind == Symbol::Kind::kRegister) {
      out.operand = register_operand(symbol->index);
      return true;
    }
    out.operand.kind = OperandKind::kSymbol;
    bool variable = symbol->kind == Symbol::Kind::kVariable;
    out.operand.symbol = variable ? state.function.variables[static_cast<std::size_t>(symbol->index)].name : std::string(name);
    return symbol->kind != Symbol::Kind::kVectorRegister;
  }
  out.operand.symbol = name;
  out.operand.kind = function_index_.contains(out.operand.symbol) ? OperandKind::kFunction : OperandKind::kSymbol;
  return out.operand.kind == OperandKind::kFunction || variable_index_.contains(out.operand.symbol);
}

bool Parser::address_operand(FunctionState& state, RawOperand& out) {
  tokens_.take();
  out.operand.kind = OperandKind::kAddress;
  if (tokens_.now().kind == TokenKind::kName && !tokens_.now().is("WARP_SZ")) {
    std::int32_t line = tokens_.now().line;
    std::string_view name = tokens_.take().text;
    RawOperand base;
    if (!name_meaning(state, name, base)) return tokens_.fail(line, fmt::format("`{}` is not declared", name));
    if (base.operand.kind == OperandKind::kRegister) {
      Type type = state.function.registers[static_cast<std::size_t>(base.operand.reg)].type;
      if (bits_of(type) != 32 && bits_of(type) != 64)
        return tokens_.fail(line, fmt::format("an address is 32 or 64 bits wide, `{}` is .{}", name, name_of(type)));
      out.operand.reg = base.operand.reg;
    } else {
      out.operand.symbol = base.operand.symbol;
    }
    if (!offset_of(out.operand.offset)) return false;
  } else {
    auto constant = parse_constant(tokens_);
    if (!constant) return false;
    out.operand.offset = constant->as_signed();
  }
  if (!tokens_.expect(']', "behind the address")) return false;
  tokens_.accept(".unified");
  return !tokens_.failed();
}

bool Parser::vector_operand(FunctionState& state, RawOperand& out) {
  tokens_.take();
  out.operand.kind = OperandKind::kVector;
  do {
    if (tokens_.now().is('{') || tokens_.now().is('['))
      return tokens_.fail("an element of a vector is a register or a constant, not " + tokens_.found());
    if (out.elements.size() >= kWidestVector) return tokens_.fail("the vector has too many elements");
    out.elements.emplace_back();
    if (!raw_operand(state, out.elements.back())) return false;
    out.refused |= out.elements.back().refused;
    if (out.elements.back().refused) out.operand.symbol = out.elements.back().operand.symbol;
  } while (tokens_.accept(','));
  return tokens_.expect('}', "behind the elements of the vector");
}

}  // namespace warpbook::ptx
