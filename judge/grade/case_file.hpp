#pragma once
// A case as a file, and the program that launches a submission on it: what a profiler or a debugger needs, without the judge. The format
// stands in common/kernel/case_program.cuh, which reads it.
#include <string>

#include "judge/base/error.hpp"
#include "judge/grade/case_data.hpp"

namespace warpbook::grade {

/// The bytes of the case file.
std::string case_file(const CaseData& data);

/// The text of the program: the submission in `source` ("submission.cu"), its glue, and main(). `about` says what it is, in one line.
Result<std::string> case_program(const task::Task& task, const std::string& source, const std::string& about);

}  // namespace warpbook::grade
