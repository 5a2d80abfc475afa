// What may be said of a measurement, and every reason for saying nothing. The machine of these tests has 50 MB of L2 cache and copies at
// 4 TB/s.
#include "judge/gpu/statement.hpp"

#include "judge/tests/catch.hpp"

using namespace warpbook::gpu;

namespace {

constexpr std::uint64_t kLarge = 400'000'000, kSmall = 20'000'000;
constexpr double kCopyOfLarge = 100e-6;

Contestant steady(const std::string& name, double seconds) {
  Contestant c{name, {}};
  for (int i = 0; i < 9; ++i) {
    const double noise = 1 + 0.001 * (i - 4), launch = seconds * noise;
    c.pairs.push_back({100, 50e-6 + 100 * launch, 50e-6 + 200 * launch, 100 * launch, 200 * launch});
  }
  return c;
}

/// A submission that takes `seconds` on 400 MB, a reference that takes 125 us.
Measurement measured_in(double seconds) {
  Measurement m;
  m.case_name = "plain";
  m.rows = 1000;
  m.cols = 50'000;
  m.bytes = kLarge;
  m.l2_bytes = 50'000'000;
  m.sets = 40;
  m.own = steady("the submission", seconds);
  m.reference = steady("the reference", 125e-6);
  m.copies = {steady("slow copy", 2 * kCopyOfLarge), steady("good copy", kCopyOfLarge)};
  m.nothing = steady("an empty kernel", 2e-6);
  m.clocks = {{1980, 3201, 1980, 3201, 45, 0}};
  return m;
}

bool says(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

bool remarks_on(const Statement& s, const char* part) {
  for (const std::string& remark : s.remarks)
    if (says(remark, part)) return true;
  return false;
}

}  // namespace

TEST_CASE("time, bandwidth, share of the best copy, and the reference") {
  const Statement s = state(measured_in(200e-6));
  REQUIRE(s.kind == StatementKind::kMeasured);
  CHECK(s.own->seconds == Approx(200e-6));
  CHECK(*s.bytes_per_second == Approx(2e12));
  CHECK(*s.share == Approx(0.5));
  CHECK(s.best_copy == "good copy");
  CHECK(*s.copy_seconds == Approx(kCopyOfLarge));
  CHECK(*s.reference == Approx(125e-6));
  CHECK(*s.times_reference == Approx(0.625));
  CHECK(s.remarks.empty());
}

TEST_CASE("the reference by itself is compared with nothing") {
  Measurement m = measured_in(200e-6);
  m.reference.reset();
  const Statement s = state(m);
  CHECK(s.kind == StatementKind::kMeasured);
  CHECK_FALSE(s.reference.has_value());
  CHECK_FALSE(s.times_reference.has_value());
}

TEST_CASE("faster than memory is not accepted where the L2 cache cannot explain it, and never given a share where it can") {
  const Statement s = state(measured_in(90e-6));
  CHECK(s.kind == StatementKind::kNotAccepted);
  CHECK(says(s.why, "111.1 %"));
  CHECK(says(s.why, "good copy"));
  CHECK_FALSE(s.bytes_per_second.has_value());
  // Within what was measured to be uncertain it is as fast as memory.
  CHECK(state(measured_in(99.7e-6)).kind == StatementKind::kMeasured);

  Measurement small = measured_in(90e-6);
  small.bytes = kSmall;
  const Statement fits = state(small);
  CHECK(fits.kind == StatementKind::kMeasured);
  CHECK_FALSE(fits.share.has_value());
  CHECK(fits.times_reference.has_value());
  CHECK(remarks_on(fits, "fit into the L2 cache"));
}

TEST_CASE("a copy that cannot be timed is no ceiling, and without a ceiling nothing is said") {
  Measurement m = measured_in(200e-6);
  for (std::size_t i = 0; i < m.copies[1].pairs.size(); ++i) m.copies[1].pairs[i].wall_twice += 2e-3 * static_cast<double>(i);
  const Statement s = state(m);
  REQUIRE(s.kind == StatementKind::kMeasured);
  CHECK(s.best_copy == "slow copy");
  CHECK(*s.share == Approx(1.0));
  m.copies.pop_back();
  m.copies[0].pairs.clear();
  CHECK(state(m).kind == StatementKind::kNotMeasurable);
}

TEST_CASE("copies that became slower when the submission came are no ceiling") {
  Measurement m = measured_in(200e-6);
  m.copies_alone = {steady("good copy", 0.95 * kCopyOfLarge)};
  CHECK(state(m).kind == StatementKind::kMeasured);
  m.copies_alone = {steady("good copy", 0.85 * kCopyOfLarge)};
  const Statement s = state(m);
  CHECK(s.kind == StatementKind::kNotMeasurable);
  CHECK(says(s.why, "85.00 us"));
  CHECK(says(s.why, "something else uses the GPU"));
}

TEST_CASE("an unsteady time is none") {
  Measurement m = measured_in(200e-6);
  for (std::size_t i = 0; i < m.own.pairs.size(); ++i) {
    m.own.pairs[i].wall_twice += 8e-3 * static_cast<double>(i);
    m.own.pairs[i].device_twice += 8e-3 * static_cast<double>(i);
  }
  const Statement s = state(m);
  CHECK(s.kind == StatementKind::kNotMeasurable);
  CHECK(says(s.why, "around their median"));
  CHECK(says(s.why, "the submission"));
}

TEST_CASE("an unsteady reference is left out, the rest is said") {
  Measurement m = measured_in(200e-6);
  for (std::size_t i = 0; i < m.reference->pairs.size(); ++i) m.reference->pairs[i].wall_twice += 8e-3 * static_cast<double>(i);
  const Statement s = state(m);
  CHECK(s.kind == StatementKind::kMeasured);
  CHECK(s.share.has_value());
  CHECK_FALSE(s.times_reference.has_value());
  CHECK(remarks_on(s, "not compared with the reference"));
}

TEST_CASE("two clocks that disagree make no statement, and both are told") {
  Measurement m = measured_in(200e-6);
  for (RoundPair& pair : m.own.pairs) pair.device_twice = pair.device_once + 100 * 180e-6;
  const Statement s = state(m);
  CHECK(s.kind == StatementKind::kNotMeasurable);
  CHECK(says(s.why, "200.00 us"));
  CHECK(says(s.why, "180.00 us"));
  for (RoundPair& pair : m.own.pairs) pair.device_twice = pair.device_once + 100 * 196e-6;
  CHECK(state(m).times_reference.has_value());
  for (RoundPair& pair : m.reference->pairs) pair.device_twice = pair.device_once;
  CHECK(state(m).kind == StatementKind::kMeasured);
  CHECK_FALSE(state(m).times_reference.has_value());
  CHECK(remarks_on(state(m), "not compared with the reference"));
}

TEST_CASE("a GPU that slowed itself down makes no statement; a power limit is told") {
  Measurement m = measured_in(200e-6);
  m.clocks.push_back({1200, 3201, 1980, 3201, 90, 0x20});
  const Statement hot = state(m);
  CHECK(hot.kind == StatementKind::kNotMeasurable);
  CHECK(says(hot.why, "software heat slowdown"));
  m.clocks.back().reasons = 0x04;
  const Statement limited = state(m);
  CHECK(limited.kind == StatementKind::kMeasured);
  CHECK(remarks_on(limited, "power limit"));
  m.clocks.back().reasons = 0x01 | 0x02;  // idle, or clocks set by an application
  CHECK(state(m).remarks.empty());
}

TEST_CASE("a time near that of an empty kernel is called the time of a launch and has no share") {
  Measurement m = measured_in(200e-6);
  m.nothing = steady("an empty kernel", 150e-6);
  const Statement s = state(m);
  CHECK(s.kind == StatementKind::kMeasured);
  CHECK_FALSE(s.share.has_value());
  CHECK(remarks_on(s, "time of a launch"));
}

TEST_CASE("a wrong output, an early answer and our own failure come before any time") {
  Measurement m = measured_in(200e-6);
  m.not_finished = "y[3][0] of a timed launch was not written";
  CHECK(state(m).kind == StatementKind::kNotAccepted);
  CHECK(state(m).why == m.not_finished);
  m.wrong = "WA value: y[0][0] is 1 where 2 is right";
  CHECK(state(m).kind == StatementKind::kWrong);
  m.failed = "sharing device memory";
  CHECK(state(m).kind == StatementKind::kFailed);
  CHECK_FALSE(state(m).own.has_value());
}

TEST_CASE("inputs that may have lain in the L2 cache are remarked on") {
  Measurement m = measured_in(200e-6);
  m.bytes = 1000;
  CHECK(remarks_on(state(m), "may have been found there"));
}

TEST_CASE("clocks that nobody could watch are remarked on") {
  Measurement m = measured_in(200e-6);
  m.clocks.clear();
  m.no_clocks = "libnvidia-ml.so.1 was not found";
  CHECK(remarks_on(state(m), "libnvidia-ml.so.1"));
}

TEST_CASE("a measurement comes back from its text as it was") {
  Measurement m = measured_in(200e-6);
  m.checked = 3;
  m.copies_alone = {steady("good copy", 95e-6)};
  m.sets = 7;
  m.wrong = "w";
  m.not_finished = "n";
  m.failed = "f";
  m.seconds = 1.5;
  const auto back = measurement_from_text(to_json(m).dump());
  REQUIRE(back);
  CHECK(to_json(*back) == to_json(m));
  CHECK(back->own.pairs.size() == 9);
  CHECK(back->clocks.at(0).sm_mhz == 1980);
  m.reference.reset();
  CHECK_FALSE(measurement_from_text(to_json(m).dump())->reference.has_value());
  CHECK_FALSE(measurement_from_text("{}"));
  CHECK_FALSE(measurement_from_text(""));
}
