// What is handed on through memory: how far, to whom, and through whose hands.
#include "judge/vgpu/watch/race_release.hpp"

#include "judge/tests/catch.hpp"

namespace warpbook::vgpu::testing {

namespace {

constexpr std::uint64_t kFlag = 100, kOther = 200;

RaceKnown thread_before(std::uint16_t thread, RaceTime time) { return {0, {{thread, 1, time}}}; }

}  // namespace

TEST_CASE("who acquires a flag knows what the releasing thread did before, and no more") {
  RaceReleases releases;
  releases.release(kFlag, 1, false, thread_before(5, 40), {});
  RaceAcquiredList acquired;
  releases.acquire(kFlag, acquired);
  CHECK(releases.cover(acquired, 2, 1, 5, 39));
  CHECK_FALSE(releases.cover(acquired, 2, 1, 5, 40));  // done after the release
  CHECK_FALSE(releases.cover(acquired, 2, 1, 6, 39));  // another thread
  CHECK_FALSE(releases.cover(acquired, 2, 3, 5, 39));  // another block
  CHECK_FALSE(releases.cover({}, 2, 1, 5, 39));
  CHECK(releases.seen(acquired, kFlag));
  CHECK_FALSE(releases.seen(acquired, kOther));
}

TEST_CASE("what is released after an acquire is not known by it") {
  RaceReleases releases;
  releases.release(kFlag, 1, false, thread_before(0, 10), {});
  RaceAcquiredList early, late;
  releases.acquire(kFlag, early);
  releases.release(kFlag, 1, false, thread_before(0, 20), {});
  releases.acquire(kFlag, late);
  CHECK_FALSE(releases.cover(early, 2, 1, 0, 15));
  CHECK(releases.cover(late, 2, 1, 0, 15));
  join(early, late);
  CHECK(releases.cover(early, 2, 1, 0, 15));
}

TEST_CASE("an earlier release of a block counts though a later one knows less") {
  RaceReleases releases;
  releases.release(kFlag, 1, false, thread_before(7, 50), {});
  releases.release(kFlag, 1, false, thread_before(3, 20), {});  // fenced earlier, written later
  RaceAcquiredList acquired;
  releases.acquire(kFlag, acquired);
  CHECK(releases.cover(acquired, 2, 1, 7, 49));
  CHECK(releases.cover(acquired, 2, 1, 3, 19));
}

TEST_CASE("knowledge goes through hands: the third block knows what the first did") {
  RaceReleases releases;
  releases.release(kFlag, 1, false, thread_before(0, 10), {});
  RaceAcquiredList second;
  releases.acquire(kFlag, second);
  releases.release(kOther, 2, false, thread_before(0, 30), second);
  RaceAcquiredList third;
  releases.acquire(kOther, third);
  CHECK(releases.cover(third, 3, 1, 0, 9));
  CHECK_FALSE(releases.cover(third, 3, 1, 0, 10));
}

TEST_CASE("a fence of the block's scope reaches no other block") {
  RaceReleases releases;
  releases.release(kFlag, 1, true, thread_before(0, 10), {});
  RaceAcquiredList acquired;
  releases.acquire(kFlag, acquired);
  CHECK(releases.cover(acquired, 1, 1, 0, 9));
  CHECK_FALSE(releases.cover(acquired, 2, 1, 0, 9));
  // ... nor does it by way of another thread's release in the same scope.
  RaceReleases chained;
  chained.release(kFlag, 1, false, thread_before(0, 10), {});
  RaceAcquiredList second, third;
  chained.acquire(kFlag, second);
  chained.release(kOther, 2, true, thread_before(0, 20), second);
  chained.acquire(kOther, third);
  CHECK(chained.cover(third, 2, 1, 0, 9));
  CHECK_FALSE(chained.cover(third, 3, 1, 0, 9));
}

TEST_CASE("knowledge of neighbouring threads becomes one part, older knowledge goes") {
  RaceKnown known = thread_before(4, 30);
  known.merge(thread_before(5, 30));
  known.merge(thread_before(5, 20));
  CHECK(known.holds(4, 29));
  CHECK(known.holds(5, 29));
  CHECK_FALSE(known.holds(6, 10));
  known.merge({40, {}});
  CHECK(known.parts.empty());
  CHECK(known.holds(6, 39));
}

}  // namespace warpbook::vgpu::testing
