#include "judge/grade/verify_checks.hpp"

#include <algorithm>

#include "judge/grade/matrix_file.hpp"
#include "judge/grade/score.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook;
using namespace warpbook::grade;

namespace {

task::Task gate_lesson() {
  task::Task t;
  t.id = "05-layernorm";
  t.title.by_language["en"] = "LayerNorm";
  t.cases.resize(2);
  t.cases[0].name = "plain";
  t.cases[0].about = "ordinary rows";
  t.cases[1].name = "tail";
  t.cases[1].kind = task::CaseKind::kBoundary;
  t.cases[1].about = "rows of 33";
  for (task::Case& c : t.cases) c.rows = c.cols = 3;
  return t;
}

CaseResult result_of(const char* name, Verdict verdict, Reason reason, double error, double bound) {
  CaseResult c;
  c.name = name;
  c.verdict = verdict;
  c.reason = reason;
  c.worst = WorstElement{"y", 1, 2, 0, 0, error, bound, 1, 9};
  return c;
}

Entry right_one(double share) {
  Entry e;
  e.kind = EntryKind::kCorrect;
  e.name = "correct/a.cu";
  e.result.cases = {result_of("plain", Verdict::kAccepted, Reason::kNone, 0.1, 1),
                    result_of("tail", Verdict::kAccepted, Reason::kNone, share, 1)};
  summarise_cases(e.result);
  return e;
}

/// Fails in `tail` by `share` bounds, as it declares.
Entry wrong_one(double share) {
  Entry e;
  e.kind = EntryKind::kWrong;
  e.name = "wrong/b.cu";
  e.header.verdicts = {Verdict::kWrongAnswer};
  e.header.reasons = {Reason::kValue};
  e.header.cases = {"tail"};
  e.header.mistake = "drops the tail";
  e.result.cases = {result_of("plain", Verdict::kAccepted, Reason::kNone, 0.3, 1),
                    result_of("tail", Verdict::kWrongAnswer, Reason::kValue, share, 1)};
  summarise_cases(e.result);
  return e;
}

std::string failures(const Entry& e, const GateScope& scope = {}) {
  std::string out;
  for (const Check& c : checks_of(gate_lesson(), e, scope))
    if (!c.passed) out += c.what + ": " + c.detail + "\n";
  return out;
}

}  // namespace

TEST_CASE("a right submission stays below half of every bound") {
  CHECK(failures(right_one(0.5)).empty());
  CHECK(failures(right_one(0.51)) == "correct/a.cu stays below half of every bound: case tail: y[1][2] is at 0.51 of its bound\n");
  Entry exact = right_one(0);
  exact.result.cases[1].worst->bound = 0;
  CHECK(failures(exact).empty());
  CHECK(failures(right_one(std::numeric_limits<double>::quiet_NaN())).empty());  // NaN where NaN is right
}

TEST_CASE("a GPU has no checkers: some of the declared cases fail there, however they do, and no other") {
  const GateScope gpu{false, true};
  Entry e = wrong_one(9);
  e.header.verdicts = {Verdict::kRuntimeError};
  e.header.reasons = {Reason::kOutOfBounds};
  e.header.cases = {"plain", "tail"};
  CHECK_FALSE(failures(e).empty());
  CHECK(failures(e, gpu).empty());
  e.header.cases = {"plain"};
  CHECK(failures(e, gpu) == "wrong/b.cu fails as declared: it fails in tail; declared: plain\n");
  e.header.cases = {"plain", "tail"};
  for (CaseResult& c : e.result.cases) c.verdict = Verdict::kAccepted;
  CHECK_FALSE(failures(e, gpu).empty());
  CHECK(failures(right_one(0.78), gpu).empty());
}

TEST_CASE("a case that asks for finite values has no bound to be near to") {
  task::Task finite = gate_lesson();
  finite.cases[1].check = task::CheckKind::kFinite;
  CHECK(share_of_bound(finite, right_one(0.9).result.cases[1]) == 0);
  CHECK(share_of_bound(gate_lesson(), right_one(0.9).result.cases[1]) == 0.9);
}

TEST_CASE("a right submission draws no word from a checker, not even information") {
  for (const device::Severity severity : {device::Severity::kWarning, device::Severity::kInfo}) {
    Entry e = right_one(0.1);
    device::Fault remark;
    remark.severity = severity;
    remark.message = "a value that was never written was read";
    remark.frames.push_back({"correct/a.cu", "kernel", 12, 3});
    e.result.cases[1].remarks.push_back(remark);
    CHECK(failures(e) ==
          "correct/a.cu runs in every order without a word from the checkers: case tail: correct/a.cu:12: " + remark.message + "\n");
    CHECK(failures(e, {false, true}).empty());  // a real GPU has no checkers
  }
}

TEST_CASE("a wrong submission misses the bound by far where a value kills it") {
  CHECK(failures(wrong_one(2)).empty());
  CHECK(failures(wrong_one(1.99)) == "wrong/b.cu misses bounds by a factor of 2 or more: case tail kills it by 1.99 bounds only\n");
  Entry not_finite = wrong_one(1.1);
  not_finite.result.cases[1].reason = Reason::kNotFinite;
  not_finite.header.reasons = {Reason::kNotFinite};
  CHECK(failures(not_finite).empty());
}

TEST_CASE("a wrong submission that nothing kills fails the gate, also when it declares no case") {
  Entry e = wrong_one(5);
  e.header.cases.clear();
  e.result.cases[1] = result_of("tail", Verdict::kAccepted, Reason::kNone, 0.1, 1);
  e.result = SubmissionResult{.cases = e.result.cases};
  summarise_cases(e.result);
  CHECK(failures(e) == "wrong/b.cu is killed: no case, no medal and no compiler tells it from a right one\n");
  CHECK(failures(e, {true, false}).empty());  // with --case another case may kill it

  e.result.medal = Medal::kLost;
  e.header.verdicts = {Verdict::kAccepted};
  e.header.reasons.clear();
  e.header.medal_lost = true;
  CHECK(failures(e).empty());
  e.result.medal = Medal::kGold;
  CHECK(failures(e).find("its medal is not lost") != std::string::npos);
  CHECK(failures(e).find("wrong/b.cu is killed: no case") != std::string::npos);
}

TEST_CASE("cases that were not run are not asked for, and cases that do not exist are named") {
  Entry e = wrong_one(5);
  e.result.cases.pop_back();
  e.result.cases[0] = result_of("plain", Verdict::kAccepted, Reason::kNone, 0.1, 1);
  CHECK(failures(e, {false, true}).empty());
  e = wrong_one(5);
  e.header.cases.push_back("tial");
  CHECK(failures(e).find("there is no case tial") != std::string::npos);
}

TEST_CASE("the kill matrix goes into a README between its markers and leaves the rest alone") {
  const std::vector<Entry> entries = {right_one(0.1), wrong_one(5)};
  const std::string section = matrix_section(gate_lesson(), entries);
  CHECK(section.find("| `wrong/b.cu` | . | WA |  | drops the tail |\n") != std::string::npos);
  CHECK(section.find("`correct/a.cu` are accepted in every case and order") != std::string::npos);
  CHECK(section.find("| 2 | tail | rows of 33, 3 x 3 |\n") != std::string::npos);

  const std::string fresh = with_section("", section, gate_lesson());
  CHECK(fresh.starts_with("# 05-layernorm\n\nLayerNorm.\n\n<!-- kill matrix"));
  CHECK(with_section(fresh, section, gate_lesson()) == fresh);
  const std::string own = "# Mine\n\nWords.\n", mixed = with_section(own, section, gate_lesson()) + "\nAfter.\n";
  const std::string other = matrix_section(gate_lesson(), {wrong_one(5)});
  CHECK(with_section(mixed, other, gate_lesson()) == own + "\n" + other + "\nAfter.\n");
}
