#pragma once
// Answers into a result: points, misconceptions, vetoes.
#include <vector>

#include "judge/grade/result.hpp"
#include "judge/task/questions.hpp"

namespace warpbook::grade {

/// Grades the sheet and adds what it earned. An explanation must speak of what failed in `result`, so call it after the cases ran.
void add_answers(const task::Task& task, const task::AnswerSheet& sheet, task::GradeContext context, SubmissionResult& result);

/// What a run on the virtual GPU showed, per case: "plain: passes x read", "plain: barriers"... (lessons/MANIFEST.md has the list, which
/// task::figure_fault knows too). Answers may claim these figures and questions may show them.
std::vector<task::Measurement> measurements_of(const SubmissionResult& result);

}  // namespace warpbook::grade
