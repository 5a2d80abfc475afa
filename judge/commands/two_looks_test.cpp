// What a real GPU adds to the virtual one's verdict.
#include "judge/commands/two_looks.hpp"

#include "judge/tests/catch.hpp"

using namespace warpbook;
using namespace warpbook::commands;

namespace {

grade::SubmissionResult judged(const char* device, grade::Verdict tail, grade::Reason reason) {
  grade::SubmissionResult r;
  r.provenance.device = device;
  r.verdict = tail;
  r.reason = reason;
  for (const char* name : {"plain", "tail"}) {
    grade::CaseResult c;
    c.name = name;
    c.rows = 4096;
    c.cols = 1000;
    c.verdict = grade::Verdict::kAccepted;
    c.reason = grade::Reason::kNone;
    r.cases.push_back(c);
  }
  r.cases.back().verdict = tail;
  r.cases.back().reason = reason;
  if (tail != grade::Verdict::kAccepted) r.cases.back().message = "y[3][0] is 0";
  return r;
}

}  // namespace

TEST_CASE("two devices of one mind take one line") {
  const auto virtual_gpu = judged("virtual GPU", grade::Verdict::kAccepted, grade::Reason::kNone);
  const auto gpu = judged("NVIDIA H200", grade::Verdict::kAccepted, grade::Reason::kNone);
  CHECK(second_look(virtual_gpu, gpu) == "  on NVIDIA H200: AC, 2 of 2 cases right, as on the virtual GPU\n");
}

TEST_CASE("a case that went another way is told with both verdicts") {
  const auto virtual_gpu = judged("virtual GPU", grade::Verdict::kRuntimeError, grade::Reason::kRace);
  const auto gpu = judged("NVIDIA H200", grade::Verdict::kAccepted, grade::Reason::kNone);
  const std::string hidden = second_look(virtual_gpu, gpu);
  CHECK(hidden.find("AC, 2 of 2 cases right; another verdict") != std::string::npos);
  CHECK(hidden.find("tail (4096 x 1000): AC there, RTE race on the virtual GPU\n") != std::string::npos);
  CHECK(hidden.find("plain") == std::string::npos);
  const std::string found = second_look(gpu, judged("NVIDIA H200", grade::Verdict::kWrongAnswer, grade::Reason::kValue));
  CHECK(found.find("WA value, 1 of 2 cases right") != std::string::npos);
  CHECK(found.find("tail (4096 x 1000): WA value there, AC on the virtual GPU: y[3][0] is 0\n") != std::string::npos);
}

TEST_CASE("cases that only one device ran are no difference, and a failure before any case is told") {
  const auto virtual_gpu = judged("virtual GPU", grade::Verdict::kAccepted, grade::Reason::kNone);
  auto gpu = judged("NVIDIA H200", grade::Verdict::kAccepted, grade::Reason::kNone);
  gpu.cases.pop_back();
  CHECK(second_look(virtual_gpu, gpu) == "  on NVIDIA H200: AC, 1 of 1 cases right, as on the virtual GPU\n");
  gpu.cases.clear();
  gpu.verdict = grade::Verdict::kJudgeError;
  gpu.reason = grade::Reason::kInternal;
  gpu.message = "no memory";
  CHECK(second_look(virtual_gpu, gpu) == "  on NVIDIA H200: JE internal: no memory\n");
}
