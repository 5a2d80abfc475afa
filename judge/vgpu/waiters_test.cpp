#include "judge/vgpu/waiters.hpp"

#include "judge/tests/catch.hpp"

namespace warpbook::vgpu::testing {

namespace {

device::Waiter at(const std::string& what, int line) { return {what, "", {{"a.cu", "k", line, 1}}}; }

}  // namespace

TEST_CASE("warps that wait at one barrier are one entry, and those that have ended come last") {
  WaiterGroups groups(false);
  groups.add({0, 0, 0}, 0, 0xFFFF0000u, {"exited", "", {}});
  for (const int warp : {1, 2, 3, 5}) groups.add({0, 0, 0}, warp, kAllLanes, at("bar.sync 0", 7));
  groups.add({0, 0, 0}, 6, kAllLanes, at("bar.sync 0", 9));
  const std::vector<device::Waiter> all = groups.take(24);
  REQUIRE(all.size() == 3);
  CHECK(all[0].threads == "warps 1-3, 5, lanes 0-31");
  CHECK(all[0].what == "bar.sync 0");
  CHECK(all[1].threads == "warp 6, lanes 0-31");
  CHECK(all[2].threads == "warp 0, lanes 16-31");
}

TEST_CASE("blocks that wait alike are one entry, named one by one while they are few") {
  WaiterGroups few(true), many(true);
  for (std::uint32_t block = 0; block < 2; ++block) few.add({block, 0, 0}, 0, 1, at("a loop that waits for memory to change", 14));
  CHECK(few.take(24).at(0).threads == "blocks (0, 0, 0) and (1, 0, 0), warp 0, lane 0");
  for (std::uint32_t block = 0; block < 432; ++block) {
    many.add({block, 0, 0}, 0, 1, at("a loop that waits for memory to change", 6));
    for (int warp = 1; warp < 4; ++warp) many.add({block, 0, 0}, warp, kAllLanes, at("bar.sync 0", block == 7 ? 9 : 8));
  }
  const std::vector<device::Waiter> all = many.take(24);
  REQUIRE(all.size() == 3);
  CHECK(all[0].threads == "432 blocks, (0, 0, 0) to (431, 0, 0), warp 0, lane 0");
  CHECK(all[1].threads == "431 blocks, (0, 0, 0) to (431, 0, 0), warps 1-3, lanes 0-31");
  CHECK(all[2].threads == "block (7, 0, 0), warps 1-3, lanes 0-31");
}

TEST_CASE("what does not fit is counted") {
  WaiterGroups groups(false);
  for (int warp = 0; warp < 5; ++warp) groups.add({0, 0, 0}, warp, kAllLanes, at("bar.sync 0", warp + 1));
  const std::vector<device::Waiter> all = groups.take(3);
  REQUIRE(all.size() == 4);
  CHECK(all[3].what == "2 more places");
}

}  // namespace warpbook::vgpu::testing
