#include "judge/gpu/measurement.hpp"

namespace warpbook::gpu {
namespace {

using nlohmann::json;

json pairs_json(const Contestant& contestant) {
  json pairs = json::array();
  for (const RoundPair& p : contestant.pairs) pairs.push_back({p.launches, p.wall_once, p.wall_twice, p.device_once, p.device_twice});
  return {{"name", contestant.name}, {"pairs", std::move(pairs)}};
}

Contestant contestant_from(const json& j) {
  Contestant contestant;
  contestant.name = j.at("name").get<std::string>();
  for (const json& p : j.at("pairs"))
    contestant.pairs.push_back(
        {p.at(0).get<std::uint32_t>(), p.at(1).get<double>(), p.at(2).get<double>(), p.at(3).get<double>(), p.at(4).get<double>()});
  return contestant;
}

json clock_json(const ClockReading& r) {
  return {{"sm_mhz", r.sm_mhz},
          {"memory_mhz", r.memory_mhz},
          {"most_sm_mhz", r.most_sm_mhz},
          {"most_memory_mhz", r.most_memory_mhz},
          {"temperature", r.temperature},
          {"reasons", r.reasons},
          {"reasons_text", words_of_reasons(r.reasons)}};
}

ClockReading clock_from(const json& j) {
  ClockReading r;
  r.sm_mhz = j.at("sm_mhz").get<unsigned>();
  r.memory_mhz = j.at("memory_mhz").get<unsigned>();
  r.most_sm_mhz = j.at("most_sm_mhz").get<unsigned>();
  r.most_memory_mhz = j.at("most_memory_mhz").get<unsigned>();
  r.temperature = j.at("temperature").get<unsigned>();
  r.reasons = j.at("reasons").get<std::uint64_t>();
  return r;
}

}  // namespace

json to_json(const Measurement& m) {
  json copies = json::array(), alone = json::array(), clocks = json::array();
  for (const Contestant& copy : m.copies) copies.push_back(pairs_json(copy));
  for (const Contestant& copy : m.copies_alone) alone.push_back(pairs_json(copy));
  for (const ClockReading& reading : m.clocks) clocks.push_back(clock_json(reading));
  json j = {{"case", m.case_name},
            {"rows", m.rows},
            {"cols", m.cols},
            {"bytes", m.bytes},
            {"l2_bytes", m.l2_bytes},
            {"sets", m.sets},
            {"own", pairs_json(m.own)},
            {"copies", std::move(copies)},
            {"copies_alone", std::move(alone)},
            {"empty_kernel", pairs_json(m.nothing)},
            {"clocks", std::move(clocks)},
            {"no_clocks", m.no_clocks},
            {"checked", m.checked},
            {"wrong", m.wrong},
            {"not_finished", m.not_finished},
            {"failed", m.failed},
            {"seconds", m.seconds}};
  if (m.reference) j["reference"] = pairs_json(*m.reference);
  return j;
}

Result<Measurement> measurement_from_text(const std::string& text) {
  try {
    const json j = json::parse(text);
    Measurement m;
    m.case_name = j.at("case").get<std::string>();
    m.rows = j.at("rows").get<std::int64_t>();
    m.cols = j.at("cols").get<std::int64_t>();
    m.bytes = j.at("bytes").get<std::uint64_t>();
    m.l2_bytes = j.at("l2_bytes").get<std::uint64_t>();
    m.sets = j.at("sets").get<std::uint32_t>();
    m.own = contestant_from(j.at("own"));
    if (j.contains("reference")) m.reference = contestant_from(j.at("reference"));
    for (const json& copy : j.at("copies")) m.copies.push_back(contestant_from(copy));
    for (const json& copy : j.at("copies_alone")) m.copies_alone.push_back(contestant_from(copy));
    m.nothing = contestant_from(j.at("empty_kernel"));
    for (const json& reading : j.at("clocks")) m.clocks.push_back(clock_from(reading));
    m.no_clocks = j.at("no_clocks").get<std::string>();
    m.checked = j.at("checked").get<std::int64_t>();
    m.wrong = j.at("wrong").get<std::string>();
    m.not_finished = j.at("not_finished").get<std::string>();
    m.failed = j.at("failed").get<std::string>();
    m.seconds = j.at("seconds").get<double>();
    return m;
  } catch (const json::exception& e) {
    return Error{std::string("a measurement cannot be read: ") + e.what()};
  }
}

}  // namespace warpbook::gpu
