// Pages of shadow: made when touched, forgotten between launches, cut finer when somebody touches less than a word; and what they do with
// more events than they can number.
#include "judge/vgpu/watch/race_shadow.hpp"

#include "judge/tests/catch.hpp"

namespace warpbook::vgpu::testing {

namespace {

/// Puts a stamp into a cell.
void put(RacePage& page, RaceKind kind, std::size_t cell, RaceStamp stamp) {
  unsigned guess = 0;
  const RaceMark mark = page.mark(stamp, guess);
  page.made(kind)[cell] = mark;
}

constexpr RaceActor who(std::uint32_t thread, std::uint32_t site) { return thread << kRaceThreadShift | site; }

}  // namespace

TEST_CASE("a cell of four bytes becomes four of one, each as the whole was") {
  RaceShadow shadow(0x1001, 3 * kRacePageBytes);
  RacePage& page = shadow.page(0x1204, 1);
  CHECK(page.cells() == kRacePageBytes / 4);
  CHECK(page.marks(kRaceWrites) == nullptr);
  put(page, kRaceWrites, 1, {7, who(99, 5)});
  page.refine(0);
  CHECK(page.cells() == kRacePageBytes);
  CHECK(page.marks(kRaceReads) == nullptr);
  for (std::size_t cell = 0; cell < 12; ++cell) {
    INFO(cell);
    CHECK(page.at(kRaceWrites, cell).time == (cell / 4 == 1 ? 7u : 0u));
  }
  CHECK(page.at(kRaceWrites, 5).who == who(99, 5));
  page.refine(2);  // never coarser again
  CHECK(page.shift() == 0);
}

TEST_CASE("a launch finds nothing of the one before it, and addresses that share a page share cells") {
  RaceShadow shadow(0x1001, 3 * kRacePageBytes);
  RacePage& page = shadow.page(0x1001, 1);
  put(page, kRaceReads, 0, {3, who(1, 0)});
  CHECK(&shadow.page(0x11FF, 1) == &page);
  CHECK(shadow.page(0x11FF, 1).at(kRaceReads, 0).time == 3);
  CHECK(shadow.page(0x11FF, 2).at(kRaceReads, 0).time == 0);
  CHECK(&shadow.page(0x1600, 2) != &page);  // the last byte of the region lies here
}

TEST_CASE("what a page holds of an access comes back whole: time, thread, strength and site") {
  RaceShadow shadow(0, kRacePageBytes);
  RacePage& page = shadow.page(0, 1);
  unsigned guess = 0;
  for (std::uint32_t i = 0; i < 60; ++i) put(page, kRaceWrites, i, {9 + i / 20, who(1023 - i, i) | (i % 2 == 0 ? kRaceStrong : 0u)});
  for (std::uint32_t i = 0; i < 60; ++i) {
    INFO(i);
    CHECK(page.at(kRaceWrites, i).time == 9 + i / 20);
    CHECK(page.at(kRaceWrites, i).who == (who(1023 - i, i) | (i % 2 == 0 ? kRaceStrong : 0u)));
  }
  // Threads differ in the mark, not in the event.
  const RaceMark one = page.mark({20, who(0, 1)}, guess), other = page.mark({20, who(31, 1)}, guess);
  CHECK(one >> kRaceMarkShift == other >> kRaceMarkShift);
}

TEST_CASE("a page that meets more events than it can number forgets those that no cell holds, then the oldest") {
  RaceShadow shadow(0, kRacePageBytes);
  RacePage& page = shadow.page(0, 1);
  put(page, kRaceReads, 100, {1, who(3, 1)});
  for (RaceTime time = 2; time < 1000; ++time) put(page, kRaceWrites, time % 20, {time, who(1, 1)});
  CHECK(page.at(kRaceReads, 100).time == 1);  // nothing had to go that is still there
  for (RaceTime time = 980; time < 1000; ++time) CHECK(page.at(kRaceWrites, time % 20).time == time);

  for (RaceTime time = 1000; time < 1120; ++time) put(page, kRaceWrites, time - 1000, {time, who(2, 1)});
  CHECK(page.at(kRaceReads, 100).time == 0);
  for (RaceTime time = 1090; time < 1120; ++time) CHECK(page.at(kRaceWrites, time - 1000).time == time);
  for (std::size_t cell = 0; cell < page.cells(); ++cell) {
    const RaceTime time = page.at(kRaceWrites, cell).time;
    CHECK((time == 0 || time == 1000 + cell));
  }
}

TEST_CASE("shadow of any width stays below 7.5 bytes a byte, however many threads and times there are") {
  RaceShadow shadow(0, 64 * kRacePageBytes - 1);
  for (std::uint64_t number = 0; number < 64; ++number) {
    RacePage& page = shadow.page(number * kRacePageBytes, 1);
    page.refine(0);
    for (std::size_t cell = 0; cell < page.cells(); ++cell) {
      for (const RaceKind kind : {kRaceWrites, kRaceReads, kRaceOthers})
        put(page, kind, cell, {static_cast<RaceTime>(1 + number * 5000 + cell * 3 + kind), who(static_cast<std::uint32_t>(cell), 1)});
    }
  }
  const double held = static_cast<double>(shadow.held_bytes()) / (64.0 * kRacePageBytes);
  CHECK(held > 6.0);
  CHECK(held < 7.5);
}

}  // namespace warpbook::vgpu::testing
