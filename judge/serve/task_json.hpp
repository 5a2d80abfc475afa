#pragma once
// A task as its page needs it, and nothing more: no fills of cases, no right answers, no ids of options (an author may have named one
// "right"). Steps and options are known by the letters under which this learner sees them.
#include <nlohmann/json.hpp>

#include "judge/learner/workbook.hpp"
#include "judge/task/answers.hpp"
#include "judge/task/task.hpp"

namespace warpbook::serve {

/// The learner's sheet of answers and the figures that questions show.
struct OwnAnswers {
  task::AnswerSheet sheet;
  std::uint64_t seed = 0;
  std::vector<task::Measurement> recorded;
};

/// Read from disk and store; the Error says where the sheet cannot be read.
Result<OwnAnswers> own_answers(const learner::Workbook& workbook, const task::Task& task);

nlohmann::json blanks_json(const task::Task& task);
nlohmann::json cases_json(const task::Task& task, const std::string& language);
/// One question as it is asked, with what the learner answered so far (null: nothing).
nlohmann::json question_json(const task::Task& task, const task::Question& question, const OwnAnswers& own, const std::string& language);
/// The address below which the pictures of a task's text are.
std::string pictures_of(const task::Task& task);

}  // namespace warpbook::serve
