#pragma once
// `judge verify --diagnosis DIR`: how often the right mistake is named on files that were written without knowing how it is done.
#include <filesystem>
#include <vector>

#include "judge/commands/command.hpp"
#include "judge/grade/submission.hpp"
#include "judge/task/task.hpp"

namespace warpbook::commands {

/// Tries DIR/TASK/*.cu for each of `tasks` that has such a folder; prints a line a file and the figures. Accepted (exit 0) when enough
/// are right and few enough wrong (diagnosis_trial.hpp).
Exit verify_diagnosis(const Context& context, const std::vector<task::Task>& tasks, const grade::GradeOptions& options,
                      const std::filesystem::path& folder, bool all);

}  // namespace warpbook::commands
