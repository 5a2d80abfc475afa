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
  const nlohmann::json j = meters_to_json(m);
  const KernelMeters back = meters_from_json(j);
  CHECK(meters_to_json(back) == j);
  CHECK(back.occupancy->limit == OccupancyLimit::kRegisters);
  CHECK(back.lines.front().counters.divergent_branches == 9);
  CHECK(back.grid == m.grid);
  m.lines.clear();
  m.occupancy.reset();
  CHECK_FALSE(meters_to_json(m).contains("dram"));
  CHECK_FALSE(meters_from_json(meters_to_json(m)).occupancy);
}

}  // namespace warpbook::device
