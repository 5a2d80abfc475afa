#pragma once
// The cases of a class's overlay: run like the task's own, and reported by kind, verdict and reason. What a learner can read in a report,
// in the store or in --json must not tell what the inputs are.
#include <vector>

#include "judge/grade/submission.hpp"

namespace warpbook::grade {

/// A result without anything of its input: kind, verdict and reason stay.
CaseResult concealed(const CaseResult& result, int number);

/// Runs `cases` with the submission and puts their concealed results behind those of `result`, whose verdict then is that of all. Nothing
/// happens to a result without cases of its own (a compile error, a veto).
void add_further_cases(task::Task task, const std::vector<task::Case>& cases, const Submission& submission, GradeOptions options,
                       SubmissionResult& result);

}  // namespace warpbook::grade
