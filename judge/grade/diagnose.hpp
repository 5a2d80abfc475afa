#pragma once
// The mistake, named. A lesson's wrong submissions are the mistakes that people make; when a learner's file fails, each of them is run on
// the same failing cases, and the one whose outputs agree, or which commits the same fault at the corresponding place, has its name told.
// Nothing is named when none fits, or when two fit equally well: a wrong name costs a learner more than no name.
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "judge/grade/submission.hpp"

namespace warpbook::grade {

/// How well one known mistake explains a failure.
struct Suspect {
  Diagnosis mistake;
  double likeness = 0;  ///< 0 to 1, over the failing cases, weighed by what each can tell
  double error = 0;       ///< 0 to 1: how alike the errors are, whether or not the values are; weighed in the same way
  double probe = -1;      ///< 0 to 1: how alike they behave on short rows (probes.hpp); negative: nothing failed there
  double pattern = 0;   ///< 0 to 1: cases that both fail / cases that either fails
  bool same_calls = false;  ///< both files call the same functions of the CUDA runtime
};

/// The suspect that explains the failure, or nothing: none is like it, or two are about equally so.
std::optional<Diagnosis> choose(std::vector<Suspect> suspects);

/// Every known mistake of the task against the cases that `result` fails, best first. `result` is of `submission`, graded before. Compiles
/// what the cache does not hold. Nothing to compare: no suspects.
std::vector<Suspect> suspects(const task::Task& task, const Submission& submission, const SubmissionResult& result,
                              const GradeOptions& options);

/// Fills `result.diagnosis` when the submission ran and failed.
void diagnose(const task::Task& task, const Submission& submission, const GradeOptions& options, SubmissionResult& result);

}  // namespace warpbook::grade
