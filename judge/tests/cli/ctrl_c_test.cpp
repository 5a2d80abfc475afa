// Ctrl-C: the judge ends at once, leaves no process, no temporary folder and no half-written file, and the next run works. The attempt
// stays on record without a verdict.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "judge/store/sqlite_store.hpp"
#include "judge/tests/catch.hpp"
#include "judge/tests/cli/graded.hpp"
#include "judge/tests/cli/leftovers.hpp"
#include "judge/tests/cli/submissions.hpp"

using namespace warpbook;
using namespace warpbook::cli;

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatienceToStart{120};  // a cold compilation on a busy machine
constexpr double kPrompt = 3;                          // seconds from the signal to the end

/// As the terminal does it: the whole foreground group gets the signal, children in groups of their own do not.
void interrupt_group(const run::Child& judge) { ::kill(-judge.pid(), SIGINT); }
/// As another program does it: the judge alone.
void terminate_judge(const run::Child& judge) { ::kill(judge.pid(), SIGTERM); }

bool is_running(const Home& home, const std::string& program) {
  const auto all = processes_of(home);
  return std::any_of(all.begin(), all.end(), [&](const std::string& words) { return contains(words, program); });
}

/// Starts judge, waits until `program` runs on its behalf, sends the signal and checks the end.
void check_interrupted(const Home& home, const Words& words, const std::string& program, void (*send)(const run::Child&)) {
  Result<run::Child> judge = run::Child::start(home.command(words));
  REQUIRE(judge);
  const bool begun = wait_for([&] { return is_running(home, program) || judge->poll(); }, kPatienceToStart);
  REQUIRE(begun);
  REQUIRE_FALSE(judge->poll());
  const Clock::time_point sent = Clock::now();
  send(*judge);
  const Said end = said(judge->wait());
  const double seconds = std::chrono::duration<double>(Clock::now() - sent).count();
  CHECK(end.status == kCouldNot);
  CHECK(contains(end.err, "interrupted"));
  CHECK(end.out.empty());
  CHECK(seconds < kPrompt);
  CHECK(leftover_processes(home) == std::vector<std::string>{});
  CHECK(leftover_files(home) == std::vector<std::string>{});
}

void check_next_run_works(const Home& home) {
  const Graded graded = grade_whole_layernorm(home, layernorm_with(kRightVariance));
  CHECK(graded.said.status == kAccepted);
  const auto store = store::open_store(home.at("work/progress.sqlite"));
  REQUIRE(store);
  const auto attempts = (*store)->attempts("05-layernorm", 10);
  REQUIRE(attempts);
  REQUIRE(attempts->size() == 2);
  CHECK(attempts->at(0).outcome.verdict == "AC");
  CHECK_FALSE(attempts->at(1).finished_ms);
}

/// Ends only after 2^32 rounds a thread, and changes a register in each, so that it is not found out before its budget is spent.
const std::string kLongLoop =
    "  for (unsigned i = 1, walk = 1; i != 0; ++i) {\n"
    "    walk = walk * 1664525u + i;\n"
    "    if (walk == 0xdeadbeefu + i) y[offset] = 0.0f;\n"
    "  }\n";

}  // namespace

TEST_CASE("ctrl-c while compiling") {
  const Home home("home", Home::Cache::kOwn);
  home.write("work/05-layernorm/exercise.cu", layernorm_with(kRightVariance));
  check_interrupted(home, {"run", "05"}, "cudafe++", interrupt_group);
  check_next_run_works(home);
}

TEST_CASE("ctrl-c while a kernel runs without end") {
  const Home home;
  home.write("work/05-layernorm/exercise.cu", layernorm_with(kRightVariance + kLongLoop));
  check_interrupted(home, {"run", "05"}, "warpbook-worker", interrupt_group);
  check_next_run_works(home);
}

TEST_CASE("SIGTERM to the judge alone while a kernel runs without end") {
  const Home home;
  home.write("work/05-layernorm/exercise.cu", layernorm_with(kRightVariance + kLongLoop));
  check_interrupted(home, {"run", "05"}, "warpbook-worker", terminate_judge);
  check_next_run_works(home);
}

TEST_CASE("ctrl-c while host code runs without end and has left a child") {
  const Home home;
  home.write("work/row-softmax/kernel.cu",
             softmax_with("  if (fork() == 0)\n    for (;;) pause();\n  for (volatile unsigned i = 0;; i = i + 1) {}\n" + kLaunchSoftmax));
  check_interrupted(home, {"run", "row-softmax"}, "warpbook-worker", interrupt_group);
  check_interrupted(home, {"run", "row-softmax"}, "warpbook-worker", terminate_judge);
}

TEST_CASE("ctrl-c ends verify, too") {
  const Home home;
  check_interrupted(home, {"verify", "05"}, "warpbook-worker", interrupt_group);
}
