#pragma once
// The cases of a task, side by side in processes of their own.
#include <vector>

#include "judge/grade/submission.hpp"

namespace warpbook::grade {

/// Runs the chosen cases and returns their results in the manifest's order. A case whose process dies is a judge error.
std::vector<CaseResult> run_cases(const task::Task& task, const toolchain::Artifact& artifact, const GradeOptions& options);

}  // namespace warpbook::grade
