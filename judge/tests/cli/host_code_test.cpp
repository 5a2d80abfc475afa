// Launch functions that misbehave. Each gets the verdict of its own, the judge stays unharmed, and no process outlives the run.
#include <fmt/format.h>

#include "judge/tests/catch.hpp"
#include "judge/tests/cli/graded.hpp"
#include "judge/tests/cli/leftovers.hpp"
#include "judge/tests/cli/submissions.hpp"

using namespace warpbook::cli;

namespace {

const std::string kReturn = "  return cudaGetLastError();\n";

void check_failure(const std::string& body, const std::string& reason, const std::string& words) {
  const Home home;
  const Graded graded = grade_softmax(home, softmax_with(body));
  CHECK(graded.said.status == kNotAccepted);
  CHECK(graded.verdict() == "RTE");
  CHECK(graded.reason() == reason);
  CHECK(contains(graded.said.out, words));
  CHECK(leftover_processes(home).empty());
}

}  // namespace

TEST_CASE("a launch function that calls exit(0) is not accepted") {
  check_failure("  exit(0);\n", "exited-early", "the host code left the process with status 0");
}

TEST_CASE("a launch function that does the work and then leaves is not accepted either") {
  check_failure(kLaunchSoftmax + "  cudaDeviceSynchronize();\n  _exit(0);\n", "exited-early",
                "the host code left the process with status 0");
}

TEST_CASE("a launch function that aborts is a host crash") { check_failure("  abort();\n", "host-crash", "signal 6 (Aborted)"); }

TEST_CASE("a launch function that reads through a device pointer is a host crash") {
  check_failure(kLaunchSoftmax + "  if (x[0] > 0.0f) abort();\n" + kReturn, "host-crash", "signal 11");
}

TEST_CASE("a launch function that throws is a host crash with the exception's words") {
  check_failure("  throw std::runtime_error(\"out of ideas\");\n", "host-crash", "the host code threw an exception: out of ideas");
}

TEST_CASE("a launch function that frees the judge's tensors is refused, before and after the launch") {
  check_failure("  cudaFree(const_cast<float*>(x));\n" + kLaunchSoftmax + kReturn, "cuda-error", "was not allocated by this program");
  check_failure(kLaunchSoftmax + "  cudaDeviceSynchronize();\n  cudaFree(y);\n" + kReturn, "cuda-error",
                "was not allocated by this program");
}

TEST_CASE("a launch function that swallows the error of its launch is not accepted") {
  check_failure("  softmax_kernel<<<0, kThreads>>>(x, y, cols, x_stride, y_stride);\n  return cudaSuccess;\n", "invalid-launch",
                "the launch function did not return it");
}

TEST_CASE("a child that the launch function leaves behind ends with the run, also when it leaves the group") {
  const Home home;
  for (const char* leave : {"", "setsid(), "}) {
    const std::string child = std::string("  if (fork() == 0)\n    for (") + leave + "0;; pause()) {}\n";
    const Graded graded = grade_softmax(home, softmax_with(child + kLaunchSoftmax + kReturn));
    CHECK(graded.said.status == kAccepted);
    CHECK(graded.verdict() == "AC");
    CHECK(leftover_processes(home).empty());
  }
}

TEST_CASE("thousands of printed lines neither block the run nor flood the terminal") {
  const Home home;
  const std::string talk = "  for (int i = 0; i < 50000; ++i) printf(\"line %d of many\\n\", i);\n";
  const Graded right = grade_softmax(home, softmax_with(talk + kLaunchSoftmax + kReturn));
  CHECK(right.said.status == kAccepted);
  CHECK_FALSE(contains(right.said.out, "of many"));  // nobody needs it when all is well

  const std::string one_row = replaced(kLaunchSoftmax, "<<<rows,", "<<<1,");
  const Graded wrong = grade_softmax(home, softmax_with(talk + one_row + kReturn));
  CHECK(wrong.said.status == kNotAccepted);
  CHECK(wrong.reason() == "unwritten");
  CHECK(contains(wrong.said.out, "line 0 of many"));
  constexpr std::size_t kScreens = 80;
  CHECK(count_lines(wrong.said.out) < kScreens);
  CHECK(contains(wrong.said.out, "more lines"));
  const std::string kept = wrong.result["cases"][0]["output"];
  CHECK(contains(kept, "line 500 of many"));
  constexpr std::size_t kMostKept = 64u << 10;
  CHECK(kept.size() < kMostKept);
}
