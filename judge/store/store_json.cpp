#include "judge/store/store_json.hpp"

#include "judge/base/number_json.hpp"

namespace warpbook::store {

using nlohmann::json;

void to_json(json& j, const NewAttempt& a) {
  j = {{"task", a.task}, {"source_hash", a.source_hash}, {"seed", a.seed}, {"device", a.device}, {"source", a.source}};
}

void from_json(const json& j, NewAttempt& a) {
  j.at("task").get_to(a.task);
  j.at("source_hash").get_to(a.source_hash);
  j.at("seed").get_to(a.seed);
  j.at("device").get_to(a.device);
  j.at("source").get_to(a.source);
}

void to_json(json& j, const RecordedMeasurement& m) { j = {{"name", m.name}, {"value", number_to_json(m.value)}, {"unit", m.unit}}; }

void from_json(const json& j, RecordedMeasurement& m) {
  j.at("name").get_to(m.name);
  m.value = number_from_json(j.at("value"));
  j.at("unit").get_to(m.unit);
}

void to_json(json& j, const AttemptOutcome& o) {
  j = {{"verdict", o.verdict},         {"points", number_to_json(o.points)}, {"passed", o.passed},          {"medal", o.medal},
       {"result_json", o.result_json}, {"measurements", o.measurements},     {"provisional", o.provisional}};
}

void from_json(const json& j, AttemptOutcome& o) {
  j.at("verdict").get_to(o.verdict);
  o.points = number_from_json(j.at("points"));
  j.at("passed").get_to(o.passed);
  j.at("medal").get_to(o.medal);
  j.at("result_json").get_to(o.result_json);
  j.at("measurements").get_to(o.measurements);
  j.at("provisional").get_to(o.provisional);
}

void to_json(json& j, const Attempt& a) {
  j = {{"id", a.id}, {"begun", a.begun}, {"started_ms", a.started_ms}, {"outcome", a.outcome}};
  if (a.finished_ms) j["finished_ms"] = *a.finished_ms;
}

void from_json(const json& j, Attempt& a) {
  j.at("id").get_to(a.id);
  j.at("begun").get_to(a.begun);
  j.at("started_ms").get_to(a.started_ms);
  if (j.contains("finished_ms")) a.finished_ms = j.at("finished_ms").get<std::int64_t>();
  j.at("outcome").get_to(a.outcome);
}

void to_json(json& j, const ShownHint& h) { j = {{"task", h.task}, {"blank", h.blank}, {"level", h.level}, {"tags", h.tags}}; }

void from_json(const json& j, ShownHint& h) {
  j.at("task").get_to(h.task);
  j.at("blank").get_to(h.blank);
  j.at("level").get_to(h.level);
  j.at("tags").get_to(h.tags);
}

void to_json(json& j, const AnsweredQuestion& a) {
  j = {{"task", a.task},
       {"question", a.question},
       {"answer", a.answer},
       {"points", number_to_json(a.points)},
       {"of", number_to_json(a.of)},
       {"misconception", a.misconception}};
}

void from_json(const json& j, AnsweredQuestion& a) {
  j.at("task").get_to(a.task);
  j.at("question").get_to(a.question);
  j.at("answer").get_to(a.answer);
  a.points = number_from_json(j.at("points"));
  a.of = number_from_json(j.at("of"));
  j.at("misconception").get_to(a.misconception);
}

void to_json(json& j, const Progress& p) {
  j = {{"task", p.task},   {"attempts", p.attempts},     {"best_points", number_to_json(p.best_points)}, {"passed", p.passed},
       {"medal", p.medal}, {"hint_level", p.hint_level}, {"solution_opened", p.solution_opened}};
}

void from_json(const json& j, Progress& p) {
  j.at("task").get_to(p.task);
  j.at("attempts").get_to(p.attempts);
  p.best_points = number_from_json(j.at("best_points"));
  j.at("passed").get_to(p.passed);
  j.at("medal").get_to(p.medal);
  j.at("hint_level").get_to(p.hint_level);
  j.at("solution_opened").get_to(p.solution_opened);
}

}  // namespace warpbook::store
