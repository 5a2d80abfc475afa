#include "judge/serve/task_json.hpp"

#include <fmt/format.h>

#include "judge/learner/answers_file.hpp"
#include "judge/learner/recorded.hpp"
#include "judge/report/markdown_page.hpp"

namespace warpbook::serve {
namespace {

const char* name_of(task::QuestionKind kind) {
  switch (kind) {
    case task::QuestionKind::kOrder: return "order";
    case task::QuestionKind::kPredict: return "predict";
    case task::QuestionKind::kChoice: return "choice";
    case task::QuestionKind::kText: return "text";
  }
  return "text";
}

}  // namespace

Result<OwnAnswers> own_answers(const learner::Workbook& workbook, const task::Task& task) {
  Result<task::AnswerSheet> sheet = learner::read_answer_sheet(workbook, task);
  if (!sheet) return std::move(sheet).error();
  OwnAnswers own;
  own.sheet = std::move(*sheet);
  own.seed = own.sheet.seed ? *own.sheet.seed : own.sheet.answers.empty() ? learner::variant_of(workbook) : 0;
  own.recorded = learner::recorded_measurements(workbook, task.id);
  return own;
}

nlohmann::json blanks_json(const task::Task& task) {
  nlohmann::json out = nlohmann::json::array();
  for (const task::Blank& b : task.blanks)
    out.push_back({{"name", b.name}, {"scope", b.scope == task::BlankScope::kDevice ? "device" : "host"}, {"lines", b.lines}});
  return out;
}

nlohmann::json cases_json(const task::Task& task, const std::string& language) {
  nlohmann::json out = nlohmann::json::array();
  for (const task::Case& c : task.cases) {
    const auto about = c.about_in.find(language);
    out.push_back({{"name", c.name},
                   {"kind", c.kind == task::CaseKind::kNormal ? "normal" : "boundary"},
                   {"about", about != c.about_in.end() ? about->second : c.about},
                   {"rows", c.rows},
                   {"cols", c.cols}});
  }
  return out;
}

nlohmann::json question_json(const task::Task& task, const task::Question& question, const OwnAnswers& own, const std::string& language) {
  const task::ShownQuestion shown = task::show_question(task, question, own.seed, own.recorded);
  nlohmann::json out = {{"id", question.id},
                        {"kind", name_of(question.kind)},
                        {"points", question.points},
                        {"prompt_html", report::render_page(shown.prompt.in(language), {})},
                        {"how", shown.how}};
  nlohmann::json choices = nlohmann::json::array();
  for (const task::ShownChoice& choice : shown.choices)
    choices.push_back({{"id", std::string(1, choice.letter)}, {"html", report::render_phrase(choice.text.in(language))}});
  if (question.kind == task::QuestionKind::kOrder) out["steps"] = std::move(choices);
  if (question.kind == task::QuestionKind::kChoice) {
    std::size_t right = 0;
    for (const task::Option& option : question.options) right += option.right ? 1 : 0;
    out["choose"] = right;  // "two letters", as the terminal says it, too
    out["options"] = std::move(choices);
  }
  const auto answer = own.sheet.answers.find(question.id);
  out["answer"] = answer == own.sheet.answers.end() || answer->second.text.empty() ? nlohmann::json() : nlohmann::json(answer->second.text);
  return out;
}

std::string pictures_of(const task::Task& task) { return fmt::format("/api/tasks/{}/figures/", task.id); }

}  // namespace warpbook::serve
