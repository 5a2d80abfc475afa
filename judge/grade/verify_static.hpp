#pragma once
// What the author's gate can say of a task without running anything: enough cases and submissions, a pair that is equal outside the blanks,
// wrong submissions that a learner could have written, reference answers that earn all points.
#include <vector>

#include "judge/grade/verify.hpp"

namespace warpbook::grade {

std::vector<Check> static_checks(const task::Task& task);

}  // namespace warpbook::grade
