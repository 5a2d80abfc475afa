// judge watch at a terminal: one verdict for each save however the editor saves, keys, and a terminal that is put back on every way out.
#include <signal.h>

#include <filesystem>

#include "judge/tests/catch.hpp"
#include "judge/tests/cli/graded.hpp"
#include "judge/tests/cli/leftovers.hpp"
#include "judge/tests/cli/pseudo_terminal.hpp"
#include "judge/tests/cli/submissions.hpp"

using namespace warpbook;
using namespace warpbook::cli;
using std::chrono::milliseconds;

namespace {

constexpr const char* kFooter = "q quit";
constexpr const char* kWatchedFile = "work/05-layernorm/exercise.cu";

std::string wrong() { return layernorm_with("  const float scale = rsqrtf(mean_square - mean * mean + eps);\n"); }
std::string right() { return layernorm_with(kRightVariance); }

run::Command watch(const Home& home, bool polling = false) {
  run::Command command = home.command({"watch", "05"});
  command.set_environment["WARPBOOK_WATCH"] = polling ? "poll" : "";
  command.set_environment["NO_COLOR"] = "1";
  return command;
}

/// Each verdict ends with the footer.
bool verdicts(PseudoTerminal& terminal, int count) {
  return terminal.shows(kFooter, count) && terminal.count(kFooter, milliseconds(700)) == count;
}

void save_in_place(const Home& home, const std::string& text) { home.write(kWatchedFile, text); }

void save_by_rename(const Home& home, const std::string& text) {
  home.write("work/05-layernorm/.exercise.swp", text);
  std::filesystem::rename(home.at("work/05-layernorm/.exercise.swp"), home.at(kWatchedFile));
}

}  // namespace

TEST_CASE("watch makes the file, judges every save once, and q leaves the terminal as it was") {
  for (const bool polling : {false, true}) {
    INFO(polling);
    const Home home;
    PseudoTerminal terminal(watch(home, polling));
    REQUIRE(verdicts(terminal, 1));
    CHECK(terminal.count("blank 'variance' is empty") > 0);
    CHECK(home.exists(kWatchedFile));
    CHECK_FALSE(terminal.is_as_it_was());
    save_in_place(home, wrong());
    REQUIRE(verdicts(terminal, 2));
    CHECK(terminal.count("not-finite") > 0);
    save_by_rename(home, right());
    REQUIRE(verdicts(terminal, 3));
    CHECK(terminal.count("AC ") == 1);
    terminal.type("q");
    CHECK(terminal.end() == kAccepted);
    CHECK(terminal.is_as_it_was());
  }
}

TEST_CASE("watch: the keys show a hint for the failure, the source with counts, and the next task") {
  const Home home;
  home.write(kWatchedFile, right());
  PseudoTerminal terminal(watch(home));
  REQUIRE(verdicts(terminal, 1));
  terminal.type("h");
  REQUIRE(verdicts(terminal, 2));
  CHECK(terminal.count("blank variance, hint 1 of 4") == 1);
  terminal.type("s");
  REQUIRE(verdicts(terminal, 3));
  CHECK(terminal.count("meters of case") == 1);
  terminal.type("xyz");  // no keys of ours
  CHECK(verdicts(terminal, 3));
  terminal.type("n");
  REQUIRE(verdicts(terminal, 4));
  CHECK(terminal.count("work/06-safe-softmax/exercise.cu") > 0);
  CHECK(home.exists("work/06-safe-softmax/exercise.cu"));
  terminal.type("q");
  CHECK(terminal.end() == kAccepted);
}

TEST_CASE("watch: a save while a run goes on has a run of its own after it") {
  const Home home;
  home.write(kWatchedFile, right());
  PseudoTerminal terminal(watch(home));
  REQUIRE(terminal.shows("compiling"));  // the progress line of the run
  save_in_place(home, wrong());
  REQUIRE(verdicts(terminal, 2));
  CHECK(terminal.count("not-finite") > 0);
  terminal.type("q");
  CHECK(terminal.end() == kAccepted);
}

TEST_CASE("watch: Ctrl-C and signals end it with the terminal as it was") {
  for (const int number : {0, SIGTERM, SIGHUP, SIGQUIT}) {
    INFO(number);
    const Home home;
    PseudoTerminal terminal(watch(home));
    REQUIRE(verdicts(terminal, 1));
    if (number == 0) terminal.type("\x03");
    if (number != 0) terminal.signal(number);
    const int status = terminal.end();
    CHECK(status == (number == 0 || number == SIGTERM ? kAccepted : -1));
    CHECK(terminal.is_as_it_was());
  }
}

TEST_CASE("watch without a terminal judges saves and is ended by a signal") {
  const Home home;
  home.write(kWatchedFile, right());
  run::Command command = watch(home);
  command.argv = {"sh", "-c", "exec \"$0\" watch 05 > said.txt", command.argv.front()};
  Result<run::Child> child = run::Child::start(command);
  REQUIRE(child);
  const auto waits = [&] { return home.exists("said.txt") && contains(home.read("said.txt"), "exercise.cu   Ctrl-C ends"); };
  REQUIRE(wait_for(waits, std::chrono::seconds(120)));
  CHECK_FALSE(child->poll());
  ::kill(child->pid(), SIGTERM);
  CHECK(said(child->wait()).status == kAccepted);
  CHECK(contains(home.read("said.txt"), "AC accepted"));
}
