// Host code without end costs its limit of processor time, five seconds.
#include "judge/tests/catch.hpp"
#include "judge/tests/cli/graded.hpp"
#include "judge/tests/cli/leftovers.hpp"
#include "judge/tests/cli/submissions.hpp"

using namespace warpbook::cli;

TEST_CASE("TLE: host code that never ends") {
  const Home home;
  const Graded graded = grade_softmax(home, softmax_with("  for (volatile unsigned i = 0;; i = i + 1) {}\n" + kLaunchSoftmax));
  CHECK(graded.said.status == kNotAccepted);
  CHECK(graded.verdict() == "TLE");
  CHECK(graded.reason() == "cpu-time");
  CHECK(contains(graded.said.out, "the host code used more than 5 s of processor time"));
  CHECK(leftover_processes(home).empty());
}

TEST_CASE("TLE: host code that sleeps for ever ends by the clock") {
  const Home home;
  const Graded graded = grade_softmax(home, softmax_with("  for (;;) pause();\n" + kLaunchSoftmax));
  CHECK(graded.said.status == kNotAccepted);
  CHECK(graded.verdict() == "TLE");
  CHECK(graded.reason() == "wall-clock");
  CHECK(contains(graded.said.out, "the run took longer than 20 s"));
  CHECK(leftover_processes(home).empty());
}
