// One task: its text, what is asked, and the reference once it is open.
#include <fmt/format.h>

#include <algorithm>

#include "judge/base/files.hpp"
#include "judge/learner/lesson_text.hpp"
#include "judge/learner/reached.hpp"
#include "judge/report/markdown_page.hpp"
#include "judge/serve/learner_file.hpp"
#include "judge/serve/routes.hpp"
#include "judge/serve/task_json.hpp"

namespace warpbook::serve {
namespace {

using nlohmann::json;

Answer show_task(Service& service, const Request&, const Asked& asked) {
  const task::Task& task = asked.task;
  const std::string& language = asked.workbook.language;
  const Result<std::string> html = service.pages.look(task.id + "." + language, [&]() -> Result<std::string> {
    const Result<std::string> text = learner::lesson_text(task, language);
    if (!text) return text.error();
    return report::render_page(*text, {pictures_of(task)});
  });
  if (!html) return failure(500, "broken-task", html.error());
  const Result<LearnerFile> file = look_at_file(asked.workbook, task);
  if (!file) return failure(500, "broken-task", file.error());
  const auto store = service.open_store(asked.workbook);
  if (!store) return service.store_failure(store.error());
  const Result<store::Progress> progress = (*store)->progress(task.id);
  if (!progress) return service.store_failure(progress.error());
  json out = {{"id", task.id},
              {"kind", task.kind == task::TaskKind::kLesson ? "lesson" : "exercise"},
              {"title", task.title.in(language)},
              {"level", task.level},
              {"html", *html},
              {"blanks", blanks_json(task)},
              {"cases", cases_json(task, language)},
              {"solution_open", learner::solution_is_open(*progress)},
              {"attempts", progress->attempts},
              {"file", to_json(*file)}};
  // A sheet that cannot be read is the learner's to mend; the rest of the page does not wait for it.
  const Result<OwnAnswers> read = own_answers(asked.workbook, task);
  if (!read) out["answers_trouble"] = read.error().text();
  const OwnAnswers own = read ? *read : OwnAnswers{};
  out["questions"] = json::array();
  for (const task::Question& question : task.questions) out["questions"].push_back(question_json(task, question, own, language));
  out["explanation"] = task.explanation ? question_json(task, *task.explanation, own, language) : json();
  out["hints"] = json::array();
  for (const task::Blank& blank : task.blanks) {
    const Result<int> level = (*store)->hint_level(task.id, blank.name);
    if (!level) return service.store_failure(level.error());
    out["hints"].push_back({{"blank", blank.name}, {"level", *level}, {"of", blank.hints.size()}});
  }
  return as_json(out);
}

/// A drawing beside the text, or a recording of its folder figures/ (judge/trace/figure.hpp).
Answer figure(const Request& request, const Asked& asked) {
  const std::string& name = request.name("name");
  const bool recording = name.ends_with(".trace");
  const bool plain =
      (recording || name.ends_with(".svg")) && name.front() != '.' &&
      std::all_of(name.begin(), name.end(), [](unsigned char c) { return c == '-' || c == '_' || c == '.' || std::isalnum(c) != 0; });
  const auto file = recording ? asked.task.folder / "figures" / name : asked.task.folder / name;
  const Result<std::string> text = plain ? read_file(file) : Result<std::string>(Error{"no figure"});
  if (!text) return failure(404, "not-found", fmt::format("{} has no figure '{}'", asked.task.id, name), request.path);
  Answer answer;
  answer.body = *text;
  if (recording) return answer;
  answer.type = "image/svg+xml; charset=utf-8";
  answer.headers = {{"Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox"}, {"Cache-Control", "no-cache"}};
  return answer;
}

Answer solution(Service& service, const Request&, const Asked& asked) {
  const auto store = service.open_store(asked.workbook);
  if (!store) return service.store_failure(store.error());
  const Result<store::Progress> progress = (*store)->progress(asked.task.id);
  if (!progress) return service.store_failure(progress.error());
  if (!learner::solution_is_open(*progress)) {
    const char* more = asked.task.blanks.empty() ? "" : ", or after the fourth hint of a blank";
    return failure(403, "not-open", fmt::format("the solution of {} opens when you pass it{}", asked.task.id, more));
  }
  const Result<std::string> text = read_file(asked.task.solution);
  if (!text) return failure(500, "broken-task", text.error());
  if (Status ok = (*store)->record_solution_opened(asked.task.id); !ok) return service.store_failure(ok.error());
  return as_json({{"text", *text}});
}

}  // namespace

void add_task_routes(Router& router, Service& service) {
  router.add(Access::kLearner, "GET", "/api/tasks/{id}", with_task(service, show_task));
  router.add(Access::kLearner, "GET", "/api/tasks/{id}/figures/{name}", with_task(service, figure));
  router.add(Access::kLearner, "GET", "/api/tasks/{id}/solution", with_task(service, solution));
}

}  // namespace warpbook::serve
