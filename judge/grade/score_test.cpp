#include "judge/grade/score.hpp"

#include <limits>

#include "judge/grade/grade.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook;
using namespace warpbook::grade;

namespace {

task::Task lesson() {
  task::Task t;
  t.points = {2, 1, 1, 0};
  t.passes = {{"x", 2.0, -1}};
  return t;
}

CaseResult one_case(const char* name, task::CaseKind kind, Verdict verdict, double read = 2.0) {
  CaseResult c;
  c.name = name;
  c.kind = kind;
  c.verdict = verdict;
  c.reason = verdict == Verdict::kAccepted ? Reason::kNone : Reason::kValue;
  c.passes = {{"x", read, 0}};
  return c;
}

SubmissionResult with_cases(std::vector<CaseResult> cases) {
  SubmissionResult r;
  r.cases = std::move(cases);
  summarise_cases(r);
  judge_medal(lesson(), r);
  r.answers = {{"q1", 2, 2, true, false, {}, {}}, {"q2", 2, 2, true, false, {}, {}}, {"q3", 2, 2, true, false, {}, {}}};
  finish(lesson(), r);
  return r;
}

constexpr auto kNormal = task::CaseKind::kNormal;
constexpr auto kBoundary = task::CaseKind::kBoundary;

}  // namespace

TEST_CASE("all accepted with the questions makes a pass") {
  const auto r = with_cases({one_case("a", kNormal, Verdict::kAccepted), one_case("b", kBoundary, Verdict::kAccepted)});
  CHECK(r.verdict == Verdict::kAccepted);
  CHECK(r.score.normal == 2);
  CHECK(r.score.boundary == 1);
  CHECK(r.score.total() == 9);
  CHECK(r.score.of() == 10);
  CHECK(r.passed);
  CHECK(r.medal == Medal::kGold);
}

TEST_CASE("a failed boundary case keeps the normal points and is not accepted") {
  const auto r = with_cases({one_case("a", kNormal, Verdict::kAccepted), one_case("b", kBoundary, Verdict::kWrongAnswer)});
  CHECK(r.verdict == Verdict::kWrongAnswer);
  CHECK(r.score.normal == 2);
  CHECK(r.score.boundary == 0);
  CHECK_FALSE(r.accepted);
  CHECK_FALSE(r.passed);
}

TEST_CASE("a judge error outranks what the learner did") {
  const auto r = with_cases({one_case("a", kNormal, Verdict::kWrongAnswer), one_case("b", kBoundary, Verdict::kJudgeError)});
  CHECK(r.verdict == Verdict::kJudgeError);
}

TEST_CASE("a pass too many loses the medal, not the verdict") {
  const auto r = with_cases({one_case("a", kNormal, Verdict::kAccepted, 3.0), one_case("b", kBoundary, Verdict::kAccepted)});
  CHECK(r.accepted);
  CHECK(r.medal == Medal::kLost);
  CHECK(r.medal_reason == "x is read 3.00 times in case a, 2.00 would do");
}

TEST_CASE("a veto takes the points of the code and the acceptance") {
  SubmissionResult r;
  r.cases = {one_case("a", kNormal, Verdict::kAccepted)};
  summarise_cases(r);
  r.vetoes.push_back({Reason::kFatalMisconception, "q1"});
  finish(lesson(), r);
  CHECK(r.verdict == Verdict::kVeto);
  CHECK(r.score.normal == 0);
  CHECK_FALSE(r.accepted);
}

TEST_CASE("a grid that is too small or too large for a case loses the medal, whichever kind of case it is") {
  task::Task t = lesson();
  t.passes = {{"x", 1, -1}};
  t.blocks = {{"long", 8, 0}, {"short", 0, 4}};
  const auto judged = [&](std::int64_t on_long, std::int64_t on_short) {
    SubmissionResult r;
    r.cases = {one_case("long", kBoundary, Verdict::kAccepted), one_case("short", kNormal, Verdict::kAccepted)};
    r.cases[0].blocks = on_long;
    r.cases[1].blocks = on_short;
    for (CaseResult& c : r.cases) c.passes = {{"x", 1, 0}};
    summarise_cases(r);
    judge_medal(t, r);
    return r;
  };
  CHECK(judged(8, 4).medal == Medal::kGold);
  CHECK(judged(100, 1).medal == Medal::kGold);
  CHECK(judged(7, 4).medal == Medal::kLost);
  CHECK(judged(8, 5).medal == Medal::kLost);
  CHECK(judged(1, 4).medal_reason == "case long runs on 1 block, 8 or more would keep more multiprocessors at work");
  CHECK(judged(8, 50).medal_reason == "case short runs on 50 blocks, 4 would do: threads without a column could take another row");
}

TEST_CASE("a share of the copy ceiling earns bronze from 0.60, silver from 0.80, gold from 0.90") {
  CHECK(medal_of_share(0.5999) == Medal::kNone);
  CHECK(medal_of_share(0.60) == Medal::kBronze);
  CHECK(medal_of_share(0.7999) == Medal::kBronze);
  CHECK(medal_of_share(0.80) == Medal::kSilver);
  CHECK(medal_of_share(0.8999) == Medal::kSilver);
  CHECK(medal_of_share(0.90) == Medal::kGold);
  CHECK(medal_of_share(1.2) == Medal::kGold);
  CHECK(medal_of_share(std::numeric_limits<double>::quiet_NaN()) == Medal::kNone);
}

TEST_CASE("a measured share sets the medal of an accepted submission and its points, and says what is missing") {
  task::Task problem;
  problem.kind = task::TaskKind::kExercise;
  problem.points = {4, 4, 0, 2};
  const auto judged = [&](std::optional<double> share, Verdict verdict) {
    SubmissionResult r;
    r.cases = {one_case("a", kNormal, verdict), one_case("b", kBoundary, verdict)};
    summarise_cases(r);
    judge_share(share, r);
    finish(problem, r);
    return r;
  };
  const SubmissionResult gold = judged(0.93, Verdict::kAccepted), silver = judged(0.85, Verdict::kAccepted);
  CHECK(gold.score.efficiency == 2);
  CHECK(gold.medal_reason == "0.93 of the copy ceiling");
  CHECK(silver.score.efficiency == 1.5);
  CHECK(silver.medal_reason == "0.85 of the copy ceiling, the next medal needs 0.90");
  CHECK(judged(0.61, Verdict::kAccepted).score.efficiency == 1);
  CHECK(judged(0.31, Verdict::kAccepted).medal_reason == "0.31 of the copy ceiling, the next medal needs 0.60");

  const SubmissionResult unmeasured = judged(std::nullopt, Verdict::kAccepted), wrong = judged(0.95, Verdict::kWrongAnswer);
  CHECK(unmeasured.medal == Medal::kNone);
  CHECK(unmeasured.medal_reason == "not measured");
  CHECK(unmeasured.score.efficiency == 0);
  CHECK(wrong.medal == Medal::kNone);
  CHECK(wrong.score.efficiency == 0);
}

TEST_CASE("medals have names that lead back to them") {
  for (const Medal medal : {Medal::kNone, Medal::kLost, Medal::kBronze, Medal::kSilver, Medal::kGold})
    CHECK(find_medal(name_of(medal)) == medal);
  CHECK_FALSE(find_medal("tin"));
}
