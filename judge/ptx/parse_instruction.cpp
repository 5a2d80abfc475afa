// One instruction: label, guard, mnemonic with modifiers (judged by the table), operands (typed by the table), and calls.
#include <fmt/format.h>

#include "judge/ptx/parse_state.hpp"

namespace warpbook::ptx {
namespace {

constexpr std::size_t kLongestShown = 120;

// The newest version of PTX this table was made for: what a newer module says that the table lacks may be right.
constexpr int kNewestMajor = 9, kNewestMinor = 1;

}  // namespace

bool Parser::newer_than_table() const {
  return std::pair(module_.version_major, module_.version_minor) > std::pair(kNewestMajor, kNewestMinor);
}

bool Parser::fail_at(const Instruction& instruction, std::string what) {
  if (instruction.location >= 0) {
    const Frame& frame = module_.locations[static_cast<std::size_t>(instruction.location)].frames.front();
    auto file = static_cast<std::size_t>(frame.file);
    if (frame.file >= 0 && file < module_.files.size()) what += fmt::format(" ({}:{})", module_.files[file], frame.line);
  }
  return tokens_.fail(instruction.ptx_line, std::move(what));
}

bool Parser::instruction(FunctionState& state) {
  Instruction instruction;
  instruction.location = state.location;
  instruction.ptx_line = tokens_.now().line;
  if (tokens_.now().is('@') && !guard(state, instruction)) return false;
  if (tokens_.now().kind != TokenKind::kName) return tokens_.fail("an instruction should stand here, not " + tokens_.found());

  Token first = tokens_.take();
  if (tokens_.now().is(':') && instruction.guard < 0) {
    tokens_.take();
    return label(state, first.text);
  }
  instruction.spelling = first.text;
  while (tokens_.now().kind == TokenKind::kDotted) instruction.spelling += tokens_.take().text;
  const Shape* shape = nullptr;
  if (!opcode(state, instruction, shape)) return false;
  if (instruction.op == Opcode::kCall) {
    if (!call(state, instruction)) return false;
  } else if (shape != nullptr) {
    if (!operands(state, instruction, *shape)) return false;
  } else {
    // Of a refused instruction only the end matters.
    while (!tokens_.now().is(';') && !tokens_.at_end()) tokens_.take();
  }
  if (!tokens_.now().is(';')) {
    return fail_at(instruction, fmt::format("`;` should stand behind the operands of {}, not {}", instruction.spelling, tokens_.found()));
  }
  tokens_.take();
  state.function.body.push_back(std::move(instruction));
  return !tokens_.failed();
}

bool Parser::guard(FunctionState& state, Instruction& instruction) {
  tokens_.take();
  instruction.guard_negated = tokens_.accept('!');
  auto name = tokens_.expect_name("a predicate behind `@`");
  if (!name) return false;
  auto symbol = state.scopes.find(*name);
  if (!symbol || symbol->kind != Symbol::Kind::kRegister || symbol->type != Type::kPred) {
    return tokens_.fail(instruction.ptx_line, fmt::format("`{}` guards an instruction but is no predicate register", *name));
  }
  instruction.guard = symbol->index;
  return true;
}

bool Parser::opcode(FunctionState&, Instruction& instruction, const Shape*& shape) {
  auto [known, fresh] = understood_.try_emplace(instruction.spelling);
  Understood& understood = known->second;
  if (fresh) {
    std::string_view rest = instruction.spelling;
    std::vector<std::string_view> words;
    std::string_view mnemonic = rest.substr(0, rest.find('.'));
    rest.remove_prefix(mnemonic.size());
    while (!rest.empty()) {
      std::size_t next = rest.find('.', 1);
      words.push_back(rest.substr(1, next == std::string_view::npos ? next : next - 1));
      rest.remove_prefix(next == std::string_view::npos ? rest.size() : next);
    }
    const Entry* entry = entry_of(mnemonic);
    if (entry == nullptr) {
      understood.mod.other = instruction.spelling;
    } else if (is_refused(entry->op)) {
      understood.op = entry->op;
      understood.mod.other = instruction.spelling.substr(mnemonic.size());
    } else {
      Matched matched = match(*entry, words);
      if (matched.form == nullptr && !newer_than_table()) {
        std::string problem = fmt::format("{}, in `{}`", matched.problem, instruction.spelling);
        understood_.erase(known);
        return fail_at(instruction, std::move(problem));
      }
      if (matched.form == nullptr || matched.form->refused) {
        understood.mod.other = instruction.spelling;
      } else {
        understood.op = entry->op;
        understood.mod = std::move(matched.mod);
        understood.types = std::move(matched.types);
        understood.shape = &matched.form->shape;
      }
    }
  }
  instruction.op = understood.op;
  instruction.mod = understood.mod;
  instruction.types = understood.types;
  shape = understood.shape;
  return true;
}

bool Parser::refuse(Instruction& instruction, std::string text) {
  instruction.op = Opcode::kUnknown;
  instruction.mod = {};
  instruction.mod.other = std::move(text);
  instruction.types.clear();
  instruction.dst.clear();
  instruction.src.clear();
  return true;
}

bool Parser::operands(FunctionState& state, Instruction& instruction, const Shape& shape) {
  if (!shape.src.empty() && (shape.src.back().role == OperandRole::kLabel || shape.src.back().role == OperandRole::kLabelList)) {
    return label_operands(state, instruction, shape);
  }
  std::vector<RawOperand> raw;
  if (!tokens_.now().is(';')) {
    do {
      raw.emplace_back();
      if (!raw_operand(state, raw.back())) return false;
      if (!tokens_.accept('|')) continue;
      raw.emplace_back();
      if (!raw_operand(state, raw.back())) return false;
      raw.back().behind_bar = true;
    } while (tokens_.accept(','));
  }
  if (tokens_.failed()) return false;
  for (const RawOperand& operand : raw) {
    if (operand.refused) return refuse(instruction, fmt::format("{} of {}", instruction.spelling, operand.operand.symbol));
  }
  return assign_types(state, instruction, shape, raw);
}

bool Parser::label_operands(FunctionState& state, Instruction& instruction, const Shape& shape) {
  std::size_t index = state.function.body.size();
  if (shape.src.size() == 2) {
    std::vector<RawOperand> raw(1);
    Shape without_label;
    without_label.src.push_back(shape.src.front());
    if (!raw_operand(state, raw[0]) || !assign_types(state, instruction, without_label, raw)) return false;
    if (!tokens_.expect(',', "between index and targets")) return false;
  }
  auto name = tokens_.expect_name("a label");
  if (!name) return false;
  Operand operand;
  operand.kind = OperandKind::kLabel;
  operand.symbol = *name;
  instruction.src.push_back(std::move(operand));
  LabelScope& scope = state.label_scopes.back();
  (shape.src.back().role == OperandRole::kLabelList ? scope.list_uses : scope.branches).push_back({index, *name});
  return true;
}

bool Parser::call_list(FunctionState& state, std::vector<Operand>& list) {
  tokens_.take();
  if (tokens_.accept(')')) return true;
  do {
    RawOperand raw;
    if (!raw_operand(state, raw)) return false;
    if (raw.operand.kind == OperandKind::kRegister) {
      raw.operand.type = state.function.registers[static_cast<std::size_t>(raw.operand.reg)].type;
    } else if (raw.operand.kind == OperandKind::kImmediate) {
      // The callee's parameter decides how many of the bits count.
      raw.operand.type = raw.constant.kind == Constant::Kind::kFloat32 ? Type::kB32 : Type::kB64;
      raw.operand.bits = raw.constant.bits;
    } else if (raw.operand.kind != OperandKind::kSymbol && raw.operand.kind != OperandKind::kSink) {
      return tokens_.fail("a call passes registers, constants and .param variables");
    }
    list.push_back(std::move(raw.operand));
  } while (tokens_.accept(','));
  return tokens_.expect(')', "behind the arguments");
}

bool Parser::call(FunctionState& state, Instruction& instruction) {
  if (tokens_.now().is('(')) {
    if (!call_list(state, instruction.call_results) || !tokens_.expect(',', "behind the results of the call")) return false;
  }
  auto name = tokens_.expect_name("the function to call");
  if (!name) return false;
  Operand callee;
  auto symbol = state.scopes.find(*name);
  if (symbol && symbol->kind == Symbol::Kind::kRegister) {
    callee = register_operand(symbol->index);
    callee.type = symbol->type;
  } else if (function_index_.contains(std::string(*name))) {
    callee.kind = OperandKind::kFunction;
    callee.symbol = *name;
  } else {
    return fail_at(instruction, fmt::format("`{}` is called but no function of that name is declared", *name));
  }
  instruction.src.push_back(std::move(callee));
  if (!tokens_.accept(',')) return !tokens_.failed();
  if (tokens_.now().is('(')) {
    if (!call_list(state, instruction.call_arguments)) return false;
    if (!tokens_.accept(',')) return !tokens_.failed();
  }
  auto prototype = tokens_.expect_name("a prototype or a list of targets");
  if (!prototype) return false;
  instruction.call_prototype = *prototype;
  return true;
}

}  // namespace warpbook::ptx
