// judge run --events FD: what happens, as it happens, for a program that started it.
#include "judge/tests/catch.hpp"
#include "judge/tests/cli/graded.hpp"
#include "judge/tests/cli/submissions.hpp"

using namespace warpbook;
using namespace warpbook::cli;

namespace {

/// judge run WORDS with the shell's redirections behind them.
Said run_with(const Home& home, const std::string& words) {
  run::Command command = home.command({});
  const std::string judge = command.argv[0];
  command.argv = {"/bin/sh", "-c", "exec \"$0\" run " + words, judge};
  return finish(command);
}

std::vector<nlohmann::json> events_in(const Home& home) {
  std::vector<nlohmann::json> events;
  const std::string text = home.read("events.txt");
  for (std::size_t begin = 0, end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    events.push_back(nlohmann::json::parse(text.substr(begin, end - begin), nullptr, false));
    REQUIRE(events.back().is_object());
  }
  return events;
}

}  // namespace

TEST_CASE("a run tells its events on a descriptor") {
  const Home home;
  home.write("work/05-layernorm/exercise.cu", layernorm_with("  const float variance = mean_square - mean * mean;\n"
                                                             "  const float scale = rsqrtf(variance + eps);\n"));
  const Said told = run_with(home, "05 --case plain --case negative-variance --events 5 --json result.json 5>events.txt");
  REQUIRE(told.status == kNotAccepted);
  CHECK(contains(told.out, "negative-variance"));
  const std::vector<nlohmann::json> events = events_in(home);
  REQUIRE(events.size() == 7);
  CHECK(events[0]["event"] == "started");
  CHECK(events[1]["event"] == "compiled");
  CHECK(events[1]["data"]["seconds"].is_number());
  CHECK(events[2]["event"] == "case");
  CHECK(events[3]["event"] == "case");
  CHECK(events[2]["data"]["name"] != events[3]["data"]["name"]);
  CHECK(events[4]["event"] == "advice");
  CHECK(events[5]["event"] == "advice");
  CHECK(events[6]["event"] == "result");
  CHECK(events[6]["data"] == checked_result(home));
}

TEST_CASE("what does not compile tells a result and no case, and a descriptor that is none is refused before anything runs") {
  const Home home;
  home.write("work/05-layernorm/exercise.cu", layernorm_with("  this is no code\n"));
  CHECK(run_with(home, "05 --events 3 3>events.txt").status == kNotAccepted);
  const std::vector<nlohmann::json> events = events_in(home);
  REQUIRE(events.size() == 2);
  CHECK(events[1]["data"]["verdict"] == "CE");
  const Said closed = run_with(home, "05 --events 9");
  CHECK(closed.status == kUsage);
  CHECK(contains(closed.err, "--events 9"));
  CHECK(run_with(home, "05 --events 3 3</dev/null").status == kUsage);
}

TEST_CASE("a reader of events that goes away stops nothing") {
  const Home home;
  home.write("work/05-layernorm/exercise.cu", layernorm_with(kRightVariance));
  const Said told = run_with(home, "05 --case plain --events 3 3>&1 >all.txt 2>err.txt | true; cat all.txt");
  CHECK(contains(told.out, "plain"));
}
