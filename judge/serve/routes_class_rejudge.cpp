// Instructors: judging again, looked at before it counts.
#include <fmt/format.h>

#include "judge/learner/work_folder.hpp"
#include "judge/serve/class_routes.hpp"
#include "judge/serve/events.hpp"

namespace warpbook::serve {
namespace {

using nlohmann::json;

constexpr std::chrono::milliseconds kNextEvents{1000};

/// The people that a body names; none: everybody. The Error is the client's.
Result<std::vector<std::int64_t>> people_in(const json& body) {
  std::vector<std::int64_t> people;
  if (!body.contains("people")) return people;
  if (!body["people"].is_array() || body["people"].empty()) return Error{"'people' is no list of numbers; leave it out for everybody"};
  for (const json& one : body["people"]) {
    constexpr std::int64_t kMost = std::int64_t{1} << 53;
    if (!one.is_number_integer() || one < 1 || one > kMost)
      return Error{fmt::format("'people' holds {}, expected numbers of people", dumped(one))};
    people.push_back(one);
  }
  return people;
}

Answer begin_rejudge(Service& service, const Request& request) {
  for (const auto& [name, value] : request.json.items())
    if (name != "task" && name != "people")
      return failure(422, "bad-rejudge", fmt::format("'{}' is not part of a rejudge, expected task and people", name), "body");
  const json id = request.json.value("task", json());
  const std::shared_ptr<const Shelf> shelf = service.shelf.look();
  const task::Task* task = id.is_string() ? shelf->find(id) : nullptr;
  if (task == nullptr) return failure(422, "bad-rejudge", fmt::format("there is no task {}", dumped(id)), "body");
  const Result<std::vector<std::int64_t>> people = people_in(request.json);
  if (!people) return failure(422, "bad-rejudge", people.error().what, "body");
  for (const std::int64_t person : *people) {
    const auto known = service.desk->people.find(person);
    if (!known) return service.store_failure(known.error());
    if (!*known) return failure(422, "bad-rejudge", fmt::format("'people' holds {}, and nobody has that number", person), "body");
  }
  auto best = service.desk->submissions.best(task->id, *people);
  if (!best) return service.store_failure(best.error());
  const std::string file = known_name(service.workbook, learner::work_file(service.workbook, *task));
  const auto begun = service.rejudges.begin(service, task->id, file, std::move(*best));
  constexpr int kSeconds = 30;
  if (!begun) return try_again(429, "too-many-rejudges", "some rejudges go already; try again when one has ended", kSeconds);
  return as_json({{"rejudge", *begun}}, 202);
}

Answer unknown_rejudge(const Request& request) {
  return failure(404, "not-found", "this server has no such rejudge; it may have been started again since", request.path);
}

Answer look_rejudge(Service& service, const Request& request) {
  const auto rejudge = service.rejudges.look(request.name("rejudge"));
  return rejudge ? as_json(rejudge->whole) : unknown_rejudge(request);
}

Answer cancel_rejudge(Service& service, const Request& request) {
  if (!service.rejudges.cancel(request.name("rejudge"))) return unknown_rejudge(request);
  return look_rejudge(service, request);
}

Answer apply_rejudge(Service& service, const Request& request) {
  const auto applied = service.rejudges.apply(service, request.name("rejudge"), request.who->id);
  if (!applied) return unknown_rejudge(request);
  if (applied->applying) return failure(409, "being-applied", "somebody applies this rejudge now; look at it again in a few seconds");
  if (!applied->ready) return failure(409, "not-ended", "the rejudge has not ended, or was cancelled; nothing is applied");
  if (applied->trouble) return service.store_failure(*applied->trouble);
  const auto rejudge = service.rejudges.look(request.name("rejudge"));
  json out = rejudge ? rejudge->whole : json::object();
  out["recorded"] = applied->recorded;
  out["overridden"] = applied->overridden;
  return as_json(out);
}

Answer follow_rejudge(Service& service, const Request& request) {
  const std::string id = request.name("rejudge");
  const auto seen = std::make_shared<std::size_t>(seen_by(request));
  const auto now = service.rejudges.wait(id, *seen, std::chrono::milliseconds{0});
  if (!now) return unknown_rejudge(request);
  Answer answer;
  if (now->over && now->events.empty()) {
    answer.status = 204;  // a browser that asks again after the end is told to stop asking
    return answer;
  }
  answer.events = [&service, id, seen](std::string& out) {
    const auto news = service.rejudges.wait(id, *seen, kNextEvents);
    if (!news) return false;
    for (const RejudgeEvent& event : news->events) out += event_text(event.name, event.data, std::to_string(++*seen));
    return !news->over && !service.ending();
  };
  return answer;
}

}  // namespace

void add_class_rejudge_routes(Router& router, Service& service) {
  const std::string all = "/api/class/rejudges", one = all + "/{rejudge}";
  router.add(Access::kInstructor, "POST", all, Body::kJson, with_service(service, begin_rejudge));
  router.add(Access::kInstructor, "GET", one, with_service(service, look_rejudge));
  router.add(Access::kInstructor, "DELETE", one, with_service(service, cancel_rejudge));
  router.add(Access::kInstructor, "GET", one + "/events", with_service(service, follow_rejudge));
  router.add(Access::kInstructor, "POST", one + "/apply", with_service(service, apply_rejudge));
}

}  // namespace warpbook::serve
