// Messages of the assembler. It knows lines of PTX, or only a kernel's mangled name; both lead back to the learner through the line
// table (line_table.hpp).
#include <cxxabi.h>

#include <cctype>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <optional>

#include "judge/base/files.hpp"
#include "judge/base/text.hpp"
#include "judge/toolchain/line_table.hpp"
#include "judge/toolchain/messages.hpp"

namespace warpbook::toolchain {
namespace {

std::optional<Severity> severity_of(std::string_view word) {
  if (word == "error" || word == "fatal") return Severity::kError;
  if (word == "warning") return Severity::kWarning;
  return std::nullopt;  // "info"
}

/// PTX line (from 1) on which the kernel or function called `name` begins; 0 when it does not.
int line_of_function(std::string_view ptx, const std::string& name) {
  int number = 0;
  for (const std::string& line : split_lines(ptx)) {
    ++number;
    const bool head = line.find(".entry") != std::string::npos || line.find(".func") != std::string::npos;
    if (head && line.find(name) != std::string::npos) return number;
  }
  return 0;
}

/// "kernel(float*)" for "_Z6kernelPf"; a name that is not mangled as it is.
std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? text.get() : name;
}

/// Makes 'names' in quotes readable; returns the first that is a function of the PTX.
std::string make_names_readable(std::string& message, std::string_view ptx) {
  std::string function;
  for (std::size_t open = message.find('\''); open != std::string::npos;) {
    const std::size_t close = message.find('\'', open + 1);
    if (close == std::string::npos) break;
    const std::string name = message.substr(open + 1, close - open - 1);
    if (function.empty() && !name.empty() && line_of_function(ptx, name) > 0) function = name;
    const std::string readable = demangled(name);
    message.replace(open + 1, name.size(), readable);
    open = message.find('\'', open + readable.size() + 2);
  }
  return function;
}

/// "Entry function" -> "entry function", but "PTX ..." stays.
void lower_first_letter(std::string& message) {
  if (message.size() > 1 && std::islower(static_cast<unsigned char>(message[1])) != 0)
    message[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(message[0])));
}

}  // namespace

std::vector<Diagnostic> read_ptxas(std::string_view said, const Text& text) {
  constexpr std::string_view kTool = "ptxas";
  std::vector<Diagnostic> diagnostics;
  for (const std::string& full : split_lines(said)) {
    if (!full.starts_with(kTool)) continue;
    // "ptxas error   : message"   "ptxas FILE, line 45; error   : message"
    const std::string_view line = std::string_view(full).substr(kTool.size());
    const std::size_t colon = line.find(" : ");
    if (colon == std::string_view::npos) continue;
    std::string_view head = trimmed(line.substr(0, colon));
    int ptx_line = 0;
    constexpr std::string_view kLine = ", line ";
    if (const std::size_t at = head.rfind(kLine); at != std::string_view::npos) {
      const std::size_t semicolon = head.find(';', at);
      if (semicolon == std::string_view::npos) continue;
      std::from_chars(head.data() + at + kLine.size(), head.data() + semicolon, ptx_line);
      head = trimmed(head.substr(semicolon + 1));
    }
    const std::optional<Severity> severity = severity_of(head);
    if (!severity) continue;
    Diagnostic diagnostic;
    diagnostic.severity = *severity;
    diagnostic.message = trimmed(line.substr(colon + 3));
    if (diagnostic.message.starts_with("Ptx assembly aborted")) continue;  // says only that there were others
    const std::string function = make_names_readable(diagnostic.message, text.ptx);
    lower_first_letter(diagnostic.message);
    if (ptx_line == 0 && !function.empty()) ptx_line = line_of_function(text.ptx, function);
    const SourceLine source = ptx_line > 0 ? source_of(text.ptx, ptx_line, text.shown_name) : SourceLine{};
    diagnostic.file = source.line > 0 ? source.file : text.shown_name;
    diagnostic.line = source.line;
    diagnostic.message += " (from the assembler, ptxas)";
    diagnostics.push_back(std::move(diagnostic));
  }
  return diagnostics;
}

}  // namespace warpbook::toolchain
