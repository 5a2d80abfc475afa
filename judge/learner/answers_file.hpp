#pragma once
// The learner's answers on disk.
#include <filesystem>

#include "judge/learner/workbook.hpp"
#include "judge/task/answers.hpp"
#include "judge/task/questions.hpp"

namespace warpbook::learner {

/// The variant of questions that a new sheet is written for: this learner's own, the same each time; one drawn now when there is no
/// store to remember it.
std::uint64_t variant_of(const Workbook& workbook);

/// work/TASK/answers.md; written with the questions when it is not there yet. Its variant then stands in the file.
Result<std::filesystem::path> ensure_answer_sheet(const Workbook& workbook, const task::Task& task);

/// The sheet, or an empty one when there is no file.
Result<task::AnswerSheet> read_answer_sheet(const Workbook& workbook, const task::Task& task);

/// Writes the latest figures into the questions of a sheet that is there; `recorded` is oldest first. Nothing is written when nothing
/// changes.
Status refresh_answer_sheet(const Workbook& workbook, const task::Task& task, const std::vector<task::Measurement>& recorded);

/// Remembers answered questions and what they earned in the progress file.
Status record_answers(const Workbook& workbook, const task::Task& task, const task::AnswerSheet& sheet,
                      const std::vector<task::QuestionResult>& results);

}  // namespace warpbook::learner
