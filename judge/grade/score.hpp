#pragma once
// Points as DESIGN section 5 gives them.
#include "judge/grade/result.hpp"

namespace warpbook::grade {

/// Normal points are earned when every normal case is accepted, boundary points when every boundary case is; efficiency points of an
/// open problem when nothing is wrong: all with a gold medal, three quarters with silver, half with bronze. Explanation and questions bring
/// what their answers earned. A compile error, a veto or a judge error leaves the code without points.
Score score(const task::Task& task, const SubmissionResult& result);

/// Cases into one verdict: a judge error first (it says nothing about the learner), else the first case that is not accepted.
void summarise_cases(SubmissionResult& result);

/// On a GPU an open problem's medal follows from the share of the copy ceiling: the bytes that must move, by the time taken, by the best
/// bandwidth that a copy reaches in the same run.
inline constexpr double kBronzeShare = 0.60, kSilverShare = 0.80, kGoldShare = 0.90;

/// kNone below bronze and for what is no number.
Medal medal_of_share(double share_of_ceiling);

/// Sets the medal of an open problem from a measured share; without one the medal is none and its reason "not measured". A submission that
/// is not accepted has no medal, however fast.
void judge_share(const std::optional<double>& share_of_ceiling, SubmissionResult& result);

/// Gold when every promise about passes holds in every normal case; lost with the first that does not; none when nothing is promised.
void judge_medal(const task::Task& task, SubmissionResult& result);

}  // namespace warpbook::grade
