// One run of each verdict: what the learner reads, and what the exit status says. Every mistake that has a line is shown with it and a
// caret.
#include <fmt/format.h>

#include <regex>

#include "judge/base/files.hpp"
#include "judge/tests/catch.hpp"
#include "judge/tests/cli/graded.hpp"
#include "judge/tests/cli/leftovers.hpp"
#include "judge/tests/cli/submissions.hpp"

using namespace warpbook;
using namespace warpbook::cli;

namespace {

const std::string kFile = "work/05-layernorm/exercise.cu";

/// `FILE:LINE:COLUMN: error: ...MESSAGE...`, the source line, and a caret below it.
void check_place(const std::string& out, const std::string& file, int line, const std::string& message, const std::string& source) {
  const std::vector<std::string> lines = split_lines(out);
  const std::string place = fmt::format("{}:{}:", file, line);
  INFO("expected: " << place << " ... " << message);
  std::size_t at = 0;
  while (at < lines.size() && !(contains(lines[at], place) && contains(lines[at], message))) ++at;
  REQUIRE(at + 2 < lines.size());
  CHECK(std::regex_search(lines[at], std::regex(R"(^ *[^ ].*:\d+:\d+: error: )")));
  CHECK(lines[at].find(file) == lines[at].find_first_not_of(' '));  // the learner's name for the file, nothing before it
  CHECK(contains(lines[at + 1], fmt::format("{} | ", line)));
  CHECK(contains(lines[at + 1], source));
  CHECK(std::regex_match(lines[at + 2], std::regex(R"( *\|[ \t]*\^)")));
}

}  // namespace

TEST_CASE("AC: accepted code, status 0") {
  const Home home;
  const Graded graded = grade_layernorm(home, layernorm_with(kRightVariance));
  CHECK(graded.said.status == kAccepted);
  CHECK(graded.verdict() == "AC");
  CHECK(contains(graded.said.out, "ok   zeros"));
  CHECK(contains(graded.said.out, "AC accepted, 1 of 1 cases"));
}

TEST_CASE("WA: the worst element, its error and its bound") {
  const Home home;
  const Graded graded = grade_layernorm(home, layernorm_with(kRightVariance + "  beta = gamma;\n"));
  CHECK(graded.said.status == kNotAccepted);
  CHECK(graded.verdict() == "WA");
  CHECK(graded.reason() == "value");
  CHECK(contains(graded.said.out, "FAIL zeros, 3 x 257: rows of zeros: the variance is 0, the answer is beta"));
  CHECK(std::regex_search(graded.said.out,
                          std::regex(R"(y\[\d\]\[\d+\] is \S+ where 10 is right; error \S+, bound \S+ \(\d+ of 771 elements over\))")));
}

TEST_CASE("WA: NaN where a number is right") {
  const Home home;
  const Graded graded = grade_layernorm(home, layernorm_with("  const float scale = rsqrtf(mean_square - mean * mean - eps);\n"));
  CHECK(graded.said.status == kNotAccepted);
  CHECK(graded.verdict() == "WA");
  CHECK(graded.reason() == "not-finite");
  CHECK(contains(graded.said.out, "is nan where 10 is right (771 of 771 elements fail)"));
}

TEST_CASE("RTE: a write past the end, with line, caret, thread and the nearest tensor") {
  const Home home;
  const std::string guilty = "  if (threadIdx.x == 5) y[static_cast<size_t>(gridDim.x) * cols + 7] = mean;";
  const std::string text = layernorm_with(kRightVariance + guilty + "\n");
  const Graded graded = grade_layernorm(home, text);
  CHECK(graded.said.status == kNotAccepted);
  CHECK(graded.verdict() == "RTE");
  CHECK(graded.reason() == "out-of-bounds");
  check_place(graded.said.out, kFile, line_with(text, guilty), "write of 4 bytes", guilty);
  CHECK(contains(graded.said.out, "28 bytes past the end of y"));
  CHECK(contains(graded.said.out, "in layernorm_kernel"));
  CHECK(contains(graded.said.out, "thread (5,0,0)"));
}

TEST_CASE("RTE: a misaligned access, with its line") {
  const Home home;
  const std::string guilty = "  const float2 pair = *reinterpret_cast<const float2*>(x + offset + 1);";
  const std::string text = layernorm_with(kRightVariance + guilty + "\n  if (pair.x > 1e30f) y[offset] = pair.y;\n");
  const Graded graded = grade_layernorm(home, text);
  CHECK(graded.said.status == kNotAccepted);
  CHECK(graded.verdict() == "RTE");
  CHECK(graded.reason() == "misaligned");
  check_place(graded.said.out, kFile, line_with(text, guilty), "8", guilty);
}

TEST_CASE("RTE: a launch that the device refuses, with CUDA's name for it and the device's limit") {
  const Home home;
  const Graded graded = grade_softmax(
      home, softmax_with("  softmax_kernel<<<rows, 2048>>>(x, y, cols, x_stride, y_stride);\n  return cudaGetLastError();\n"));
  CHECK(graded.said.status == kNotAccepted);
  CHECK(graded.verdict() == "RTE");
  CHECK(graded.reason() == "invalid-launch");
  CHECK(contains(graded.said.out, "the launch function returned cudaErrorInvalid"));
  CHECK(contains(graded.said.out, "has 2048 threads and is larger than (1024, 1024, 64)"));
}

TEST_CASE("TLE: a kernel that never ends, with the line of its loop") {
  const Home home;
  const std::string guilty = "  while (spin) {}";
  const std::string text = layernorm_with(kRightVariance + "  volatile int spin = 1;\n" + guilty + "\n");
  const Graded graded = grade_layernorm(home, text);
  CHECK(graded.said.status == kNotAccepted);
  CHECK(graded.verdict() == "TLE");
  CHECK(graded.reason() == "instruction-budget");
  check_place(graded.said.out, kFile, line_with(text, guilty), "never ends", guilty);
}

TEST_CASE("CE: a mistake in the syntax, at the learner's line and column") {
  const Home home;
  const std::string guilty = "  const float twice = undeclared * 2.0f;";
  const std::string text = layernorm_with(kRightVariance + guilty + "\n");
  const Graded graded = grade_layernorm(home, text);
  CHECK(graded.said.status == kNotAccepted);
  CHECK(graded.verdict() == "CE");
  CHECK(graded.reason() == "compiler-message");
  check_place(graded.said.out, kFile, line_with(text, guilty), "identifier \"undeclared\" is undefined", guilty);
  CHECK(contains(graded.said.out, "points 0 of 10"));
  CHECK(graded.result["cases"].empty());
}

TEST_CASE("CE: an empty blank is reported with its line before nvcc is called") {
  const Home home("home", Home::Cache::kOwn);
  // This nvcc tells its version and writes down what else it is asked for.
  home.write("toolkit/bin/nvcc",
             "#!/bin/sh\n"
             "[ \"$1\" = --version ] || echo \"$@\" >> \"$(dirname \"$0\")/asked\"\n"
             "echo 'Cuda compilation tools, release 13.0, V13.0.88'\n");
  std::filesystem::permissions(home.at("toolkit/bin/nvcc"), std::filesystem::perms::owner_all);
  const std::string text = repository_text("lessons/05-layernorm/exercise.cu");
  home.write(kFile, text);
  run::Command command = home.command({"run", "05", "--json", "result.json"});
  command.set_environment["CUDA_HOME"] = home.at("toolkit").string();
  const Said said = finish(command);
  CHECK(said.status == kNotAccepted);
  const auto result = checked_result(home);
  CHECK(result["verdict"] == "CE");
  CHECK(result["reason"] == "blank-empty");
  check_place(said.out, kFile, line_with(text, ">>> blank variance"), "blank 'variance' is empty, expected about 2 lines",
              ">>> blank variance");
  CHECK_FALSE(home.exists("toolkit/bin/asked"));
  CHECK_FALSE(std::filesystem::exists(home.cache()));
}

TEST_CASE("CE: what a blank may not hold is refused with its line") {
  const Home home;
  const std::string directive = layernorm_with(kRightVariance + "#define eps 0.0f\n");
  const Graded one = grade_layernorm(home, directive);
  CHECK(one.said.status == kNotAccepted);
  CHECK(one.verdict() == "CE");
  CHECK(one.reason() == "blank-refused");
  check_place(one.said.out, kFile, line_with(directive, "#define eps"), "#define", "#define eps 0.0f");

  const std::string brace = layernorm_with(kRightVariance + "  }\n");
  const Graded two = grade_layernorm(home, brace);
  CHECK(two.reason() == "blank-refused");
  check_place(two.said.out, kFile, line_with(brace, "  }\n  // <<< blank"), "'}' closes what blank 'variance' did not open", "  }");
}

TEST_CASE("VETO: text outside the blanks was changed, with a unified diff") {
  const Home home;
  const std::string before = "constexpr int kThreads = 256;", after = "constexpr int kThreads = 128;";
  const Graded graded = grade_layernorm(home, replaced(layernorm_with(kRightVariance), before, after));
  CHECK(graded.said.status == kNotAccepted);
  CHECK(graded.verdict() == "VETO");
  CHECK(graded.reason() == "changed-outside");
  CHECK(contains(graded.said.out, "--- exercise.cu"));
  CHECK(contains(graded.said.out, "+++ " + kFile));
  CHECK(std::regex_search(graded.said.out, std::regex(R"(@@ -\d+,\d+ \+\d+,\d+ @@)")));
  CHECK(contains(graded.said.out, "\n    -" + before));
  CHECK(contains(graded.said.out, "\n    +" + after));
  CHECK(contains(graded.said.out, "points 0 of 10"));
  REQUIRE(graded.result["vetoes"].size() == 1);
  CHECK(contains(graded.result["vetoes"][0]["evidence"], "-" + before));
}

TEST_CASE("line ends, a byte order mark and trailing space are no change") {
  const Home home;
  std::string windows = "\xEF\xBB\xBF";
  for (const std::string& line : split_lines(layernorm_with(kRightVariance))) windows += line + " \r\n";
  const Graded graded = grade_layernorm(home, windows.substr(0, windows.size() - 2));
  CHECK(graded.said.status == kAccepted);
  CHECK(graded.verdict() == "AC");
}

TEST_CASE("JE: an instruction that the virtual GPU lacks is named with its line, status 3, no points lost") {
  const Home home;
  const std::string guilty =
      "  asm volatile(\"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%4}, {%4}, {%5,%5,%5,%5};\""
      " : \"=f\"(d0), \"=f\"(d1), \"=f\"(d2), \"=f\"(d3) : \"r\"(1), \"f\"(0.0f));";
  const std::string use = "  if (d0 + d1 + d2 + d3 > 1e30f) y[offset] = d0;\n";
  const std::string text = layernorm_with(kRightVariance + "  float d0, d1, d2, d3;\n" + guilty + "\n" + use);
  const Graded graded = grade_layernorm(home, text);
  CHECK(graded.said.status == kCouldNot);
  CHECK(graded.verdict() == "JE");
  CHECK(graded.reason() == "unsupported");
  check_place(graded.said.out, kFile, line_with(text, guilty), "not supported yet: mma.sync", guilty);
}
