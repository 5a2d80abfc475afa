// Module level: version and target, then variables, functions and debugging information in any order.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "judge/ptx/parse_state.hpp"
#include "judge/ptx/parser.hpp"

namespace warpbook::ptx {

Result<Module> parse(std::string_view ptx) { return Parser(ptx).run(); }

Result<Module> Parser::run() {
  module_.files.emplace_back();
  if (!tokens_.failed() && !tokens_.now().is(".version")) tokens_.fail("a PTX module opens with `.version`, not " + tokens_.found());
  while (!tokens_.failed() && !tokens_.at_end()) module_item();
  if (!tokens_.failed() && module_.target == 0) tokens_.fail("the module has no `.target`");
  if (!tokens_.failed()) finish_aliases();
  if (tokens_.failed()) return tokens_.error();
  locations_.fill_in_names(module_);
  return std::move(module_);
}

bool Parser::module_item() {
  Linkage linkage;
  while (true) {
    if (tokens_.accept(".extern")) linkage.external = true;
    else if (tokens_.accept(".visible") || tokens_.accept(".weak") || tokens_.accept(".common")) linkage.visible = true;
    else break;
  }
  if (tokens_.accept(".entry")) return function(true, linkage);
  if (tokens_.accept(".func")) return function(false, linkage);
  if (tokens_.accept(".global")) return variable_list(Space::kGlobal, linkage, nullptr);
  if (tokens_.accept(".const")) return variable_list(Space::kConst, linkage, nullptr);
  if (tokens_.accept(".shared")) return variable_list(Space::kShared, linkage, nullptr);
  if (tokens_.accept(".tex")) return variable_list(Space::kGlobal, linkage, nullptr);
  if (tokens_.accept(".version")) return version();
  if (tokens_.accept(".target")) return target();
  if (tokens_.accept(".address_size")) {
    constexpr std::uint64_t kBits = 64;
    auto size = tokens_.expect_integer("the size of an address");
    return size && (*size == kBits || tokens_.fail(fmt::format("addresses are {} bits wide; only 64 are supported", *size)));
  }
  if (tokens_.accept(".file")) return file();
  if (tokens_.accept(".section")) return section();
  if (tokens_.accept(".loc")) return loc();
  if (tokens_.accept(".pragma")) return pragma();
  if (tokens_.accept(".alias")) return alias();
  if (tokens_.accept(';')) return true;
  return tokens_.fail("a directive such as `.entry`, `.func` or `.global` should stand here, not " + tokens_.found());
}

bool Parser::version() {
  // The lexer reads 9.0 as a float; the digits are what counts.
  Token token = tokens_.take();
  const char *begin = token.text.data(), *end = begin + token.text.size();
  auto [dot, problem] = std::from_chars(begin, end, module_.version_major);
  bool good = token.kind == TokenKind::kFloat64 && problem == std::errc{} && dot != end && *dot == '.';
  if (good) good = std::from_chars(dot + 1, end, module_.version_minor).ec == std::errc{};
  return good || tokens_.fail(token.line, "a version such as 8.0 should stand behind `.version`");
}

bool Parser::target() {
  do {
    auto name = tokens_.expect_name("a target such as sm_80");
    if (!name) return false;
    std::size_t prefix = name->starts_with("sm_") ? 3 : name->starts_with("compute_") ? 8 : 0;
    if (prefix == 0) continue;  // texmode_independent, debug ...
    // Letters behind the number (sm_90a) are features of one chip.
    std::from_chars(name->data() + prefix, name->data() + name->size(), module_.target);
  } while (tokens_.accept(','));
  return true;
}

bool Parser::pragma() {
  do {
    if (tokens_.now().kind != TokenKind::kString) return tokens_.fail("a string should stand behind `.pragma`, not " + tokens_.found());
    tokens_.take();
  } while (tokens_.accept(','));
  return tokens_.expect(';', "behind `.pragma`");
}

bool Parser::alias() {
  auto name = tokens_.expect_name("the name of the alias");
  if (!name || !tokens_.expect(',', "between the alias and its function")) return false;
  auto of = tokens_.expect_name("the function behind the alias");
  if (!of) return false;
  aliases_.emplace_back(*name, *of);
  return tokens_.expect(';', "behind `.alias`");
}

void Parser::finish_aliases() {
  for (const auto& [name, of] : aliases_) {
    auto target = function_index_.find(of);
    if (target == function_index_.end()) {
      tokens_.fail(fmt::format("`.alias {}` names the function `{}`, which is not declared", name, of));
      return;
    }
    Function copy = module_.functions[target->second];
    copy.name = name;
    auto [known, fresh] = function_index_.try_emplace(name, module_.functions.size());
    if (fresh) module_.functions.push_back(std::move(copy));
    else module_.functions[known->second] = std::move(copy);
  }
}

}  // namespace warpbook::ptx
