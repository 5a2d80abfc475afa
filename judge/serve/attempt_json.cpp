#include "judge/serve/attempt_json.hpp"

#include "judge/serve/roofline_json.hpp"

namespace warpbook::serve {

using nlohmann::json;

namespace {

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

}  // namespace

bool was_interrupted(const store::Attempt& attempt, std::int64_t server_began_ms) {
  return !attempt.finished_ms && attempt.started_ms < server_began_ms;
}

json attempt_json(const store::Attempt& attempt, std::int64_t server_began_ms) {
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
          {"interrupted", was_interrupted(attempt, server_began_ms)},
          {"case", shown.is_null() ? json() : shown["name"]},
          {"passes", shown.is_null() ? json::array() : shown.value("passes", json::array())},
          {"counts", counts_json(shown)}};
}

}  // namespace warpbook::serve
