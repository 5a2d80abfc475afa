#include "judge/device/meters_json.hpp"

#include "judge/device/fault_json.hpp"

namespace warpbook::device {

namespace {

using nlohmann::json;

json to_json(const Dim3& d) { return json::array({d.x, d.y, d.z}); }
Dim3 dim_from(const json& j) { return {j.at(0), j.at(1), j.at(2)}; }

json to_json(const Occupancy& o) {
  return {{"blocks", o.blocks},       {"warps", o.warps},           {"warps_of", o.warps_of},
          {"registers", o.registers}, {"spilled", o.spilled_bytes}, {"limit", name_of(o.limit)}};
}

Occupancy occupancy_from(const json& j) {
  Occupancy o;
  o.blocks = j.at("blocks");
  o.warps = j.at("warps");
  o.warps_of = j.at("warps_of");
  o.registers = j.at("registers");
  o.spilled_bytes = j.at("spilled");
  for (const auto limit : {OccupancyLimit::kThreads, OccupancyLimit::kBlocks, OccupancyLimit::kRegisters, OccupancyLimit::kShared})
    if (j.at("limit") == name_of(limit)) o.limit = limit;
  return o;
}

/// `at` has the lanes that take part, in order, and no others.
json to_json(const AccessExample& e) {
  json at = json::array();
  for (std::size_t lane = 0; lane < e.at.size(); ++lane)
    if ((e.lanes >> lane & 1u) != 0) at.push_back(e.at[lane]);
  return {{"space", e.shared ? "shared" : "global"},
          {"reads", e.reads},
          {"writes", e.writes},
          {"atomic", e.atomic},
          {"tensor", e.tensor},
          {"bytes", e.bytes},
          {"lanes", e.lanes},
          {"at", std::move(at)},
          {"phase", e.phase},
          {"count", e.count},
          {"ideal", e.ideal}};
}

AccessExample example_from(const json& j) {
  AccessExample e;
  e.shared = j.at("space") == "shared";
  e.reads = j.at("reads");
  e.writes = j.at("writes");
  e.atomic = j.at("atomic");
  e.tensor = j.at("tensor");
  e.bytes = j.at("bytes");
  e.lanes = j.at("lanes");
  e.phase = j.at("phase");
  e.count = j.at("count");
  e.ideal = j.at("ideal");
  std::size_t next = 0;
  for (std::size_t lane = 0; lane < e.at.size(); ++lane)
    if ((e.lanes >> lane & 1u) != 0) e.at[lane] = j.at("at").at(next++);
  return e;
}

json to_json(const LineMeters& line) {
  json frames = json::array();
  for (const Frame& f : line.frames) frames.push_back({{"file", f.file}, {"line", f.line}, {"column", f.column}, {"function", f.function}});
  json out = {{"frames", frames}, {"counters", counters_to_json(line.counters)}};
  for (const AccessExample& e : line.examples) out["examples"].push_back(to_json(e));
  return out;
}

LineMeters line_from(const json& j) {
  LineMeters line;
  for (const json& f : j.at("frames")) line.frames.push_back({f.at("file"), f.at("function"), f.at("line"), f.at("column")});
  line.counters = counters_from_json(j.at("counters"));
  for (const json& e : j.value("examples", json::array())) line.examples.push_back(example_from(e));  // older results have none
  return line;
}

}  // namespace

json meters_to_json(const KernelMeters& m) {
  json out = {{"kernel", m.kernel},
              {"entry", m.entry},
              {"grid", to_json(m.grid)},
              {"block", to_json(m.block)},
              {"static_shared", m.static_shared},
              {"dynamic_shared", m.dynamic_shared},
              {"launches", m.launches},
              {"counters", counters_to_json(m.counters)}};
  if (m.occupancy) out["occupancy"] = to_json(*m.occupancy);
  if (m.lines.empty()) return out;
  out["dram"] = {{"compulsory_read", m.compulsory_read_bytes},
                 {"compulsory_write", m.compulsory_write_bytes},
                 {"uncached_read", m.uncached_read_bytes()},
                 {"uncached_write", m.uncached_write_bytes()}};
  out["lines"] = json::array();
  for (const LineMeters& line : m.lines) out["lines"].push_back(to_json(line));
  return out;
}

KernelMeters meters_from_json(const json& j) {
  KernelMeters m;
  m.kernel = j.at("kernel");
  m.entry = j.at("entry");
  m.grid = dim_from(j.at("grid"));
  m.block = dim_from(j.at("block"));
  m.static_shared = j.at("static_shared");
  m.dynamic_shared = j.at("dynamic_shared");
  m.launches = j.at("launches");
  m.counters = counters_from_json(j.at("counters"));
  if (j.contains("occupancy")) m.occupancy = occupancy_from(j.at("occupancy"));
  if (!j.contains("lines")) return m;
  m.compulsory_read_bytes = j.at("dram").at("compulsory_read");
  m.compulsory_write_bytes = j.at("dram").at("compulsory_write");
  for (const json& line : j.at("lines")) m.lines.push_back(line_from(line));
  return m;
}

}  // namespace warpbook::device
