// Folders and files with spaces, quotes and Chinese characters: everything works, and messages name them as they are.
#include <fmt/format.h>

#include "judge/tests/catch.hpp"
#include "judge/tests/cli/graded.hpp"
#include "judge/tests/cli/submissions.hpp"

using namespace warpbook;
using namespace warpbook::cli;

namespace {

const std::string kHome = "my 练习 book";
const std::string kFile = "它的 'kernel' \"one\" $(x) 100%.cu";
const std::string kShown = "它的 'kernel' _one_ $(x) 100%.cu";  // the compiler's output has no way to hold a quote

}  // namespace

TEST_CASE("a workbook in a folder with spaces and Chinese characters") {
  const Home home(kHome);
  CHECK(home.judge({"start", "05"}).status == kAccepted);
  const Graded graded = grade_layernorm(home, layernorm_with(kRightVariance));
  CHECK(graded.said.status == kAccepted);
  CHECK(graded.verdict() == "AC");
  CHECK(home.judge({"list"}).status == kAccepted);
}

TEST_CASE("such a folder with a cache of its own: the compiler runs inside it") {
  const Home home(kHome, Home::Cache::kOwn);
  const std::string guilty = "  if (threadIdx.x == 0) y[static_cast<size_t>(gridDim.x) * cols + 7] = mean;";
  const std::string text = layernorm_with(kRightVariance + guilty + "\n");
  const Graded graded = grade_layernorm(home, text);
  CHECK(graded.said.status == kNotAccepted);
  CHECK(graded.reason() == "out-of-bounds");
  CHECK(contains(graded.said.out, fmt::format("\n      work/05-layernorm/exercise.cu:{}:", line_with(text, guilty))));
}

TEST_CASE("a submission with such a name is compiled and named") {
  const Home home(kHome);
  home.write(kFile, layernorm_with(kRightVariance));
  const Graded right = grade(home, {"05", kFile, "--case", "zeros"});
  CHECK(right.said.status == kAccepted);
  CHECK(right.result["file"] == kShown);

  const std::string wrong = layernorm_with(kRightVariance + "  undeclared = 1;\n");
  home.write(kFile, wrong);
  const Graded refused = grade(home, {"05", kFile});
  CHECK(refused.verdict() == "CE");
  CHECK(contains(refused.said.out,
                 fmt::format("\n  {}:{}:3: error: identifier \"undeclared\" is undefined", kShown, line_with(wrong, "undeclared"))));

  const std::string guilty = "  y[static_cast<size_t>(gridDim.x) * cols + 7] = mean;";
  const std::string overrun = layernorm_with(kRightVariance + guilty + "\n");
  home.write(kFile, overrun);
  const Graded failed = grade(home, {"05", kFile, "--case", "zeros"});
  CHECK(failed.verdict() == "RTE");
  CHECK(contains(failed.said.out, fmt::format("\n      {}:{}:3: error: write of 4 bytes", kShown, line_with(overrun, guilty))));
}

TEST_CASE("a submission outside the workbook is named by its path") {
  const Home home, elsewhere("else where");
  const std::string file = elsewhere.write("kernel.cu", layernorm_with(kRightVariance)).string();
  CHECK(grade(home, {"05", file, "--case", "zeros"}).result["file"] == file);
}
