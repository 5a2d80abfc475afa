#pragma once
// What the author's gate can say of a task without running anything: enough cases and submissions, a pair that is equal outside the blanks,
// wrong submissions that a learner could have written. And, with the figures of a run, reference answers that earn all points.
#include <vector>

#include "judge/grade/verify.hpp"
#include "judge/task/claims.hpp"

namespace warpbook::grade {

std::vector<Check> static_checks(const task::Task& task);

/// The reference answers earn every point, where questions about the learner's own figures take those of the solution's run. Unless the
/// run was `complete` (all cases, on the virtual GPU) questions whose figures it lacks are passed over.
Check check_reference_answers(const task::Task& task, const std::vector<task::Measurement>& figures, bool complete);

}  // namespace warpbook::grade
