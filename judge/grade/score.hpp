#pragma once
// Points as DESIGN section 5 gives them.
#include "judge/grade/result.hpp"

namespace warpbook::grade {

/// Normal points are earned when every normal case is accepted, boundary points when every boundary case is; efficiency points of an
/// open problem when nothing is wrong and the medal is gold. Explanation and questions bring what their answers earned. A compile
/// error, a veto or a judge error leaves the code without points.
Score score(const task::Task& task, const SubmissionResult& result);

/// Cases into one verdict: a judge error first (it says nothing about the learner), else the first case that is not accepted.
void summarise_cases(SubmissionResult& result);

/// Gold when every promise about passes holds in every normal case; lost with the first that does not; none when nothing is promised.
void judge_medal(const task::Task& task, SubmissionResult& result);

}  // namespace warpbook::grade
