#pragma once
// What a kernel cost, as a learner reads it: the source with counts in its margin, then each kernel with what it asked of memory.
#include <string>

#include "judge/report/terminal.hpp"

namespace warpbook::report {

/// The meters of one case: of `case_name`, or where that is empty of the largest normal case that ran. Ends with a newline; empty when no
/// case has meters. At most 140 columns.
std::string render_meters(const grade::SubmissionResult& result, const std::string& case_name, const TerminalOptions& options);

}  // namespace warpbook::report
