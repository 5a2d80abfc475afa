#pragma once
// A result as a learner reads it in the terminal: one line a case, then each failure in full with its place in the source, then points.
#include <functional>
#include <string>

#include "judge/grade/result.hpp"
#include "judge/report/style.hpp"

namespace warpbook::report {

/// The text of a line of a file the learner knows, or empty.
using SourceLookup = std::function<std::string(const std::string& file, int line)>;

struct TerminalOptions {
  Style style;
  bool quiet = false;  ///< the verdict and the points only
  SourceLookup source;
  bool tell_mistake = false;  ///< the name of a known mistake too, not only the question about it
};

/// The whole report; ends with a newline.
std::string render_terminal(const grade::SubmissionResult& result, const TerminalOptions& options);

/// One fault: message, place with source line and caret, thread and block, who waits where.
std::string render_fault(const device::Fault& fault, const std::string& learner_file, const TerminalOptions& options, int indent);

/// "AC" in green, "WA" in red ...
std::string paint_verdict(grade::Verdict verdict, const Style& style);

}  // namespace warpbook::report
