// A best attempt judged again by several at once: one verdict is recorded, whole.
#include "judge/classroom/second_verdicts.hpp"

#include <array>
#include <atomic>
#include <thread>

#include "judge/classroom/class_fixture.hpp"
#include "judge/classroom/overrides.hpp"
#include "judge/classroom/submissions.hpp"

using namespace warpbook;
using namespace warpbook::classroom;

namespace {

const std::string kJudged = "05-layernorm";

/// A class with an instructor, and a learner whose best attempt has 8 points.
struct JudgedClass : ClassFixture {
  std::int64_t eve = joined("eve", Role::kInstructor), ada = joined("ada");
  std::int64_t best = attempt(ada, kJudged, {"AC", 8, true, true, R"({"verdict": "AC"})"});
  SecondVerdicts second{pool};

  SecondVerdict verdict(double points, std::optional<std::int64_t> known = {}) const {
    return {ada,   best, known, {kJudged, "hash of text", 1, "vgpu", "text"}, {points < 8 ? "WA" : "AC", points, false, false, "{}"},
            "why", eve};
  }
  std::optional<std::int64_t> known_now() const { return Submissions(pool).best(kJudged, {ada})->front().judged_again; }
  std::int64_t count(const std::string& table) const { return pool->run("SELECT count(*) FROM " + table)->integer(0, 0); }
};

}  // namespace

TEST_CASE("of several who judged one attempt again at once, one is recorded, with one override") {
  WARPBOOK_NEEDS_POSTGRES();
  const JudgedClass of;
  constexpr int kAtOnce = 8;
  std::array<std::atomic<int>, 4> ends{};
  std::atomic<int> failed = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kAtOnce; ++i)
    threads.emplace_back([&, i] {
      SecondVerdicts second(of.pool);
      const auto end = second.record(of.verdict(1 + i % 3));
      if (!end) ++failed;
      else ++ends[static_cast<std::size_t>(*end)];
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(failed == 0);
  CHECK(ends[static_cast<std::size_t>(Recorded::kAttemptAndOverride)] == 1);
  CHECK(ends[static_cast<std::size_t>(Recorded::kJudgedAgainSince)] == kAtOnce - 1);
  CHECK(of.count("attempts") == 2);
  CHECK(of.count("overrides") == 1);
  CHECK(of.count("attempts a JOIN overrides o ON o.person = a.person AND o.points = a.points WHERE a.judges_again IS NOT NULL") == 1);
}

TEST_CASE("who judged again after a verdict was recorded may record another one, and who did before may not") {
  WARPBOOK_NEEDS_POSTGRES();
  JudgedClass of;
  CHECK_FALSE(of.known_now());
  CHECK(*of.second.record(of.verdict(3)) == Recorded::kAttemptAndOverride);
  const auto known = of.known_now();
  REQUIRE(known);
  CHECK(*known > of.best);
  CHECK(*of.second.record(of.verdict(2)) == Recorded::kJudgedAgainSince);
  CHECK(of.count("attempts") == 2);
  // The points that stand were put there by a person's yes; they stay.
  CHECK(*of.second.record(of.verdict(2, known)) == Recorded::kAttempt);
  CHECK(of.count("attempts") == 3);
  CHECK(of.count("overrides") == 1);
  CHECK(*of.second.record(of.verdict(2, known)) == Recorded::kJudgedAgainSince);
}

TEST_CASE("a verdict on an attempt that is not the best one any more changes nothing") {
  WARPBOOK_NEEDS_POSTGRES();
  JudgedClass of;
  const SecondVerdict late = of.verdict(9);
  of.attempt(of.ada, kJudged, {"AC", 8, true, true, "{}"}, "another text");
  CHECK(*of.second.record(late) == Recorded::kAnotherIsBest);
  CHECK(of.count("attempts") == 2);
  CHECK(of.count("overrides") == 0);
  CHECK(*of.second.record({late.person, late.attempt, {}, {"06-safe-softmax", "h", 1, "vgpu"}, late.outcome, "why", of.eve}) ==
        Recorded::kAnotherIsBest);
}

TEST_CASE("a better second verdict is the best attempt from then on, and needs no override") {
  WARPBOOK_NEEDS_POSTGRES();
  JudgedClass of;
  CHECK(*of.second.record(of.verdict(10)) == Recorded::kAttempt);
  CHECK(of.count("overrides") == 0);
  const auto best = Submissions(of.pool).best(kJudged, {of.ada});
  REQUIRE(best);
  CHECK(best->front().attempt.outcome.points == 10);
  CHECK_FALSE(best->front().judged_again);
  CHECK(*of.second.record(of.verdict(10)) == Recorded::kAnotherIsBest);
}

TEST_CASE("a second verdict whose override cannot be written is not recorded either") {
  WARPBOOK_NEEDS_POSTGRES();
  JudgedClass of;
  SecondVerdict nobody = of.verdict(3);
  nobody.by = 999;
  CHECK_FALSE(of.second.record(nobody));
  SecondVerdict no_reason = of.verdict(3);
  no_reason.reason = " ";
  CHECK_FALSE(of.second.record(no_reason));
  CHECK(of.count("attempts") == 1);
  CHECK(*of.second.record(of.verdict(3)) == Recorded::kAttemptAndOverride);
}
