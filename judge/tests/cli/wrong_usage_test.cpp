// Wrong words: status 2, and the complaint names the word and what would have been right.
#include "judge/tests/catch.hpp"
#include "judge/tests/cli/home.hpp"

using namespace warpbook::cli;

namespace {

/// Status 2, nothing on stdout, and each of `words` in the complaint.
void check_refused(const Home& home, const Words& arguments, const Words& words) {
  const Said said = home.judge(arguments);
  CHECK(said.status == kUsage);
  CHECK(said.out.empty());
  for (const std::string& word : words) {
    INFO("expected: " << word);
    CHECK(contains(said.err, word));
  }
}

}  // namespace

TEST_CASE("an unknown command lists the commands") {
  check_refused(Home(), {"grade-me"}, {"no command 'grade-me'", "run TASK [FILE]", "doctor"});
}

TEST_CASE("an unknown task names the nearest ones") {
  const Home home;
  check_refused(home, {"run", "layernrom"}, {"no task 'layernrom'", "05-layernorm"});
  check_refused(home, {"show", "99"}, {"no task '99'"});
  check_refused(home, {"run", "softmax"}, {"'softmax' fits several tasks", "06-safe-softmax", "row-softmax"});
}

TEST_CASE("an unknown option or an option's wrong value is named") {
  const Home home;
  check_refused(home, {"run", "05", "--solutoin"}, {"solutoin"});
  check_refused(home, {"list", "--fast"}, {"fast"});
  check_refused(home, {"run", "05", "--solution", "--device", "cpu"}, {"--device is 'cpu'", "auto, vgpu or gpu"});
  check_refused(home, {"run", "05", "--solution", "--jobs", "0"}, {"--jobs"});
  check_refused(home, {"run", "05", "--solution", "--jobs", "many"}, {"many"});
  check_refused(home, {"run", "05", "--solution", "--seed", "-1"}, {"-1"});
}

TEST_CASE("an unknown case lists the cases") {
  check_refused(Home(), {"run", "05", "--solution", "--case", "negative"},
                {"no case 'negative'", "negative-variance", "one-column", "cancelled"});
}

TEST_CASE("missing and surplus words are named") {
  const Home home;
  for (const char* command : {"run", "show", "start", "hint", "answer", "solution", "bench"})
    check_refused(home, {command}, {std::string(command) + " needs a task"});
  check_refused(home, {"show", "05", "06"}, {"06"});
  check_refused(home, {"run", "05", "a.cu", "b.cu"}, {"b.cu"});
  check_refused(home, {"run", "05", "a.cu", "--solution"}, {"--solution and a file"});
  check_refused(home, {"doctor", "please"}, {"no arguments"});
  check_refused(home, {"hint", "row-softmax"}, {"has no blanks"});
  check_refused(home, {"hint", "05", "mean"}, {"no blank 'mean'", "variance"});
}

TEST_CASE("run before start says how to begin") {
  check_refused(Home(), {"run", "05"}, {"work/05-layernorm/exercise.cu is not there yet", "judge start 05-layernorm"});
}

TEST_CASE("a folder without lessons is no workbook") {
  const Home home;
  warpbook::run::Command command = home.command({"list"});
  command.set_environment["WARPBOOK_HOME"] = home.at("work").string();
  const Said said = finish(command);
  CHECK(said.status == kUsage);
  CHECK(contains(said.err, "no lesson"));
}

TEST_CASE("help is help everywhere") {
  const Home home;
  CHECK(contains(home.judge({"--help"}).out, "usage: judge"));
  for (const char* command : {"run", "list", "show", "start", "hint", "answer", "solution", "verify", "bench"}) {
    const Said said = home.judge({command, "--help"});
    CHECK(said.status == kAccepted);
    CHECK(contains(said.out, std::string("judge ") + command));
  }
}
