// Instructors: where a class stumbles in a task.
#include "judge/serve/class_routes.hpp"

namespace warpbook::serve {
namespace {

using nlohmann::json;

json named(const std::vector<classroom::Count>& counts) {
  json out = json::array();
  for (const classroom::Count& one : counts) out.push_back({{"name", one.name}, {"sentence", one.sentence}, {"count", one.count}});
  return out;
}

/// The figures over some attempts: those of the latest of each learner, or of all.
json figures_json(const classroom::AttemptFigures& figures) {
  json verdicts = json::object(), cases = json::array(), reasons = json::array();
  for (const classroom::Count& verdict : figures.verdicts) verdicts[verdict.name] = verdict.count;
  for (const classroom::CaseCount& one : figures.cases)
    cases.push_back({{"name", one.name}, {"kind", one.kind}, {"about", one.about}, {"ran", one.ran}, {"failed", one.failed}});
  for (const classroom::Count& one : figures.reasons)
    reasons.push_back({{"code", one.name}, {"sentence", one.sentence}, {"count", one.count}});
  return {{"attempts", figures.attempts},
          {"verdicts", std::move(verdicts)},
          {"cases", std::move(cases)},
          {"reasons", std::move(reasons)},
          {"mistakes", named(figures.mistakes)}};
}

Answer statistics(Service& service, const Request&, const Asked& asked) {
  const auto found = service.desk->statistics.of(asked.task.id);
  if (!found) return service.store_failure(found.error());
  json out = figures_json(found->latest);
  out["task"] = found->task;
  out["learners"] = found->learners;
  out["all"] = figures_json(found->all);
  out["misconceptions"] = json::array();
  for (const classroom::Count& one : found->misconceptions) out["misconceptions"].push_back({{"text", one.name}, {"count", one.count}});
  return as_json(out);
}

}  // namespace

void add_class_statistics_routes(Router& router, Service& service) {
  router.add(Access::kInstructor, "GET", "/api/class/statistics/{id}", with_task(service, statistics));
}

}  // namespace warpbook::serve
