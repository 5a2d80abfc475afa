// Hints: the next one, and those shown before. Asking for one records it, as `judge hint` does.
#include <fmt/format.h>

#include "judge/learner/next_hint.hpp"
#include "judge/report/markdown_page.hpp"
#include "judge/serve/routes.hpp"

namespace warpbook::serve {
namespace {

using nlohmann::json;

Answer past(Service& service, const Request&, const Asked& asked) {
  const auto store = service.open_store(asked.workbook);
  if (!store) return service.store_failure(store.error());
  json out = json::array();
  for (const task::Blank& blank : asked.task.blanks) {
    const auto hints = learner::past_hints(asked.task, blank, **store);
    if (!hints) return service.store_failure(hints.error());
    for (const learner::PastHint& hint : *hints) {
      if (hint.text == nullptr) continue;
      const std::string html = report::render_page(hint.text->in(asked.workbook.language), {});
      out.push_back({{"blank", blank.name}, {"level", hint.level}, {"of", hint.levels}, {"html", html}});
    }
  }
  return as_json({{"hints", std::move(out)}});
}

Answer next(Service& service, const Request& request, const Asked& asked) {
  const json wanted = request.json.value("blank", json());
  if (!wanted.is_null() && !wanted.is_string())
    return failure(422, "bad-hint", fmt::format("'blank' is {}, expected the name of a blank", dumped(wanted)), "body");
  const auto store = service.open_store(asked.workbook);
  if (!store) return service.store_failure(store.error());
  const std::string name = wanted.is_string() ? wanted.get<std::string>() : "";
  const task::Blank* blank = learner::blank_for_hint(asked.task, name, **store);
  if (blank == nullptr || blank->hints.empty())
    return failure(422, "bad-hint",
                   asked.task.blanks.empty() ? fmt::format("{} has no blanks, and so no hints", asked.task.id)
                                             : fmt::format("{} has no blank '{}'", asked.task.id, name));
  const Result<task::ChosenHint> hint = learner::take_next_hint(asked.task, *blank, **store);
  if (!hint) return service.store_failure(hint.error());
  return as_json({{"blank", blank->name},
                  {"level", hint->level},
                  {"of", hint->levels},
                  {"fits", hint->fits},
                  {"html", report::render_page(hint->text->in(asked.workbook.language), {})}});
}

}  // namespace

void add_hint_routes(Router& router, Service& service) {
  router.add(Access::kLearner, "GET", "/api/tasks/{id}/hints", with_task(service, past));
  router.add(Access::kLearner, "POST", "/api/tasks/{id}/hints", Body::kJson, with_task(service, next));
}

}  // namespace warpbook::serve
