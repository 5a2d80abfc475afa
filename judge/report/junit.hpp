#pragma once
// A result as a JUnit file: one test suite a task, one test case a case of the task. Continuous integration systems show it.
#include <string>

#include "judge/grade/result.hpp"

namespace warpbook::report {

std::string render_junit(const grade::SubmissionResult& result);

}  // namespace warpbook::report
