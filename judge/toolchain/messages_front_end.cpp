// Messages of nvcc's front ends (cudafe++ and cicc share one).
//
//   exercise.cu(3): error: no instance of overloaded function "..." matches the argument list
//               argument types are: (const char [2])                         <- continues the message
//     void f() { v.push_back("x"); }                                         <- the line after preprocessing
//                  ^
//             detected during instantiation of class "..." at line 3 of exercise.cu
//
// A template that fails deep inside a library header is reported at the learner's line that led there: the last "at line N of FILE"
// that names the learner's file. Only the first such message of a line is kept; the rest are echoes.
#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "judge/base/files.hpp"
#include "judge/base/text.hpp"
#include "judge/toolchain/messages.hpp"

namespace warpbook::toolchain {
namespace {

constexpr std::size_t kIndent = 2;      // before the source line and the caret
constexpr std::size_t kDeepIndent = 8;  // before what continues a message

struct Head {
  Diagnostic diagnostic;
  bool at_end = false;  ///< "At end of source"
};

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// Takes `word` off the front of `text`.
bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

std::optional<Severity> take_severity(std::string_view& text) {
  if (take(text, "error") || take(text, "catastrophic error") || take(text, "internal error")) return Severity::kError;
  if (take(text, "warning")) return Severity::kWarning;
  if (take(text, "note") || take(text, "remark")) return Severity::kNote;
  return std::nullopt;
}

/// The rest behind the place: `error #20-D: message`.
bool read_rest(std::string_view rest, Diagnostic& diagnostic) {
  const std::optional<Severity> severity = take_severity(rest);
  if (!severity) return false;
  if (take(rest, " #")) rest.remove_prefix(std::min(rest.find(':'), rest.size()));
  if (!take(rest, ": ")) return false;
  diagnostic.severity = *severity;
  diagnostic.message = rest;
  return true;
}

std::optional<Head> read_head(std::string_view line) {
  Head head;
  if (std::string_view rest = line; take(rest, "At end of source: ") && read_rest(rest, head.diagnostic)) {
    head.at_end = true;
    return head;
  }
  for (std::size_t close = line.find("): "); close != std::string_view::npos; close = line.find("): ", close + 1)) {
    const std::size_t open = line.rfind('(', close);
    if (open == std::string_view::npos || open == 0) continue;
    const std::string_view digits = line.substr(open + 1, close - open - 1);
    const auto number = std::from_chars(digits.data(), digits.data() + digits.size(), head.diagnostic.line);
    if (number.ec != std::errc() || number.ptr != digits.data() + digits.size()) continue;
    head.diagnostic.file = line.substr(0, open);
    if (read_rest(line.substr(close + 3), head.diagnostic)) return head;
  }
  return std::nullopt;
}

bool is_caret(std::string_view line) {
  const std::size_t caret = line.find('^');
  return caret != std::string_view::npos && line.find_first_not_of(" ^") == std::string_view::npos &&
         line.find('^', caret + 1) == std::string_view::npos;
}

/// N of the last "at line N of shown_name" in `lines`; 0 when none names it.
int line_that_led_here(const std::vector<std::string>& lines, const std::string& shown_name) {
  int found = 0;
  for (const std::string& line : lines) {
    const std::size_t at = line.rfind("at line ");
    const std::string ending = " of " + shown_name;
    if (at == std::string::npos || !line.ends_with(ending)) continue;
    std::from_chars(line.data() + at + 8, line.data() + line.size(), found);
  }
  return found;
}

/// Reads one message and the lines that belong to it.
class Block {
 public:
  Block(Head head, std::vector<std::string> lines, const Text& text) : head_(std::move(head)), lines_(std::move(lines)), text_(text) {}

  Diagnostic read(bool& relocated) {
    Diagnostic& diagnostic = head_.diagnostic;
    const auto caret = std::find_if(lines_.begin(), lines_.end(), is_caret);
    const auto source = caret == lines_.end() || caret == lines_.begin() ? lines_.end() : caret - 1;
    for (auto line = lines_.begin(); line != lines_.end() && line != source; ++line)
      if (line->starts_with(std::string(kDeepIndent, ' ')) && line->find("detected during") == std::string::npos)
        diagnostic.message += "; " + std::string(trimmed(*line));
      else break;
    if (head_.at_end) {
      diagnostic.file = text_.shown_name;
      diagnostic.line = static_cast<int>(text_.lines.size());
      diagnostic.message += " (at the end of the file)";
      return diagnostic;
    }
    if (diagnostic.file == text_.shown_name) {
      if (source != lines_.end()) place_caret(*source, caret->find('^'));
      return diagnostic;
    }
    if (const int line = line_that_led_here(lines_, text_.shown_name); line > 0) {
      relocated = true;
      diagnostic.message += " (in " + base_name(diagnostic.file) + ":" + std::to_string(diagnostic.line) + ", which this line led to)";
      diagnostic.file = text_.shown_name;
      diagnostic.line = line;
      return diagnostic;
    }
    if (source != lines_.end() && source->size() > kIndent) diagnostic.source_line = source->substr(kIndent);
    return diagnostic;
  }

 private:
  void place_caret(const std::string& printed, std::size_t caret) {
    const auto number = static_cast<std::size_t>(head_.diagnostic.line);
    if (number < 1 || number > text_.lines.size() || caret < kIndent || printed.size() < kIndent) return;
    head_.diagnostic.column = column_in_source(printed.substr(kIndent), static_cast<int>(caret - kIndent) + 1, text_.lines[number - 1]);
  }

  Head head_;
  std::vector<std::string> lines_;
  const Text& text_;
};

}  // namespace

std::vector<Diagnostic> read_front_end(std::string_view said, const Text& text) {
  std::vector<Diagnostic> diagnostics;
  std::set<int> led_here;  // learner's lines that already have a message from a header
  const std::vector<std::string> lines = split_lines(said);
  for (std::size_t i = 0; i < lines.size();) {
    std::optional<Head> head = read_head(lines[i++]);
    if (!head) continue;
    const std::size_t begin = i;
    while (i < lines.size() && !lines[i].empty() && !read_head(lines[i])) ++i;
    bool relocated = false;
    Diagnostic diagnostic =
        Block(std::move(*head), {lines.begin() + static_cast<std::ptrdiff_t>(begin), lines.begin() + static_cast<std::ptrdiff_t>(i)}, text)
            .read(relocated);
    if (relocated && !led_here.insert(diagnostic.line).second) continue;
    // Notes that point into headers ("declared here") help nobody who fills a blank.
    if (diagnostic.severity == Severity::kNote && diagnostic.file != text.shown_name) continue;
    diagnostics.push_back(std::move(diagnostic));
  }
  return diagnostics;
}

}  // namespace warpbook::toolchain
