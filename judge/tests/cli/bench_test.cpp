// judge bench without a GPU: it says what to do instead, and it says what is wrong with the words before that. (What it does with one is
// tested on a GPU of paper, in judge/gpu.)
#include "judge/tests/catch.hpp"
#include "judge/tests/cli/home.hpp"

using namespace warpbook::cli;

TEST_CASE("bench asked wrongly names the word") {
  const Home home;
  const auto refuses = [&](const Words& words, const std::string& part) {
    const Said said = home.judge(words);
    INFO(said.err);
    CHECK(said.status == kUsage);
    CHECK(said.out.empty());
    CHECK(contains(said.err, part));
  };
  refuses({"bench"}, "bench needs a task");
  refuses({"bench", "row-softmax", "--solution", "--device", "vgpu"}, "the virtual GPU has no time");
  refuses({"bench", "row-softmax", "--solution", "--seconds", "0"}, "--seconds is 0");
  refuses({"bench", "row-softmax", "--solution", "--seconds", "long"}, "long");
  refuses({"bench", "row-softmax", "--solution", "--json", "nowhere/report.json"}, "the folder nowhere does not exist");
  refuses({"bench", "row-softmax", "--solution", "--case", "nothing"}, "no case 'nothing'");
  refuses({"bench", "row-softmax", "--solution", "a.cu"}, "--solution and a file");
  refuses({"bench", "row-softmax"}, "judge start row-softmax");
  refuses({"bench", "top-p", "--solution", "--case", "launch-refused"}, "no case is left to measure");
}

TEST_CASE("bench without a GPU could not, and says what to do there") {
  const Home home;
  warpbook::run::Command command = home.command({"bench", "row-softmax", "--solution"});
  command.set_environment["CUDA_VISIBLE_DEVICES"] = "";  // also on machines that have one
  const Said said = finish(command);
  CHECK(said.status == kCouldNot);
  CHECK(contains(said.err, "no GPU was found"));
  CHECK(contains(said.err, "judge run row-softmax --meters"));
}
