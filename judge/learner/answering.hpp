#pragma once
// A learner's answers saved and graded: for `judge answer` and the page.
#include <map>
#include <string>
#include <vector>

#include "judge/learner/workbook.hpp"
#include "judge/task/questions.hpp"

namespace warpbook::learner {

/// What grading the sheet knows: its variant, the language, what earlier runs measured.
task::GradeContext grading_of(const Workbook& workbook, const task::Task& task, const task::AnswerSheet& sheet);

/// Writes the sheet to work/TASK/answers.md, when it reads back as the same answers. The Error names the answer that would not: a line of
/// it looks like a heading or a quote, or opens a comment.
Status save_sheet(const Workbook& workbook, const task::Task& task, const task::AnswerSheet& sheet, const task::GradeContext& grading);

}  // namespace warpbook::learner
