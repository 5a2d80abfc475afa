// Answers: saved in work/TASK/answers.md, graded, recorded; the same file and the same functions as `judge answer`.
#include <fmt/format.h>

#include <algorithm>

#include "judge/learner/answering.hpp"
#include "judge/learner/answers_file.hpp"
#include "judge/report/markdown_page.hpp"
#include "judge/serve/routes.hpp"
#include "judge/task/rubric.hpp"

namespace warpbook::serve {
namespace {

using nlohmann::json;

/// An answer as it stands in the sheet: letters in order, a number, a text; null and nothing take it back.
Result<std::string> answer_text(const std::string& question, const json& value) {
  if (value.is_null()) return std::string();
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number()) return value.dump();
  std::string text;
  if (value.is_array() && std::all_of(value.begin(), value.end(), [](const json& one) { return one.is_string(); })) {
    for (const json& one : value) text += (text.empty() ? "" : " ") + one.get<std::string>();
    return text;
  }
  return Error{fmt::format("the answer to '{}' is {}, expected a text, a number or a list of letters", question, value.type_name())};
}

json result_json(const task::QuestionResult& q) {
  json out = {{"id", q.id},
              {"points", q.points},
              {"of", q.max_points},
              {"answered", q.answered},
              {"right", q.correct},
              {"provisional", q.provisional},
              {"message_html", q.answered ? report::render_page(q.feedback, {}) : ""},
              {"misconception_html", report::render_page(q.misconception, {})}};
  if (q.veto) out["veto_html"] = report::render_page(q.veto_evidence, {});
  return out;
}

Answer grade(Service& service, const Request& request, const Asked& asked) {
  const task::Task& task = asked.task;
  const auto questions = task::questions_of(task);
  if (questions.empty()) return failure(422, "no-questions", fmt::format("{} asks no questions", task.id));
  if (!request.json.contains("answers") || !request.json["answers"].is_object())
    return failure(422, "bad-answers", "'answers' is missing, expected an object: id of the question to answer", "body");
  std::map<std::string, std::string> given;
  for (const auto& [id, value] : request.json["answers"].items()) {
    if (std::none_of(questions.begin(), questions.end(), [&, &wanted = id](const task::Question* q) { return q->id == wanted; }))
      return failure(422, "bad-answers", fmt::format("{} asks no question '{}'", task.id, id), "body");
    Result<std::string> text = answer_text(id, value);
    if (!text) return failure(422, "bad-answers", text.error().what, "body");
    if (text->size() > task::kLongestAnswer)
      return failure(422, "bad-answers",
                     fmt::format("the answer to '{}' has {} bytes, at most {} are read", id, text->size(), task::kLongestAnswer));
    given[id] = std::move(*text);
  }
  const std::lock_guard lock(service.writing(asked.workbook));
  if (const auto file = learner::ensure_answer_sheet(asked.workbook, task); !file) return failure(500, "not-written", file.error());
  Result<task::AnswerSheet> sheet = learner::read_answer_sheet(asked.workbook, task);
  if (!sheet) return failure(422, "bad-sheet", sheet.error());
  for (auto& [id, text] : given) sheet->answers[id].text = std::move(text);
  const task::GradeContext grading = learner::grading_of(asked.workbook, task, *sheet);
  if (Status ok = learner::save_sheet(asked.workbook, task, *sheet, grading); !ok) return failure(422, "bad-answers", ok.error());
  const auto results = task::grade_answers(task, *sheet, grading);
  if (Status ok = learner::record_answers(asked.workbook, task, *sheet, results); !ok) return service.store_failure(ok.error());
  json out = json::array();
  double points = 0, of = 0;
  for (const task::QuestionResult& q : results) {
    points += q.points;
    of += q.max_points;
    out.push_back(result_json(q));
  }
  return as_json({{"answers", std::move(out)}, {"points", points}, {"of", of}});
}

}  // namespace

void add_answer_routes(Router& router, Service& service) {
  router.add(Access::kLearner, "PUT", "/api/tasks/{id}/answers", Body::kJson, with_task(service, grade));
}

}  // namespace warpbook::serve
