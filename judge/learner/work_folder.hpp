#pragma once
// Where a learner's things lie.
#include <filesystem>
#include <string>

#include "judge/base/error.hpp"
#include "judge/learner/workbook.hpp"
#include "judge/task/task.hpp"

namespace warpbook::learner {

/// work/TASK/exercise.cu (starter.cu for an open problem keeps its name kernel.cu).
std::filesystem::path work_file(const Workbook& workbook, const task::Task& task);
/// work/TASK/answers.md
std::filesystem::path answers_file(const Workbook& workbook, const task::Task& task);
/// Makes work/TASK/ with the exercise in it when the learner has no file yet; true when it did. What is there stays as it is.
Result<bool> ensure_work_file(const Workbook& workbook, const task::Task& task);
/// Relative to the current folder when it lies below it, else to the learner's own or to the workbook, else as it is.
std::string shown_path(const Workbook& workbook, const std::filesystem::path& path);

}  // namespace warpbook::learner
