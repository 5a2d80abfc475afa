// Entries and functions: parameters, tuning directives, and the statements of the body with their nested scopes.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "judge/ptx/names.hpp"
#include "judge/ptx/parse_state.hpp"

namespace warpbook::ptx {
namespace {

constexpr std::size_t kDeepestScope = 256;
constexpr std::uint64_t kLargestParameter = 1u << 20;

std::uint32_t clamped(std::uint64_t value) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, std::numeric_limits<std::uint32_t>::max()));
}

bool ends_path(const Instruction& instruction) {
  if (instruction.guard >= 0) return false;
  switch (instruction.op) {
    case Opcode::kBra:
    case Opcode::kBrx:
    case Opcode::kRet:
    case Opcode::kExit:
    case Opcode::kTrap: return true;
    default: return false;
  }
}

}  // namespace

bool Parser::parameter(Parameter& parameter, FunctionState* state) {
  bool is_register = tokens_.accept(".reg");
  if (!is_register && !tokens_.accept(".param")) return tokens_.fail("`.param` or `.reg` should stand here, not " + tokens_.found());
  std::uint64_t alignment = 0;
  std::optional<Type> type;
  // `.align` stands before the type, or behind it as part of what a pointer points to (`.ptr .global .align 4`).
  bool pointer = false;
  while (tokens_.now().kind == TokenKind::kDotted) {
    if (tokens_.accept(".align")) {
      auto value = tokens_.expect_integer("an alignment");
      if (!value) return false;
      if (*value == 0 || (*value & (*value - 1)) != 0 || *value > kLargestParameter) return tokens_.fail("an alignment is a power of two");
      if (!pointer) alignment = *value;
    } else if (tokens_.accept(".ptr")) {
      pointer = true;
    } else if (pointer &&
               (tokens_.accept(".global") || tokens_.accept(".const") || tokens_.accept(".local") || tokens_.accept(".shared"))) {
    } else {
      type = expect_type("in a parameter");
      if (!type) return false;
    }
  }
  if (!type) return tokens_.fail("the parameter has no type");
  auto name = tokens_.expect_name("the name of the parameter");
  if (!name) return false;
  std::uint64_t count = 1;
  bool open = false;
  if (!dimensions(count, open)) return false;
  std::uint64_t width = static_cast<std::uint64_t>(std::max(bits_of(*type), 8)) / 8;
  if (count * width > kLargestParameter) return tokens_.fail("the parameter is larger than 1 MiB");
  parameter.name = *name;
  parameter.type = *type;
  parameter.alignment = clamped(alignment == 0 ? width : alignment);
  parameter.bytes = open ? 0 : clamped(count * width);
  if (state == nullptr) return true;
  Symbol symbol{Symbol::Kind::kParameter, *type, -1, 1};
  if (is_register) {
    parameter.reg = symbol.index = state->scopes.make_register(*name, *type);
    symbol.kind = Symbol::Kind::kRegister;
  }
  if (!state->scopes.declare(*name, symbol)) return tokens_.fail(fmt::format("the parameter `{}` is declared twice", *name));
  return true;
}

bool Parser::parameter_list(std::vector<Parameter>& parameters, FunctionState& state) {
  if (!tokens_.expect('(', "before the parameters")) return false;
  if (tokens_.accept(')')) return true;
  std::uint64_t offset = 0;
  do {
    Parameter next;
    if (!parameter(next, &state)) return false;
    offset = (offset + next.alignment - 1) / next.alignment * next.alignment;
    next.offset = clamped(offset);
    offset += next.bytes;
    if (offset > kLargestParameter) return tokens_.fail("the parameters are larger than 1 MiB");
    parameters.push_back(std::move(next));
  } while (tokens_.accept(','));
  return tokens_.expect(')', "behind the parameters");
}

bool Parser::tuning_directive(Function& function, bool& recognised) {
  recognised = true;
  auto numbers = [&](std::uint32_t* into, int most) {
    for (int i = 0; i < most; ++i) {
      auto value = tokens_.expect_integer("a number");
      if (!value) return false;
      into[i] = clamped(*value);
      if (!tokens_.accept(',')) return true;
    }
    return !tokens_.failed();
  };
  std::uint32_t dims[3] = {1, 1, 1};
  if (tokens_.accept(".maxntid")) {
    if (!numbers(dims, 3)) return false;
    unsigned __int128 product = static_cast<unsigned __int128>(dims[0]) * dims[1] * dims[2];
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
    function.max_threads = product > kMost ? static_cast<std::uint32_t>(kMost) : static_cast<std::uint32_t>(product);
    return true;
  }
  if (tokens_.accept(".reqntid")) {
    if (!numbers(dims, 3)) return false;
    std::copy(dims, dims + 3, function.required_threads);
    return true;
  }
  if (tokens_.accept(".minnctapersm")) return numbers(&function.min_blocks, 1);
  for (std::string_view with_numbers :
       {".maxnctapersm", ".maxnreg", ".reqnctapercluster", ".maxclusterrank", ".abi_preserve", ".abi_preserve_control"}) {
    if (tokens_.accept(with_numbers)) return numbers(dims, 3);
  }
  for (std::string_view alone : {".noreturn", ".explicitcluster", ".blocksareclusters", ".unique"}) {
    if (tokens_.accept(alone)) return true;
  }
  if (tokens_.accept(".pragma")) return pragma();
  bool managed = false;
  if (tokens_.accept(".attribute")) return attributes(managed);
  recognised = false;
  return true;
}

bool Parser::function(bool entry, const Linkage& linkage) {
  Function result;
  FunctionState state(result);
  state.scopes.open();
  result.entry = entry;
  result.external = true;
  bool recognised = true;
  while (recognised && tokens_.now().kind == TokenKind::kDotted) {
    if (!tuning_directive(result, recognised)) return false;
  }
  if (!entry && tokens_.now().is('(') && !parameter_list(result.results, state)) return false;
  std::int32_t line = tokens_.now().line;
  auto name = tokens_.expect_name("the name of the function");
  if (!name) return false;
  result.name = *name;
  if (tokens_.now().is('(') && !parameter_list(result.parameters, state)) return false;
  recognised = true;
  while (recognised && tokens_.now().kind == TokenKind::kDotted) {
    if (!tuning_directive(result, recognised)) return false;
  }

  auto [known, fresh] = function_index_.try_emplace(result.name, module_.functions.size());
  std::size_t index = known->second;
  if (fresh) module_.functions.push_back(result);
  if (tokens_.accept(';')) return true;
  if (linkage.external && !tokens_.now().is('{')) return tokens_.fail("`;` should end the declaration, not " + tokens_.found());
  if (!module_.functions[index].external) return tokens_.fail(line, fmt::format("the function `{}` is defined twice", *name));
  result.external = false;
  if (!fresh) module_.functions[index].parameters = result.parameters;
  current_ = &state;
  bool good = body(state);
  current_ = nullptr;
  if (!good) return false;
  module_.functions[index] = std::move(result);
  return true;
}

bool Parser::body(FunctionState& state) {
  if (!tokens_.expect('{', "before the body of the function")) return false;
  state.scopes.open();
  state.label_scopes.emplace_back();
  const std::size_t outermost = state.scopes.depth();
  while (!tokens_.failed()) {
    watches(state);
    if (tokens_.at_end()) return tokens_.fail("the body of the function never ends: `}` is missing");
    if (tokens_.accept('{')) {
      if (state.label_scopes.size() >= kDeepestScope) return tokens_.fail("scopes are nested too deep");
      state.scopes.open();
      state.label_scopes.emplace_back();
    } else if (tokens_.accept('}')) {
      bool last = state.scopes.depth() == outermost;
      if (!close_labels(state)) return false;
      state.scopes.close();
      if (!last) continue;
      close_body(state);
      return !tokens_.failed();
    } else if (!statement(state)) {
      return false;
    }
  }
  return false;
}

/// Notes that were met on the way to the current token: "f32 mine.x = %f81". One that names no register says nothing.
void Parser::watches(FunctionState& state) {
  constexpr std::string_view kTies = " = ";
  while (const std::optional<Note> note = tokens_.take_note()) {
    const std::string_view text = note->text.substr(0, note->text.find_last_not_of(" \r;") + 1);
    const std::size_t space = text.find(' '), ties = text.rfind(kTies);
    if (space == std::string_view::npos || ties == std::string_view::npos || ties <= space) continue;
    const std::optional<Symbol> symbol = state.scopes.find(text.substr(ties + kTies.size()));
    if (!symbol || symbol->kind != Symbol::Kind::kRegister) continue;
    Watch watch;
    watch.type = text.substr(0, space);
    watch.name = text.substr(space + 1, ties - space - 1);
    watch.reg = symbol->index;
    watch.before = static_cast<std::int32_t>(state.function.body.size());
    watch.location = state.location;
    state.function.watches.push_back(std::move(watch));
  }
}

bool Parser::statement(FunctionState& state) {
  if (tokens_.accept(';')) return true;
  if (tokens_.now().kind == TokenKind::kDotted) return local_directive(state);
  return instruction(state);
}

bool Parser::local_directive(FunctionState& state) {
  if (tokens_.accept(".loc")) {
    bool good = loc();
    if (state.function.location < 0) state.function.location = state.location;
    return good;
  }
  if (tokens_.accept(".reg")) return registers(state);
  if (tokens_.accept(".param")) return variable_list(Space::kParam, {}, &state);
  if (tokens_.accept(".local")) return variable_list(Space::kLocal, {}, &state);
  if (tokens_.accept(".shared")) return variable_list(Space::kShared, {}, &state);
  if (tokens_.accept(".global")) return variable_list(Space::kGlobal, {}, &state);
  if (tokens_.accept(".const")) return variable_list(Space::kConst, {}, &state);
  if (tokens_.accept(".pragma")) return pragma();
  if (tokens_.accept(".file")) return file();
  if (tokens_.accept(".section")) return section();
  if (tokens_.accept(".extern")) {
    if (!tokens_.accept(".shared")) return tokens_.fail("`.shared` should stand behind `.extern`, not " + tokens_.found());
    return variable_list(Space::kShared, {.external = true}, &state);
  }
  return tokens_.fail("an instruction or a declaration should stand here, not " + tokens_.found());
}

bool Parser::registers(FunctionState& state) {
  std::uint32_t vector = tokens_.accept(".v2") ? 2 : tokens_.accept(".v4") ? 4 : 1;
  auto type = expect_type("behind `.reg`");
  if (!type) return false;
  do {
    auto name = tokens_.expect_name("the name of a register");
    if (!name) return false;
    bool fresh = false;
    if (tokens_.accept('<')) {
      auto count = tokens_.expect_integer("the number of registers");
      if (!count || !tokens_.expect('>', "behind the number of registers")) return false;
      if (vector != 1) return tokens_.fail("vectors of registers cannot be numbered");
      fresh = state.scopes.declare_range(*name, *type, clamped(*count));
    } else {
      Symbol symbol{vector == 1 ? Symbol::Kind::kRegister : Symbol::Kind::kVectorRegister, *type, -1, vector};
      symbol.index = state.scopes.make_register(*name, *type);
      for (std::uint32_t i = 1; i < vector; ++i) state.scopes.make_register(*name, *type);
      fresh = state.scopes.declare(*name, symbol);
    }
    if (!fresh) return tokens_.fail(fmt::format("`{}` is declared twice in this scope", *name));
  } while (tokens_.accept(','));
  return tokens_.expect(';', "behind the registers");
}

void Parser::declare_variable(FunctionState& state, std::string_view name, Variable variable) {
  std::string base(name);
  int& uses = state.variable_uses[base];
  bool taken_outside = variable_index_.contains(base) || function_index_.contains(base);
  if (uses == 0 && taken_outside) ++uses;
  variable.name = unique_name(name, ++uses);
  Symbol symbol{Symbol::Kind::kVariable, variable.type, static_cast<std::int32_t>(state.function.variables.size()), 1};
  if (!state.scopes.declare(name, symbol)) tokens_.fail(fmt::format("`{}` is declared twice in this scope", name));
  state.function.variables.push_back(std::move(variable));
}

bool Parser::call_prototype() {
  // What an indirect call passes stands at the call itself; the prototype only has to be well formed.
  auto list = [&] {
    if (!tokens_.expect('(', "before the parameters of the prototype")) return false;
    if (tokens_.accept(')')) return true;
    do {
      Parameter ignored;
      if (!parameter(ignored, nullptr)) return false;
    } while (tokens_.accept(','));
    return tokens_.expect(')', "behind the parameters of the prototype");
  };
  if (tokens_.now().is('(') && !list()) return false;
  if (!tokens_.expect_name("`_`")) return false;
  if (tokens_.now().is('(') && !list()) return false;
  Function ignored;
  bool recognised = true;
  while (recognised && tokens_.now().kind == TokenKind::kDotted) {
    if (!tuning_directive(ignored, recognised)) return false;
  }
  return tokens_.expect(';', "behind the prototype");
}

void Parser::close_body(FunctionState& state) {
  Function& function = state.function;
  auto end = static_cast<std::int32_t>(function.body.size());
  bool falls_off = function.body.empty() || !ends_path(function.body.back());
  for (const auto& [name, target] : function.labels) falls_off |= target == end;
  if (!falls_off) return;
  Instruction last;
  last.op = Opcode::kRet;
  last.spelling = "ret";
  last.location = state.location;
  last.ptx_line = tokens_.now().line;
  function.body.push_back(std::move(last));
}

}  // namespace warpbook::ptx
