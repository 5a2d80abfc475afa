#pragma once
// The way of a submission: blanks cut out, spliced into the pristine exercise, compiled, run case by case, compared, scored.
#include "judge/grade/submission.hpp"

namespace warpbook::grade {

/// Grades the code. Answers are added by add_answers(); then finish() computes points and whether the task is passed.
SubmissionResult grade_code(const task::Task& task, const Submission& submission, const GradeOptions& options);

/// A submission compiled, or the result that says why it cannot be.
struct Built {
  SubmissionResult result;
  std::optional<toolchain::Artifact> artifact;
  std::string text;  ///< what was compiled; line N is the submission's line N
};
/// Splices and compiles. `prelude`: macros of a build that is not for grading (common/kernel/watch.cuh), empty otherwise.
Built build_code(const task::Task& task, const Submission& submission, const GradeOptions& options, const std::string& prelude = "");

/// What can be said without a toolkit: the blanks, and whether anything outside them was changed. Never accepted.
SubmissionResult review_code(const task::Task& task, const Submission& submission, const GradeOptions& options);

/// Points, acceptance and pass from what is in `result`.
void finish(const task::Task& task, SubmissionResult& result);

}  // namespace warpbook::grade
