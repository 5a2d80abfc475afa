#include "judge/grade/further_cases.hpp"

#include "judge/grade/result_json.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook;
using namespace warpbook::grade;

TEST_CASE("a hidden case's result keeps kind, verdict and reason, and not one word of its input") {
  CaseResult c;
  c.name = "secret-name";
  c.kind = task::CaseKind::kBoundary;
  c.about = "secret-about";
  c.tag = "secret-tag";
  c.rows = 4711;
  c.cols = 4712;
  c.verdict = Verdict::kWrongAnswer;
  c.reason = Reason::kValue;
  c.message = "secret-message";
  c.worst = WorstElement{"secret-tensor", 4713, 4714, 4715.5, 4716.5, 4717, 4718, 1, 4719};
  c.fault = device::Fault{};
  c.fault->message = "secret-fault";
  c.remarks = {*c.fault};
  c.notes = {"secret-note"};
  c.passes = {{"secret-x", 47, 47}};
  c.output = "secret-output";
  c.counters.global_load_requests = 4720;
  c.answers = {{"secret-y", 1, {4721}}};
  const CaseResult shown = concealed(c, 3);
  CHECK(shown.name == "further-3");
  CHECK(shown.kind == task::CaseKind::kBoundary);
  CHECK(shown.verdict == Verdict::kWrongAnswer);
  CHECK(shown.reason == Reason::kValue);
  const std::string text = to_json(shown).dump();
  CHECK(text.find("secret") == std::string::npos);
  CHECK(text.find("47") == std::string::npos);
  CHECK(shown.answers.empty());
}
