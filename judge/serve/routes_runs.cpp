// Runs: asked for, followed, cancelled.
#include <fmt/format.h>

#include <algorithm>

#include "judge/learner/next_hint.hpp"
#include "judge/learner/open_progress.hpp"
#include "judge/learner/work_folder.hpp"
#include "judge/serve/attempt_json.hpp"
#include "judge/serve/events.hpp"
#include "judge/serve/learner_file.hpp"
#include "judge/serve/learner_view.hpp"
#include "judge/serve/routes.hpp"

namespace warpbook::serve {
namespace {

using nlohmann::json;

constexpr std::chrono::milliseconds kNextLook{1000};

bool is_case_of(const task::Task& task, const std::string& name) {
  return std::any_of(task.cases.begin(), task.cases.end(), [&](const task::Case& c) { return c.name == name; });
}

/// The order of a body. The Error is the client's.
Result<RunOrder> order_in(const json& body, const task::Task& task) {
  RunOrder order;
  order.task = task.id;
  for (const auto& [name, value] : body.items())
    if (name != "cases" && name != "meters") return Error{fmt::format("'{}' is not part of a run, expected cases and meters", name)};
  if (body.contains("cases")) {
    if (!body["cases"].is_array()) return Error{"'cases' is no list of names"};
    for (const json& name : body["cases"]) {
      if (!name.is_string() || !is_case_of(task, name)) return Error{fmt::format("{} has no case {}", task.id, dumped(name))};
      if (std::find(order.cases.begin(), order.cases.end(), name) == order.cases.end()) order.cases.push_back(name);
    }
  }
  if (body.contains("meters") && !body["meters"].is_boolean()) return Error{"'meters' is not true or false"};
  order.meters = body.value("meters", false);
  return order;
}

/// What of a task's mistakes may be said now.
bool may_tell(Service& service, const learner::Workbook& workbook, const std::string& id) {
  const std::shared_ptr<const Shelf> shelf = service.shelf.look();
  const task::Task* task = shelf->find(id);
  const auto store = service.open_store(workbook);
  return task != nullptr && store && learner::tells_mistakes(*task, **store);
}

json data_of(const RunEvent& event, bool tells) { return event.name == "result" ? learner_view(event.data, tells) : event.data; }

json run_json(Service& service, const learner::Workbook& workbook, const RunView& run) {
  json out = {{"run", run.id}, {"task", run.task}, {"state", name_of(run.state)}, {"position", run.position}};
  if (run.events.empty()) return out;
  const bool tells = may_tell(service, workbook, run.task);
  out["events"] = json::array();
  for (const auto& event : run.events) {
    out["events"].push_back({{"event", event->name}, {"data", data_of(*event, tells)}});
    if (event->name == "result") out["result"] = data_of(*event, tells);
  }
  return out;
}

/// A learner of a class may ask for so many runs in a minute; one that goes already can be joined always.
std::optional<Answer> refuse_more_runs(Service& service, const Request& request, const RunOrder& order) {
  if (service.runs.has(order)) return std::nullopt;
  return refuse_above(service.desk->runs, std::to_string(request.who->id), "too-many-runs",
                      fmt::format("{} runs a minute", service.desk->config.limits.runs_per_minute));
}

/// What of the order is a matter of the class.
void add_class(const Service& service, RunOrder& order) {
  const ClassConfig& config = service.desk->config;
  order.seed_file = config.seed_file;
  order.overlay = config.overlay;
}

Answer begin(Service& service, const Request& request, const Asked& asked) {
  Result<RunOrder> order = order_in(request.json, asked.task);
  if (!order) return failure(422, "bad-run", order.error().what, "body");
  {
    const std::lock_guard lock(service.writing(asked.workbook));
    const Result<bool> made = learner::ensure_work_file(asked.workbook, asked.task);
    if (!made) return failure(500, "not-written", made.error());
    if (*made) service.written.announce(learner::work_file(asked.workbook, asked.task));
  }
  const Result<LearnerFile> file = look_at_file(asked.workbook, asked.task);
  if (!file) return failure(500, "broken-task", file.error());
  if (file->trouble) return failure(422, "bad-file", *file->trouble);
  order->text = file->text;
  order->file = known_name(asked.workbook, learner::work_file(asked.workbook, asked.task));
  order->owner = owner_of(request);
  order->workbook = asked.workbook;
  if (service.desk) {
    add_class(service, *order);
    if (auto refusal = refuse_more_runs(service, request, *order)) return std::move(*refusal);
  }
  const Result<RunView> run = service.runs.enter(std::move(*order));
  constexpr int kSeconds = 5;
  if (!run && service.desk) service.desk->runs.give_back(std::to_string(request.who->id));  // what was not begun does not count
  if (!run) return try_again(429, "too-many-runs", fmt::format("{}; try again when some have ended", run.error().what), kSeconds);
  return as_json({{"run", run->id}, {"state", name_of(run->state)}, {"position", run->position}, {"version", file->version}}, 202);
}

Answer unknown_run(const Request& request) {
  return failure(404, "not-found", "this server has no such run; it may have been started again since", request.path);
}

Answer look(Service& service, const Request& request) {
  const auto run = service.runs.look(request.name("run"), owner_of(request));
  return run ? as_json(run_json(service, service.workbook_for(request), *run)) : unknown_run(request);
}

Answer cancel(Service& service, const Request& request) {
  if (!service.runs.cancel(request.name("run"), owner_of(request))) return unknown_run(request);
  return look(service, request);
}

/// The attempt that an earlier server began and never ended, when it is the latest of the task: nobody else will say so.
Result<json> interrupted_attempt(Service& service, const Asked& asked) {
  if (!learner::has_progress(asked.workbook)) return json();
  const auto store = service.open_store(asked.workbook);
  if (!store) return store.error();
  const auto latest = (*store)->attempts(asked.task.id, 1);
  if (!latest) return latest.error();
  if (latest->empty() || !was_interrupted(latest->front(), service.began_ms)) return json();
  return json({{"attempt", latest->front().id}, {"started_ms", latest->front().started_ms}});
}

Answer of_task(Service& service, const Request& request, const Asked& asked) {
  json runs = json::array();
  for (const RunView& run : service.runs.of_task(asked.task.id, owner_of(request))) runs.push_back(run_json(service, asked.workbook, run));
  json interrupted;
  if (runs.empty()) {
    const Result<json> found = interrupted_attempt(service, asked);
    if (!found && service.desk) return service.store_failure(found.error());
    if (found) interrupted = *found;
  }
  return as_json({{"runs", std::move(runs)}, {"interrupted", std::move(interrupted)}});
}

Answer follow(Service& service, const Request& request) {
  const std::string id = request.name("run");
  const std::int64_t owner = owner_of(request);
  const auto run = service.runs.look(id, owner);
  if (!run) return unknown_run(request);
  Answer answer;
  const auto seen = std::make_shared<std::size_t>(seen_by(request));
  if (run->over() && *seen >= run->events.size()) {
    answer.status = 204;  // a browser that asks again after the end is told to stop asking
    return answer;
  }
  answer.events = [&service, id, owner, seen, workbook = service.workbook_for(request)](std::string& out) {
    const auto news = service.runs.wait(id, owner, *seen, kNextLook);
    if (!news) return false;
    const bool tells = !news->events.empty() && news->events.back()->name == "result" && may_tell(service, workbook, news->task);
    for (const auto& event : news->events) out += event_text(event->name, data_of(*event, tells), std::to_string(++*seen));
    return !news->over() && !service.ending();
  };
  return answer;
}

}  // namespace

void add_run_routes(Router& router, Service& service) {
  router.add(Access::kLearner, "POST", "/api/tasks/{id}/runs", Body::kJson, with_task(service, begin));
  router.add(Access::kLearner, "GET", "/api/tasks/{id}/runs", with_task(service, of_task));
  router.add(Access::kLearner, "GET", "/api/runs/{run}", with_service(service, look));
  router.add(Access::kLearner, "DELETE", "/api/runs/{run}", with_service(service, cancel));
  router.add(Access::kLearner, "GET", "/api/runs/{run}/events", with_service(service, follow));
}

}  // namespace warpbook::serve
