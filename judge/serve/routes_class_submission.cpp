// Instructors: one learner's task with its evidence, and points that a person gives in place of the judge's.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "judge/serve/attempt_json.hpp"
#include "judge/serve/class_routes.hpp"

namespace warpbook::serve {
namespace {

using nlohmann::json;

constexpr int kLatestShown = 50;

json short_person(const classroom::Person& person) { return {{"id", person.id}, {"login", person.login}, {"name", person.name}}; }

json answer_json(const store::AnsweredQuestion& answer) {
  return {{"question", answer.question},
          {"answer", answer.answer},
          {"points", answer.points},
          {"of", answer.of},
          {"misconception", answer.misconception}};
}

json history_json(const std::vector<classroom::OverrideEntry>& history) {
  json out = json::array();
  for (const classroom::OverrideEntry& entry : history)
    out.push_back({{"points", entry.lifted ? json() : json(entry.what.points)},
                   {"reason", entry.what.reason},
                   {"by", entry.what.by},
                   {"by_name", entry.by_name},
                   {"set_ms", entry.what.set_ms},
                   {"lifted", entry.lifted}});
  return out;
}

/// The latest answer of each question, in the order in which they were first answered; that of the explanation apart.
void add_answers(const task::Task& task, const std::vector<store::AnsweredQuestion>& all, json& out) {
  std::vector<store::AnsweredQuestion> latest;
  for (const store::AnsweredQuestion& one : all) {
    const auto same = std::find_if(latest.begin(), latest.end(), [&](const auto& other) { return other.question == one.question; });
    if (same == latest.end()) latest.push_back(one);
    else *same = one;
  }
  out["answers"] = json::array();
  out["explanation"] = json();
  for (const store::AnsweredQuestion& one : latest) {
    if (task.explanation && one.question == task.explanation->id) out["explanation"] = answer_json(one);
    else out["answers"].push_back(answer_json(one));
  }
}

Answer show_submission(Service& service, const Request&, const classroom::Person& person, const task::Task& task) {
  const auto store = service.workbook_of(person.id, "en").progress;
  const auto attempts = store->attempts(task.id, kLatestShown);
  if (!attempts) return service.store_failure(attempts.error());
  const auto answers = store->answers(task.id);
  if (!answers) return service.store_failure(answers.error());
  const auto cell = service.desk->gradebook.cell(person.id, task.id);
  if (!cell) return service.store_failure(cell.error());
  const auto history = service.desk->overrides.history(person.id, task.id);
  if (!history) return service.store_failure(history.error());
  json out = {{"person", short_person(person)}, {"task", task.id}, {"cell", to_json(*cell)}, {"attempts", json::array()}};
  for (const store::Attempt& attempt : *attempts) out["attempts"].push_back(attempt_json(attempt, service.began_ms));
  add_answers(task, *answers, out);
  out["overrides"] = history_json(*history);
  return as_json(out);
}

Answer evidence(Service& service, const Request& request) {
  const std::optional<std::int64_t> id = number_in(request.name("attempt"));
  const auto found = id ? service.desk->submissions.find(*id) : Result<std::optional<classroom::Submission>>(std::nullopt);
  if (!found) return service.store_failure(found.error());
  if (!*found) return failure(404, "not-found", fmt::format("there is no attempt '{}'", request.name("attempt")), request.path);
  const classroom::Submission& submission = **found;
  const json result = json::parse(submission.attempt.outcome.result_json, nullptr, false);
  return as_json({{"person", short_person(submission.person)},
                  {"task", submission.attempt.begun.task},
                  {"started_ms", submission.attempt.started_ms},
                  {"source", submission.source ? json(*submission.source) : json()},
                  {"result", result.is_object() ? result : json()}});
}

/// The reason of a body. The Error is the client's.
Result<std::string> reason_in(const json& body) {
  if (!body.contains("reason") || !body["reason"].is_string()) return Error{"'reason' is missing, expected a text: it stays on record"};
  const std::string reason = body["reason"];
  if (Status ok = classroom::check_reason(reason); !ok) return ok.error();
  return reason;
}

Answer cell_of(Service& service, const classroom::Person& person, const task::Task& task) {
  const auto cell = service.desk->gradebook.cell(person.id, task.id);
  return cell ? as_json(to_json(*cell)) : service.store_failure(cell.error());
}

Answer set_points(Service& service, const Request& request, const classroom::Person& person, const task::Task& task) {
  const json points = request.json.value("points", json());
  if (!points.is_number() || !std::isfinite(points.get<double>()) || points.get<double>() < 0 || points.get<double>() > kPointsOfTask)
    return failure(422, "bad-override", fmt::format("'points' is {}, expected a number from 0 to {}", dumped(points), kPointsOfTask),
                   "body");
  const Result<std::string> reason = reason_in(request.json);
  if (!reason) return failure(422, "bad-override", reason.error().what, "body");
  const auto set = service.desk->overrides.set({person.id, task.id, points.get<double>(), *reason, request.who->id, 0});
  if (!set) return service.store_failure(set.error());
  return cell_of(service, person, task);
}

Answer lift_points(Service& service, const Request& request, const classroom::Person& person, const task::Task& task) {
  const Result<std::string> reason = reason_in(request.json);
  if (!reason) return failure(422, "bad-override", reason.error().what, "body");
  const Result<bool> lifted = service.desk->overrides.lift(person.id, task.id, request.who->id, *reason);
  if (!lifted) return service.store_failure(lifted.error());
  if (!*lifted) return failure(409, "no-override", "no points of a person stand here");
  return cell_of(service, person, task);
}

}  // namespace

void add_class_submission_routes(Router& router, Service& service) {
  const std::string of_task = "/api/class/people/{person}/tasks/{id}";
  router.add(Access::kInstructor, "GET", of_task, with_person_and_task(service, show_submission));
  router.add(Access::kInstructor, "GET", "/api/class/attempts/{attempt}", with_service(service, evidence));
  router.add(Access::kInstructor, "PUT", of_task + "/override", Body::kJson, with_person_and_task(service, set_points));
  router.add(Access::kInstructor, "DELETE", of_task + "/override", Body::kJson, with_person_and_task(service, lift_points));
}

}  // namespace warpbook::serve
