// Messages of the linkers: GNU ld, gold, mold and lld each word it their way, and all name the function. The place is where the learner's
// file first uses that name.
#include <algorithm>

#include "judge/base/files.hpp"
#include "judge/toolchain/messages.hpp"

namespace warpbook::toolchain {
namespace {

/// "helper" of "ns::helper(float*)".
std::string_view plain_name(std::string_view symbol) {
  symbol = symbol.substr(0, symbol.find('('));
  symbol = symbol.substr(0, symbol.find('<'));
  const std::size_t scope = symbol.rfind("::");
  if (scope != std::string_view::npos) symbol = symbol.substr(scope + 2);
  const std::size_t blank = symbol.rfind(' ');  // the return type of a template
  return blank == std::string_view::npos ? symbol : symbol.substr(blank + 1);
}

std::string_view unquoted(std::string_view text) {
  while (!text.empty() && (text.front() == '`' || text.front() == '\'' || text.front() == '"')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == '\'' || text.back() == '"')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::vector<Diagnostic> read_linker(std::string_view said, const Text& text) {
  std::vector<Diagnostic> diagnostics;
  for (const std::string& line : split_lines(said))
    for (const std::string_view mark : {"undefined reference to ", "undefined symbol: "}) {
      const std::size_t at = line.find(mark);
      if (at == std::string::npos) continue;
      const std::string_view symbol = unquoted(std::string_view(line).substr(at + mark.size()));
      Diagnostic diagnostic;
      diagnostic.file = text.shown_name;
      diagnostic.line = line_of_name(plain_name(symbol), text);
      diagnostic.message = std::string(symbol) + " is declared and used but defined nowhere";
      const auto equal = [&](const Diagnostic& other) { return other.message == diagnostic.message; };
      if (std::none_of(diagnostics.begin(), diagnostics.end(), equal)) diagnostics.push_back(std::move(diagnostic));
    }
  return diagnostics;
}

}  // namespace warpbook::toolchain
