#pragma once
// Answers into a result: points, misconceptions, vetoes.
#include <vector>

#include "judge/grade/result.hpp"
#include "judge/task/questions.hpp"

namespace warpbook::grade {

/// Grades the sheet and adds what it earned. An explanation must speak of what failed in `result`, so call it after the cases ran.
void add_answers(const task::Task& task, const task::AnswerSheet& sheet, task::GradeContext context, SubmissionResult& result);

/// What a run showed that an answer may claim: passes over each tensor and sectors, per case.
std::vector<task::Measurement> measurements_of(const SubmissionResult& result);

}  // namespace warpbook::grade
