#pragma once
// The smallest input on which a submission still fails as it did, found by running it: the learner's file must fail in the same way, and
// the reference solution must pass, so that nobody is shown an input on which failing is right.
#include <optional>
#include <string>

#include "judge/grade/submission.hpp"

namespace warpbook::grade {

/// Shrinks the first failing case of `result` within two seconds on the virtual GPU. Nothing when there is none that can be shrunk (a
/// compile error, an endless loop, a failure that another device showed), or when the reference does not pass there.
std::optional<CounterExample> find_counter_example(const task::Task& task, const Submission& submission, const SubmissionResult& result,
                                                   const GradeOptions& options);

}  // namespace warpbook::grade
