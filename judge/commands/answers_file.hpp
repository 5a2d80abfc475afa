#pragma once
// The learner's answers on disk.
#include <filesystem>

#include "judge/commands/command.hpp"
#include "judge/task/answers.hpp"

namespace warpbook::commands {

/// work/TASK/answers.md; written with the questions when it is not there yet. Its variant is drawn once and then stands in the file.
Result<std::filesystem::path> ensure_answer_sheet(const Context& context, const task::Task& task);

/// The sheet, or an empty one when there is no file.
Result<task::AnswerSheet> read_answer_sheet(const Context& context, const task::Task& task);

}  // namespace warpbook::commands
