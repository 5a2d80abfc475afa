// A machine without nvcc: what can be looked at is looked at, nothing is run, no point is given for code, and two lines on stderr say
// what to install and which variable points at it.
#include "judge/tests/catch.hpp"
#include "judge/tests/cli/graded.hpp"
#include "judge/tests/cli/submissions.hpp"

using namespace warpbook;
using namespace warpbook::cli;

namespace {

/// Who sets CUDA_HOME means that folder; so an empty one hides the toolkit that this machine has.
Said without_toolkit(const Home& home, const Words& words) {
  run::Command command = home.command(words);
  std::filesystem::create_directories(home.at("empty"));
  command.set_environment["CUDA_HOME"] = home.at("empty").string();
  return finish(command);
}

void check_two_lines(const Home& home, const Said& said) {
  CHECK(said.status == kCouldNot);
  CHECK(count_lines(said.err) == 2);
  const std::string first = said.err.substr(0, said.err.find('\n')), second = said.err.substr(said.err.find('\n') + 1);
  CHECK(contains(first, "install NVIDIA's CUDA Toolkit, version 12 or newer"));
  CHECK(contains(second, "CUDA_HOME is " + home.at("empty").string() + ", where there is no bin/nvcc"));
}

}  // namespace

TEST_CASE("without nvcc run reviews, says so, and gives no points for code") {
  const Home home;
  for (const Words& words : {Words{"run", "05", "--solution"}, Words{"run", "row-softmax", "--solution"}}) {
    const Said said = without_toolkit(home, {words[0], words[1], words[2], "--json", "result.json"});
    check_two_lines(home, said);
    CHECK(contains(said.out, "static review only, not run"));
    const auto result = checked_result(home);
    CHECK(result["verdict"] == "JE");
    CHECK(result["reason"] == "not-run");
    CHECK(result["accepted"] == false);
    CHECK(result["score"]["normal"] == 0.0);
    CHECK(result["score"]["boundary"] == 0.0);
    CHECK(result["score"]["efficiency"] == 0.0);
  }
}

TEST_CASE("without nvcc blanks and the text outside them are still judged") {
  const Home home;
  home.write("work/05-layernorm/exercise.cu", repository_text("lessons/05-layernorm/exercise.cu"));
  const Said empty = without_toolkit(home, {"run", "05"});
  check_two_lines(home, empty);
  CHECK(contains(empty.out, "static review only, not run"));
  CHECK(contains(empty.out, "blank 'variance' is empty"));

  home.write("work/05-layernorm/exercise.cu", replaced(layernorm_with(kRightVariance), "kThreads = 256", "kThreads = 64"));
  const Said changed = without_toolkit(home, {"run", "05"});
  check_two_lines(home, changed);
  CHECK(contains(changed.out, "static review only, not run"));
  CHECK(contains(changed.out, "+constexpr int kThreads = 64;"));
}

TEST_CASE("without nvcc verify says what is missing, and doctor too") {
  const Home home;
  check_two_lines(home, without_toolkit(home, {"verify", "05"}));
  const Said doctor = without_toolkit(home, {"doctor"});
  CHECK(doctor.status == kCouldNot);
  CHECK(contains(doctor.out, "MISS CUDA toolkit"));
  CHECK(contains(doctor.out, "CUDA_HOME"));
}

TEST_CASE("without nvcc everything else works") {
  const Home home;
  for (const Words& words :
       {Words{"list"}, Words{"show", "05"}, Words{"start", "05"}, Words{"hint", "05"}, Words{"answer", "05", "--check"}})
    CHECK(without_toolkit(home, words).status == kAccepted);
}
