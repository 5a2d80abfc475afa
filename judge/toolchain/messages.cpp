#include "judge/toolchain/messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "judge/base/error.hpp"
#include "judge/base/files.hpp"

namespace warpbook::toolchain {
namespace {

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  if (what.empty()) return;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The line with comments and the insides of strings blanked out, so that words in them are not found.
std::string code_only(std::string_view line) {
  std::string code(line);
  char quote = '\0';
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (quote != '\0') {
      if (code[i] == '\\' && i + 1 < code.size()) code[i++] = ' ';
      else if (code[i] == quote) quote = '\0';
      if (quote != '\0') code[i] = ' ';
    } else if (code[i] == '"' || code[i] == '\'') {
      quote = code[i];
    } else if (code.compare(i, 2, "//") == 0) {
      std::fill(code.begin() + static_cast<std::ptrdiff_t>(i), code.end(), ' ');
    } else if (code.compare(i, 2, "/*") == 0) {
      const std::size_t close = code.find("*/", i + 2);
      const std::size_t end = close == std::string::npos ? code.size() : close + 2;
      std::fill(code.begin() + static_cast<std::ptrdiff_t>(i), code.begin() + static_cast<std::ptrdiff_t>(end), ' ');
      i = end - 1;
    }
  }
  return code;
}

/// Where the n-th (from 0) occurrence of `token` starts; words count only when they are whole.
std::size_t find_token(std::string_view code, std::string_view token, int n) {
  for (std::size_t at = code.find(token); at != std::string_view::npos; at = code.find(token, at + 1)) {
    const bool glued =
        is_word(token[0]) && ((at > 0 && is_word(code[at - 1])) || (at + token.size() < code.size() && is_word(code[at + token.size()])));
    if (!glued && n-- == 0) return at;
  }
  return std::string_view::npos;
}

bool same(const Diagnostic& a, const Diagnostic& b) {
  return a.severity == b.severity && a.file == b.file && a.line == b.line && a.message == b.message;
}

/// The glue is the judge's own text: a learner has no such lines, but the fault shows there, e.g. when the launch function is missing.
void move_out_of_glue(Diagnostic& diagnostic, const Text& text) {
  if (diagnostic.file != kGlueName) return;
  diagnostic.file = text.shown_name;
  diagnostic.line = static_cast<int>(text.lines.size());
  diagnostic.column = 0;
  diagnostic.source_line.clear();
  diagnostic.message += " (found where the judge calls this file's functions, after its last line)";
}

}  // namespace

int column_in_source(std::string_view printed, int column, std::string_view line) {
  const auto at = static_cast<std::size_t>(column - 1);
  if (column < 1 || at >= printed.size()) return 0;
  std::string plain(line);
  std::replace(plain.begin(), plain.end(), '\t', ' ');
  if (plain == printed) return column;
  std::size_t end = at + 1;
  if (is_word(printed[at]))
    while (end < printed.size() && is_word(printed[end])) ++end;
  const std::string_view token = printed.substr(at, end - at);
  if (token == " ") return 0;
  const std::string before = code_only(printed);
  int ordinal = 0;
  while (true) {
    const std::size_t found = find_token(before, token, ordinal);
    if (found == std::string_view::npos || found > at) return 0;
    if (found == at) break;
    ++ordinal;
  }
  const std::size_t found = find_token(code_only(line), token, ordinal);
  return found == std::string_view::npos ? 0 : static_cast<int>(found) + 1;
}

int line_of_name(std::string_view name, const Text& text) {
  if (name.empty()) return 0;
  for (std::size_t i = 0; i < text.lines.size(); ++i)
    if (find_token(code_only(text.lines[i]), name, 0) != std::string_view::npos) return static_cast<int>(i) + 1;
  return 0;
}

std::string presentable(std::string_view said, const Text& text) {
  std::string shown(said);
  replace_all(shown, text.scratch + "/", "");
  replace_all(shown, text.scratch, ".");
  replace_all(shown, "\u2018", "'");
  replace_all(shown, "\u2019", "'");
  return shown;
}

std::vector<Diagnostic> read_messages(const std::vector<Said>& said, const Text& text) {
  std::vector<Diagnostic> all;
  for (const Said& piece : said) {
    const std::string shown = presentable(piece.text, text);
    std::vector<Diagnostic> read;
    switch (piece.who) {
      case Speaker::kFrontEnd: read = read_front_end(shown, text); break;
      case Speaker::kPreprocessor: read = read_gcc(shown, text, true); break;
      // The host compiler sees text that cudafe++ wrote: its lines are the learner's, its columns are not.
      case Speaker::kHostCompiler: read = read_gcc(shown, text, false); break;
      case Speaker::kAssembler: read = read_ptxas(shown, text); break;
      case Speaker::kLinker: read = read_linker(shown, text); break;
      case Speaker::kDriver:
        // nvcc passes on what its tools say, in this order.
        read = read_gcc(shown, text, true);
        for (const auto& more : {read_front_end(shown, text), read_ptxas(shown, text), read_linker(shown, text)})
          read.insert(read.end(), more.begin(), more.end());
        break;
    }
    for (Diagnostic& diagnostic : read) {
      move_out_of_glue(diagnostic, text);
      if (diagnostic.file == text.shown_name && diagnostic.line >= 1 && diagnostic.line <= static_cast<int>(text.lines.size()))
        diagnostic.source_line = text.lines[static_cast<std::size_t>(diagnostic.line) - 1];
      if (std::none_of(all.begin(), all.end(), [&](const Diagnostic& other) { return same(other, diagnostic); }))
        all.push_back(std::move(diagnostic));
    }
  }
  return all;
}

std::string Diagnostic::text() const {
  const char* const words[] = {"error", "warning", "note"};
  std::string head;
  if (!file.empty())
    head += file + (line > 0 ? fmt::format(":{}", line) : "") + (line > 0 && column > 0 ? fmt::format(":{}", column) : "") + ": ";
  head += fmt::format("{}: {}", words[static_cast<int>(severity)], message);
  // The lines below it look as in every other message of the judge.
  const std::string whole = Error{"", {file, line, column}, source_line}.text();
  const std::size_t below = source_line.empty() ? std::string::npos : whole.find('\n');
  return below == std::string::npos ? head : head + whole.substr(below);
}

}  // namespace warpbook::toolchain
