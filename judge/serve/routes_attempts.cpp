// What is on record: the attempts of a task, and the whole result of one.
#include <fmt/format.h>

#include "judge/learner/next_hint.hpp"
#include "judge/serve/attempt_json.hpp"
#include "judge/serve/learner_view.hpp"
#include "judge/serve/roofline_json.hpp"
#include "judge/serve/routes.hpp"

namespace warpbook::serve {
namespace {

using nlohmann::json;

constexpr int kLatest = 50;

Answer attempts(Service& service, const Request&, const Asked& asked) {
  const auto store = service.open_store(asked.workbook);
  if (!store) return service.store_failure(store.error());
  const auto known = (*store)->attempts(asked.task.id, kLatest);
  if (!known) return service.store_failure(known.error());
  json out = json::array();
  for (const store::Attempt& attempt : *known) out.push_back(attempt_json(attempt, service.began_ms));
  return as_json({{"attempts", std::move(out)}, {"roofline", roofline_json(asked.task)}});
}

Answer attempt(Service& service, const Request& request) {
  const std::string& text = request.name("attempt");
  const std::optional<std::int64_t> id = number_in(text);
  const auto store = service.open_store(service.workbook_for(request));
  if (!store) return service.store_failure(store.error());
  const auto found = id ? (*store)->attempt(*id) : Result<std::optional<store::Attempt>>(std::nullopt);
  if (!found) return service.store_failure(found.error());
  if (!*found) return failure(404, "not-found", fmt::format("there is no attempt '{}'", text), request.path);
  const json result = json::parse((*found)->outcome.result_json, nullptr, false);
  if (!result.is_object()) return failure(404, "not-found", fmt::format("attempt {} ended without a result", text), request.path);
  const std::shared_ptr<const Shelf> shelf = service.shelf.look();
  const task::Task* task = shelf->find((*found)->begun.task);
  return as_json(learner_view(result, task != nullptr && learner::tells_mistakes(*task, **store)));
}

}  // namespace

void add_attempt_routes(Router& router, Service& service) {
  router.add(Access::kLearner, "GET", "/api/tasks/{id}/attempts", with_task(service, attempts));
  router.add(Access::kLearner, "GET", "/api/attempts/{attempt}", with_service(service, attempt));
}

}  // namespace warpbook::serve
