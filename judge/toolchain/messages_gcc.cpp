// Messages of gcc (and clang): `file:line:col: error: ...`. The excerpts and "In file included from" lines around them are left out:
// read_messages() shows the learner's own line.
#include <charconv>
#include <optional>

#include "judge/base/files.hpp"
#include "judge/toolchain/messages.hpp"

namespace warpbook::toolchain {
namespace {

/// Takes `:12` off the end of `text`.
int take_last_number(std::string_view& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon + 1 == text.size()) return 0;
  int number = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data() + colon + 1, end, number);
  if (read.ec != std::errc() || read.ptr != end) return 0;
  text = text.substr(0, colon);
  return number;
}

struct Mark {
  std::string_view text;
  Severity severity;
};
constexpr Mark kMarks[] = {{": fatal error: ", Severity::kError},
                           {": error: ", Severity::kError},
                           {": warning: ", Severity::kWarning},
                           {": note: ", Severity::kNote}};

std::optional<Diagnostic> read_line(std::string_view line) {
  for (const Mark& mark : kMarks) {
    const std::size_t at = line.find(mark.text);
    if (at == std::string_view::npos) continue;
    std::string_view place = line.substr(0, at);
    Diagnostic diagnostic;
    const int last = take_last_number(place), before = take_last_number(place);
    diagnostic.line = before > 0 ? before : last;
    diagnostic.column = before > 0 ? last : 0;
    if (diagnostic.line == 0) continue;
    diagnostic.file = place;
    diagnostic.severity = mark.severity;
    diagnostic.message = line.substr(at + mark.text.size());
    return diagnostic;
  }
  return std::nullopt;
}

}  // namespace

std::vector<Diagnostic> read_gcc(std::string_view said, const Text& text, bool columns_are_real) {
  std::vector<Diagnostic> diagnostics;
  for (const std::string& line : split_lines(said)) {
    if (line.starts_with(' ')) continue;  // an excerpt
    std::optional<Diagnostic> diagnostic = read_line(line);
    if (!diagnostic) continue;
    if (diagnostic->severity == Severity::kNote && diagnostic->file != text.shown_name) continue;
    if (!columns_are_real) diagnostic->column = 0;
    diagnostics.push_back(std::move(*diagnostic));
  }
  return diagnostics;
}

}  // namespace warpbook::toolchain
