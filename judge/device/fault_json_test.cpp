#include "judge/device/fault_json.hpp"

#include "judge/tests/catch.hpp"

using namespace warpbook::device;

TEST_CASE("a finding survives the way through JSON") {
  Fault f;
  f.kind = FaultKind::kRace;
  f.severity = Severity::kWarning;
  f.code = Code::kLaunchFailure;
  f.kernel = "k(int*)";
  f.message = "two threads";
  f.frames = {{"a.cu", "k", 3, 4}, {"b.cuh", "f", 9, 1}};
  f.instruction = "st.shared.f32";
  f.thread = {1, 2, 3};
  f.block = {4, 5, 6};
  f.address = 0x700000010;
  f.bytes = 4;
  f.space = "shared";
  f.waiters = {{"bar.sync 0", "warp 1", {{"a.cu", "k", 7, 1}}}};
  f.related = {{"read of 4 bytes", {7, 0, 0}, {4, 5, 6}, {{"a.cu", "k", 2, 1}}}};
  f.lanes_affected = 12;
  const nlohmann::json j = fault_to_json(f);
  CHECK(j.at("category").at("tool") == "racecheck");
  CHECK(j.at("kind") == "race");
  const Fault back = fault_from_json(nlohmann::json::parse(j.dump()));
  CHECK(fault_to_json(back) == j);
  CHECK(back.kind == FaultKind::kRace);
  CHECK(back.related.at(0).frames.at(0).line == 2);
}

TEST_CASE("JSON that is no finding gives defaults, not an exception") {
  const Fault f = fault_from_json(nlohmann::json::parse(R"({"kind": 5, "thread": ["x"], "frames": 3, "lanes": "many"})"));
  CHECK(f.kind == FaultKind::kNone);
  CHECK(f.frames.empty());
  CHECK(f.lanes_affected == 1);
}

TEST_CASE("counters survive the way through JSON") {
  Counters c;
  c.thread_instructions = 1;
  c.global_store_sectors = 77;
  c.shared_requests = 9;
  const Counters back = counters_from_json(counters_to_json(c));
  CHECK(back.thread_instructions == 1);
  CHECK(back.global_store_sectors == 77);
  CHECK(back.shared_requests == 9);
  CHECK(back.warp_instructions == 0);
}
