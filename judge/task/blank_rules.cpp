// A blank is code inside code, and these rules keep it there. Each answers one way out: brackets that close what stands around the
// blank; a comment, string or raw string left open that swallows what follows; directives that redefine it; a backslash that joins
// the blank to the marker line; trigraphs, which some modes of some compilers still read. What remains is ordinary code, and that is
// the business of the compiler, the device and the cases.
#include "judge/task/blank_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "judge/task/place.hpp"

namespace warpbook::task {
namespace {

/// A rule broken at an offset from the start of the fill.
struct Breach {
  std::size_t offset = 0;
  std::string what;
  bool is_empty = false;
};

char closing_of(char opening) { return opening == '(' ? ')' : opening == '[' ? ']' : '}'; }
bool is_opening(const Token& token) { return token.is("(") || token.is("[") || token.is("{"); }
bool is_closing(const Token& token) { return token.is(")") || token.is("]") || token.is("}"); }

std::optional<Breach> unfilled(const std::vector<Token>& tokens, const BlankFill& fill) {
  const auto is_content = [](const Token& token) {
    return token.kind != TokenKind::kComment && !token.is(";") && !is_underscore_blank(token);
  };
  const bool no_content = std::none_of(tokens.begin(), tokens.end(), is_content);
  const auto underscores = std::find_if(tokens.begin(), tokens.end(), is_underscore_blank);
  if (!no_content && underscores == tokens.end()) return std::nullopt;
  const std::size_t offset = underscores != tokens.end() ? underscores->begin : tokens.empty() ? 0 : tokens.front().begin;
  if (!no_content) return Breach{offset, fmt::format("blank '{}' still holds {}", fill.name, underscores->text)};
  const std::string expected = !fill.is_region   ? "expected an expression"
                               : fill.lines == 1 ? "expected about 1 line"
                                                 : fmt::format("expected about {} lines", fill.lines);
  return Breach{offset, fmt::format("blank '{}' is empty, {}", fill.name, expected), true};
}

std::optional<Breach> joined_line(std::string_view content) {
  for (std::size_t at = content.find('\\'); at != std::string_view::npos; at = content.find('\\', at + 1)) {
    const std::size_t next = content.find_first_not_of(" \t\v\f\r", at + 1);
    if (next == std::string_view::npos || content[next] == '\n')
      return Breach{at, "a line of a blank ends in a backslash, which joins it to the next line; expected none"};
  }
  return std::nullopt;
}

std::optional<Breach> trigraph(std::string_view content) {
  constexpr std::string_view kThird = "=/'()!<>-";
  for (std::size_t at = content.find("??"); at != std::string_view::npos; at = content.find("??", at + 1)) {
    if (at + 2 < content.size() && kThird.find(content[at + 2]) != std::string_view::npos)
      return Breach{at, fmt::format("'{}' is a trigraph, expected plain characters", content.substr(at, 3))};
  }
  return std::nullopt;
}

std::optional<Breach> directive(const std::vector<Token>& tokens, const BlankFill& fill) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind != TokenKind::kDirective) continue;
    if (!fill.is_region) return Breach{tokens[i].begin, "a preprocessor directive in an expression blank, expected an expression"};
    std::size_t name = i + 1;
    while (name < tokens.size() && tokens[name].kind == TokenKind::kComment) ++name;
    const bool has_name = name < tokens.size() && tokens[name].kind != TokenKind::kDirectiveEnd;
    if (has_name && tokens[name].text == "pragma") continue;
    return Breach{tokens[i].begin,
                  fmt::format("preprocessor directive '#{}' in a blank, only #pragma may stand there", has_name ? tokens[name].text : "")};
  }
  return std::nullopt;
}

/// Brackets opened and not yet closed. Those of directives do not count: a directive ends with its line.
std::optional<Breach> unbalanced(const Token* begin, const Token* end, std::string_view name) {
  std::vector<const Token*> open;
  bool in_directive = false;
  for (const Token* token = begin; token != end; ++token) {
    if (token->kind == TokenKind::kDirective) in_directive = true;
    if (token->kind == TokenKind::kDirectiveEnd) in_directive = false;
    if (in_directive) continue;
    if (is_opening(*token)) open.push_back(token);
    if (!is_closing(*token)) continue;
    if (open.empty()) return Breach{token->begin, fmt::format("'{}' closes what blank '{}' did not open", token->text, name)};
    const char expected = closing_of(open.back()->text[0]);
    if (token->text[0] != expected) return Breach{token->begin, fmt::format("'{}' stands where '{}' is expected", token->text, expected)};
    open.pop_back();
  }
  if (open.empty()) return std::nullopt;
  return Breach{open.back()->begin,
                fmt::format("'{}' is not closed in blank '{}', expected '{}'", open.back()->text, name, closing_of(open.back()->text[0]))};
}

std::optional<Breach> ends_statement(const Token* begin, const Token* end) {
  int braces = 0;
  for (const Token* token = begin; token != end; ++token) {
    braces += token->is("{") ? 1 : token->is("}") ? -1 : 0;
    if (token->is(";") && braces == 0) return Breach{token->begin, "';' ends the statement around the blank, expected an expression"};
  }
  return std::nullopt;
}

std::optional<Breach> first_breach(std::string_view content, const BlankFill& fill) {
  const Tokens tokens = lex(content);
  if (auto breach = joined_line(content)) return breach;
  if (auto breach = trigraph(content)) return breach;
  if (tokens.fault) return Breach{tokens.fault->offset, tokens.fault->what};
  if (auto breach = unfilled(tokens.list, fill)) return breach;
  if (auto breach = directive(tokens.list, fill)) return breach;
  const Token* begin = tokens.list.data();
  const Token* end = begin + tokens.list.size();
  if (auto breach = unbalanced(begin, end, fill.name)) return breach;
  return fill.is_region ? std::nullopt : ends_statement(begin, end);
}

}  // namespace

std::optional<BrokenRule> broken_rule(std::string_view text, const std::string& file, const BlankFill& fill) {
  auto breach = first_breach(text.substr(fill.begin, fill.end - fill.begin), fill);
  if (!breach) return std::nullopt;
  // An empty region has no line of its own; the marker above it has.
  const bool is_gap = fill.is_region && fill.begin == fill.end && fill.begin > 0;
  const std::size_t offset = is_gap ? text.rfind('\n', fill.begin - 2) + 1 : fill.begin + breach->offset;
  return BrokenRule{error_at(text, offset, file, std::move(breach->what)), breach->is_empty};
}

bool is_expression(const Token* begin, const Token* end) {
  const auto is_directive = [](const Token& token) {
    return token.kind == TokenKind::kDirective || token.kind == TokenKind::kDirectiveEnd;
  };
  return !unbalanced(begin, end, "") && !ends_statement(begin, end) && std::none_of(begin, end, is_directive);
}

bool stays_on_device(std::string_view text, const BlankFill& fill) {
  // Whatever registers something with the runtime, makes host code, or depends on which half is compiled.
  static constexpr std::array<std::string_view, 12> kSeenByHost{
      "__host__",   "__global__",        "__device__",       "__constant__", "__managed__",       "__CUDA_ARCH__",
      "__CUDACC__", "__launch_bounds__", "__cluster_dims__", "_Pragma",      "__grid_constant__", "template"};
  if (fill.scope != BlankScope::kDevice || !fill.in_device_function) return false;
  const Tokens tokens = lex(text.substr(fill.begin, fill.end - fill.begin));
  for (std::size_t i = 0; i < tokens.list.size(); ++i) {
    const Token& token = tokens.list[i];
    if (token.kind == TokenKind::kWord && std::find(kSeenByHost.begin(), kSeenByHost.end(), token.text) != kSeenByHost.end()) return false;
    const bool launches = token.is("<<") && i + 1 < tokens.list.size() && tokens.list[i + 1].is("<");
    if (launches) return false;
    const bool is_pragma = token.kind == TokenKind::kDirective && i + 2 < tokens.list.size();
    if (is_pragma && tokens.list[i + 2].text != "unroll") return false;
  }
  return true;
}

}  // namespace warpbook::task
