#include "judge/classroom/statistics.hpp"

#include "judge/classroom/class_fixture.hpp"
#include "judge/grade/result_json.hpp"

using namespace warpbook;
using namespace warpbook::classroom;

namespace {

/// A result as the judge writes it, with three cases of these verdicts.
store::AttemptOutcome result_with(std::vector<grade::Verdict> verdicts, const std::string& mistake = {}) {
  grade::SubmissionResult result;
  result.task_id = "05";
  const char* names[] = {"plain", "one row", "large"};
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    grade::CaseResult c;
    c.name = names[i];
    c.kind = i == 0 ? task::CaseKind::kNormal : task::CaseKind::kBoundary;
    c.about = "about " + c.name;
    c.verdict = verdicts[i];
    result.cases.push_back(std::move(c));
  }
  result.verdict = verdicts.back();
  result.reason = result.verdict == grade::Verdict::kAccepted ? grade::Reason::kNone : grade::Reason::kDeadlock;
  if (!mistake.empty()) result.diagnosis = grade::Diagnosis{mistake, "what it is", "a question?", {}};
  store::AttemptOutcome outcome;
  outcome.verdict = grade::code_of(result.verdict);
  outcome.result_json = grade::to_json(result).dump();
  return outcome;
}

const CaseCount& case_named(const AttemptFigures& figures, const std::string& name) {
  for (const CaseCount& c : figures.cases)
    if (c.name == name) return c;
  FAIL("no case " << name);
  return figures.cases.front();
}

}  // namespace

TEST_CASE("statistics count the latest attempt of each learner, and all") {
  WARPBOOK_NEEDS_POSTGRES();
  using enum grade::Verdict;
  ClassFixture fixture;
  const std::int64_t ada = fixture.joined("ada"), mary = fixture.joined("mary"), boss = fixture.joined("boss", Role::kInstructor);
  const std::int64_t gone = fixture.joined("gone");
  fixture.attempt(ada, "05", result_with({kWrongAnswer, kWrongAnswer, kWrongAnswer}, "no-shift"));
  fixture.attempt(ada, "05", result_with({kAccepted, kAccepted, kRuntimeError}, "n-minus-one"));
  fixture.attempt(mary, "05", result_with({kAccepted, kAccepted, kAccepted}));
  fixture.attempt(mary, "05", result_with({kAccepted, kJudgeError, kRuntimeError}, "n-minus-one"));
  fixture.attempt(mary, "06", result_with({kWrongAnswer}));
  fixture.attempt(boss, "05", result_with({kWrongAnswer, kWrongAnswer, kWrongAnswer}, "no-shift"));
  fixture.attempt(gone, "05", result_with({kWrongAnswer, kWrongAnswer, kWrongAnswer}, "no-shift"));
  REQUIRE(People(fixture.pool).remove(gone));
  REQUIRE(store::learner_store(fixture.pool, ada)->begin_attempt({"05", "h", 1, "vgpu"}));
  for (const std::int64_t person : {ada, mary, boss})
    REQUIRE(store::learner_store(fixture.pool, person)
                ->record_answers({{"05", "q", "a", 0, 2, "a belief"}, {"05", "r", "b", 0, 2, "a belief"}}));
  REQUIRE(store::learner_store(fixture.pool, mary)->record_answers({{"05", "q", "c", 2, 2, ""}, {"05", "r", "d", 0, 2, "another"}}));

  const auto found = Statistics(fixture.pool).of("05");
  INFO(why(found));
  REQUIRE(found);
  CHECK(found->learners == 2);
  CHECK(found->latest.attempts == 2);
  CHECK(found->all.attempts == 4);
  REQUIRE(found->latest.verdicts.size() == 1);
  CHECK(found->latest.verdicts[0].name == "RTE");
  CHECK(found->latest.verdicts[0].count == 2);
  REQUIRE(found->all.verdicts.size() == 3);
  CHECK(found->all.verdicts[0].count == 2);
  REQUIRE(found->latest.reasons.size() == 1);
  CHECK(found->latest.reasons[0].name == "deadlock");
  CHECK(found->latest.reasons[0].sentence == grade::sentence_of(grade::Reason::kDeadlock));
  REQUIRE(found->all.mistakes.size() == 2);
  CHECK(found->all.mistakes[0].name == "n-minus-one");
  CHECK(found->all.mistakes[0].sentence == "what it is");
  CHECK(found->all.mistakes[0].count == 2);
  CHECK(found->latest.mistakes.size() == 1);

  REQUIRE(found->all.cases.size() == 3);
  CHECK(found->all.cases[0].name == "plain");
  CHECK(found->all.cases[0].kind == "normal");
  CHECK(found->all.cases[1].about == "about one row");
  CHECK(case_named(found->all, "plain").ran == 4);
  CHECK(case_named(found->all, "plain").failed == 1);
  CHECK(case_named(found->latest, "one row").ran == 1);  // of two, one was the judge's error
  CHECK(case_named(found->latest, "one row").failed == 0);
  CHECK(case_named(found->latest, "large").failed == 2);

  REQUIRE(found->misconceptions.size() == 2);
  CHECK(found->misconceptions[0].name == "a belief");
  CHECK(found->misconceptions[0].count == 1);

  const auto none = Statistics(fixture.pool).of("07");
  CHECK(none->learners == 0);
  CHECK(none->all.cases.empty());
}

TEST_CASE("a result that is no result is recorded and counts by its verdict") {
  WARPBOOK_NEEDS_POSTGRES();
  ClassFixture fixture;
  const std::int64_t ada = fixture.joined("ada");
  for (const char* text : {"", "no JSON", "[]", "{\"cases\": 5}", "{\"cases\": [5, {\"name\": 5}, {\"name\": \"x\"}], \"diagnosis\": []}",
                           "{\"reason\": \"a\\u0000b\", \"cases\": [{\"name\": \"a\\u0000b\", \"verdict\": \"AC\"}]}"}) {
    store::AttemptOutcome outcome;
    outcome.verdict = "WA";
    outcome.result_json = text;
    fixture.attempt(ada, "05", outcome);
  }
  const auto found = Statistics(fixture.pool).of("05");
  CHECK(found->all.attempts == 6);
  CHECK(found->all.cases.empty());
}
