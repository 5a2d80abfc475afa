// From rounds to the time of a launch: what starting a round costs falls out, and one disturbed round moves nothing.
#include "judge/gpu/timing.hpp"

#include "judge/tests/catch.hpp"

using namespace warpbook::gpu;

namespace {

/// Rounds of launches of `seconds` each that cost `start` to begin.
RoundPair pair_of(double seconds, double start, std::uint32_t launches = 100) {
  return {launches, start + launches * seconds, start + 2 * launches * seconds, launches * seconds, 2 * launches * seconds};
}

}  // namespace

TEST_CASE("the time of a launch does not hold what a round costs") {
  const auto timing = timing_of({pair_of(20e-6, 50e-6), pair_of(20e-6, 90e-6), pair_of(20e-6, 500e-6)});
  REQUIRE(timing.has_value());
  CHECK(timing->seconds == Approx(20e-6));
  CHECK(timing->device_seconds == Approx(20e-6));
  CHECK(timing->spread < 1e-9);
}

TEST_CASE("one disturbed round moves neither the time nor the spread; half of them show in the spread") {
  std::vector<RoundPair> pairs(9, pair_of(20e-6, 50e-6));
  pairs[4].wall_twice += 0.1;
  CHECK(timing_of(pairs)->seconds == Approx(20e-6));
  CHECK(timing_of(pairs)->spread < 1e-9);
  for (int i = 0; i < 5; ++i) pairs[static_cast<std::size_t>(i)] = pair_of(20e-6 * (1 + 0.1 * i), 50e-6);
  CHECK(timing_of(pairs)->spread == Approx(0).margin(1e-9));
  for (std::size_t i = 0; i < 9; ++i) pairs[i] = pair_of(20e-6 * (1 + 0.1 * static_cast<double>(i)), 50e-6);
  // The median is 28 us; the distances in units of 2 us are 4 3 2 1 0 1 2 3 4.
  CHECK(timing_of(pairs)->seconds == Approx(28e-6));
  CHECK(timing_of(pairs)->spread == Approx(4e-6 / 28e-6));
}

TEST_CASE("no pairs, and launches that take no time, are no timing") {
  CHECK_FALSE(timing_of({}).has_value());
  CHECK_FALSE(timing_of({pair_of(0, 50e-6)}).has_value());
  RoundPair backwards = pair_of(20e-6, 0);
  std::swap(backwards.wall_once, backwards.wall_twice);
  CHECK_FALSE(timing_of({backwards}).has_value());
}

TEST_CASE("the median of values in any order") {
  CHECK(median({3, 1, 2}) == 2);
  CHECK(median({4, 1, 3, 2}) == 2.5);
  CHECK(median({}) == 0);
}

TEST_CASE("two that were measured in turns are compared turn by turn") {
  // The machine becomes slower all the time: the times of each spread widely, their ratio does not.
  std::vector<RoundPair> own, other;
  for (int i = 1; i <= 9; ++i) {
    own.push_back(pair_of(i * 10e-6, 50e-6, 10));
    other.push_back(pair_of(i * 15e-6, 50e-6, 10));
  }
  CHECK(*ratio_of(other, own) == Approx(1.5));
  CHECK(*ratio_of(own, other) == Approx(1 / 1.5));
  other.resize(3);
  CHECK(*ratio_of(other, own) == Approx(1.5));
  CHECK_FALSE(ratio_of({}, own).has_value());
}

TEST_CASE("a round has as many launches as fill its time") {
  CHECK(launches_for(1e-3, 5e-3, 4096) == 5);
  CHECK(launches_for(1.1e-3, 5e-3, 4096) == 5);
  CHECK(launches_for(1, 5e-3, 4096) == 1);
  CHECK(launches_for(1e-6, 5e-3, 4096) == 4096);
  CHECK(launches_for(0, 5e-3, 7) == 7);
}
