#pragma once
// The sentence about passes over memory that follows each group of cases.
#include <string>

#include "judge/grade/result.hpp"

namespace warpbook::report {

/// "x read 2.00 times, y written 1.00 times: two passes; one is possible with the row in registers": of the largest case of the group that
/// has them. Empty when none has.
std::string passes_sentence(const grade::SubmissionResult& result, task::CaseKind kind);

}  // namespace warpbook::report
