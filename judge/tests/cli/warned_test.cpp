// Bugs whose answers are right: accepted, and warned of with both lines.
#include "judge/base/files.hpp"
#include "judge/tests/catch.hpp"
#include "judge/tests/cli/home.hpp"

using namespace warpbook::cli;

TEST_CASE("a last warp that counts on running in step is accepted, with a warning of the race and of what to put there") {
  const Home home;
  home.write("mine.cu", warpbook::read_file(WARPBOOK_SOURCE_DIR "/judge/tests/submissions/warned/02-block-reduce/last-warp-in-step.cu").value());
  const Said said = home.judge({"run", "02", "mine.cu", "--case", "plain"});
  INFO(said.out);
  CHECK(said.status == kAccepted);
  CHECK(said.out.find("mine.cu:66") != std::string::npos);
  CHECK(said.out.find("race") != std::string::npos);
  CHECK(said.out.find("__syncwarp") != std::string::npos);
}
