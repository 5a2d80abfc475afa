#include "judge/device/meters_json.hpp"

#include "judge/tests/catch.hpp"

namespace warpbook::device {

TEST_CASE("meters survive the way through JSON") {
  KernelMeters m;
  m.kernel = "kernel(float*)";
  m.entry = "_Z6kernelPf";
  m.grid = {3, 2, 1};
  m.block = {256, 1, 1};
  m.static_shared = 128;
  m.dynamic_shared = 4096;
  m.launches = 2;
  m.counters.global_load_sectors = 77;
  m.counters.shared_wavefronts = 5;
  m.compulsory_read_bytes = 64;
  m.occupancy = occupancy_of(256, 33, 4224, Properties{});
  m.occupancy->spilled_bytes = 12;
  m.lines.push_back({{{"a.cu", "f", 7, 3}}, {}});
  m.lines.front().counters.divergent_branches = 9;
  AccessExample strided;
  strided.reads = true;
  strided.tensor = "x";
  strided.lanes = 0b101;
  strided.at[0] = -4;
  strided.at[2] = 256;
  strided.phase = 8;
  strided.count = 2;
  strided.ideal = 1;
  m.lines.front().offer(strided);
  const nlohmann::json j = meters_to_json(m);
  const KernelMeters back = meters_from_json(j);
  CHECK(meters_to_json(back) == j);
  CHECK(back.occupancy->limit == OccupancyLimit::kRegisters);
  CHECK(back.lines.front().counters.divergent_branches == 9);
  CHECK(back.grid == m.grid);
  REQUIRE(back.lines.front().examples.size() == 1);
  CHECK(back.lines.front().examples.front().at == strided.at);
  CHECK(j["lines"][0]["examples"][0]["at"] == nlohmann::json{-4, 256});
  m.lines.clear();
  m.occupancy.reset();
  CHECK_FALSE(meters_to_json(m).contains("dram"));
  CHECK_FALSE(meters_from_json(meters_to_json(m)).occupancy);
}

TEST_CASE("of two requests the one that wastes more is a line's example, then the one with more lanes") {
  LineMeters line;
  const auto offer = [&](bool shared, std::uint32_t count, std::uint32_t ideal, std::uint32_t lanes) {
    AccessExample e;
    e.shared = shared;
    e.count = count;
    e.ideal = ideal;
    e.lanes = lanes;
    line.offer(e);
  };
  offer(false, 2, 1, 0b111);       // a tail across a boundary: ratio 2
  offer(false, 5, 4, 0xFFFFFFFF);  // as much waste, by the whole warp
  offer(true, 1, 1, 0xFFFFFFFF);
  CHECK(line.examples.size() == 2);
  CHECK(line.examples[0].count == 5);
  offer(false, 4, 4, 0xFFFFFFFF);
  CHECK(line.examples[0].count == 5);
  offer(false, 8, 4, 0xFFFF);
  CHECK(line.examples[0].count == 8);
  CHECK(line.examples[1].shared);
}

}  // namespace warpbook::device
