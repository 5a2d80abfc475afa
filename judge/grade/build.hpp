#pragma once
// Inside of judge/grade: from a submission to something that runs.
#include <optional>
#include <string>

#include "judge/grade/submission.hpp"
#include "judge/task/splice.hpp"

namespace warpbook::grade {

/// A result that says what is judged, and nothing yet of how it went.
SubmissionResult begin_result(const task::Task& task, const Submission& submission, const GradeOptions& options);
/// The same result, ended.
SubmissionResult end_result(SubmissionResult r, Verdict verdict, Reason reason, std::string message);

/// A message of the compiler as part of a result.
Finding finding_of(const toolchain::Diagnostic& message);

/// The text to compile. When it cannot be had, `r` says why and nothing is returned.
std::optional<task::SplicedSource> take_blanks(SubmissionResult& r, const task::Task& task, const Submission& submission);

/// What the toolchain is given for a text. Errors are a manifest's.
Result<toolchain::Source> unit_of(const task::Task& task, const std::string& shown_name, const task::SplicedSource& source,
                                  const GradeOptions& options);
/// How the toolchain is to work: cache, include folder, time.
Result<toolchain::CompileOptions> compile_options(const GradeOptions& options);

/// Compiles; when that fails `r` says why and nothing is returned.
std::optional<toolchain::Artifact> compile_unit(SubmissionResult& r, const toolchain::Source& unit, const GradeOptions& options);

}  // namespace warpbook::grade
