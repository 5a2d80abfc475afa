// What is on record: the attempts of a task, and the whole result of one.
#include <fmt/format.h>

#include <charconv>

#include "judge/learner/next_hint.hpp"
#include "judge/serve/learner_view.hpp"
#include "judge/serve/routes.hpp"

namespace warpbook::serve {
namespace {

using nlohmann::json;

constexpr int kLatest = 50;

/// The normal case with the most elements, which shows best what the kernel reads; null when no case ran.
json telling_case(const json& result) {
  json best;
  std::int64_t most = -1;
  for (const json& c : result.value("cases", json::array())) {
    const std::int64_t elements = c.value("rows", std::int64_t{0}) * c.value("cols", std::int64_t{0});
    if (c.value("kind", "") != "normal" || elements <= most) continue;
    most = elements;
    best = c;
  }
  return best;
}

json attempt_json(const store::Attempt& attempt) {
  const json result = json::parse(attempt.outcome.result_json, nullptr, false);
  const json shown = result.is_object() ? telling_case(result) : json();
  const bool finished = attempt.finished_ms.has_value();
  return {{"id", attempt.id},
          {"started_ms", attempt.started_ms},
          {"finished_ms", finished ? json(*attempt.finished_ms) : json()},
          {"verdict", finished ? json(attempt.outcome.verdict) : json()},
          {"points", attempt.outcome.points},
          {"passed", attempt.outcome.passed},
          {"medal", attempt.outcome.medal},
          {"case", shown.is_null() ? json() : shown["name"]},
          {"passes", shown.is_null() ? json::array() : shown.value("passes", json::array())}};
}

Answer attempts(Service& service, const Request&, const Asked& asked) {
  const auto store = service.store.open();
  if (!store) return store_failure(store.error());
  const auto known = (*store)->attempts(asked.task.id, kLatest);
  if (!known) return store_failure(known.error());
  json out = json::array();
  for (const store::Attempt& attempt : *known) out.push_back(attempt_json(attempt));
  return as_json({{"attempts", std::move(out)}});
}

Answer attempt(Service& service, const Request& request) {
  const std::string& text = request.name("attempt");
  std::int64_t id = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), id);
  const bool number = failed == std::errc{} && end == text.data() + text.size();
  const auto store = service.store.open();
  if (!store) return store_failure(store.error());
  const auto found = number ? (*store)->attempt(id) : Result<std::optional<store::Attempt>>(std::nullopt);
  if (!found) return store_failure(found.error());
  if (!*found) return failure(404, "not-found", fmt::format("there is no attempt '{}'", text), request.path);
  const json result = json::parse((*found)->outcome.result_json, nullptr, false);
  if (!result.is_object()) return failure(404, "not-found", fmt::format("attempt {} ended without a result", id), request.path);
  const std::shared_ptr<const Shelf> shelf = service.shelf.look();
  const task::Task* task = shelf->find((*found)->begun.task);
  return as_json(learner_view(result, task != nullptr && learner::tells_mistakes(*task, **store)));
}

}  // namespace

void add_attempt_routes(Router& router, Service& service) {
  router.add("GET", "/api/tasks/{id}/attempts", with_task(service, attempts));
  router.add("GET", "/api/attempts/{attempt}", [&service](const Request& request) { return attempt(service, request); });
}

}  // namespace warpbook::serve
