#pragma once
// Where a learner's things lie.
#include <filesystem>
#include <string>

#include "judge/commands/command.hpp"
#include "judge/task/task.hpp"

namespace warpbook::commands {

/// work/TASK/exercise.cu (starter.cu for an open problem keeps its name kernel.cu).
std::filesystem::path work_file(const Context& context, const task::Task& task);
/// work/TASK/answers.md
std::filesystem::path answers_file(const Context& context, const task::Task& task);
/// Relative to the current folder when it lies below it, else to the workbook, else as it is.
std::string shown_path(const Context& context, const std::filesystem::path& path);

}  // namespace warpbook::commands
