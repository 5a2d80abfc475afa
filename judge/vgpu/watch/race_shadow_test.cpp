// Pages of shadow: made when touched, forgotten between launches, cut finer when somebody touches less than a word.
#include "judge/vgpu/watch/race_shadow.hpp"

#include "judge/tests/catch.hpp"

namespace warpbook::vgpu::testing {

TEST_CASE("a cell of four bytes becomes four of one, each as the whole was") {
  RaceShadow shadow(0x1001, 3 * kRacePageBytes);
  RacePage& page = shadow.page(0x2004, 1);
  CHECK(page.cells() == kRacePageBytes / 4);
  CHECK_FALSE(page.writes);
  page.made(page.writes).set(1, {7, 99});
  page.refine(0);
  CHECK(page.cells() == kRacePageBytes);
  CHECK_FALSE(page.reads);
  for (std::size_t cell = 0; cell < 12; ++cell) {
    INFO(cell);
    CHECK(page.writes.at(cell).time == (cell / 4 == 1 ? 7u : 0u));
  }
  CHECK(page.writes.at(5).who == 99);
  page.refine(2);  // never coarser again
  CHECK(page.shift == 0);
}

TEST_CASE("a launch finds nothing of the one before it, and addresses that share a page share cells") {
  RaceShadow shadow(0x1001, 3 * kRacePageBytes);
  RacePage& page = shadow.page(0x1001, 1);
  page.made(page.reads).set(0, {3, 1});
  CHECK(&shadow.page(0x1FFF, 1) == &page);
  CHECK(shadow.page(0x1FFF, 1).reads.at(0).time == 3);
  CHECK(shadow.page(0x1FFF, 2).reads.at(0).time == 0);
  CHECK(&shadow.page(0x4000, 2) != &page);  // the last byte of the region lies here
}

}  // namespace warpbook::vgpu::testing
