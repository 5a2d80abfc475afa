// What every Store promises, asked of each implementation. A place is where records lie: open() may be called again and finds them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "judge/base/descriptor.hpp"
#include "judge/store/postgres_schema.hpp"
#include "judge/store/postgres_store.hpp"
#include "judge/store/remote_store.hpp"
#include "judge/store/sqlite_store.hpp"
#include "judge/tests/postgres.hpp"

using namespace warpbook;
using namespace warpbook::store;

namespace {

struct InSqlite {
  std::unique_ptr<Store> open() {
    auto store = open_store(folder / "progress.sqlite");
    REQUIRE(store);
    return std::move(*store);
  }
  TemporaryFolder folder{"store 存档"};
};

struct InPostgres {
  InPostgres() {
    auto opened = PostgresPool::open(PostgresServer::shared().fresh_database(), 8);
    REQUIRE(opened);
    pool = *opened;
    REQUIRE(migrate(*pool));
    REQUIRE(pool->run("INSERT INTO people (login, login_key, name, role, added_ms) VALUES ('a', 'a', 'A', 'learner', 0)"));
  }
  std::unique_ptr<Store> open() { return learner_store(pool, 1); }
  std::shared_ptr<PostgresPool> pool;
};

/// A store whose other end is answered by a thread from an SQLite file.
struct BehindSocket {
  ~BehindSocket() {
    for (std::thread& thread : servers) thread.join();
  }
  std::unique_ptr<Store> open() {
    SocketPair ends;
    REQUIRE(ends.open(SOCK_STREAM));
    servers.emplace_back([end = std::move(ends.judge), file = folder / "progress.sqlite"] {
      auto store = open_store(file);
      if (store) (void)answer_store(end.get(), **store);
    });
    auto store = open_remote_store(ends.child.get());
    REQUIRE(store);
    ends.child.release();
    return std::move(*store);
  }
  TemporaryFolder folder{"store"};
  std::vector<std::thread> servers;
};

const NewAttempt kOne{"05-layernorm", "abc", 0xFFFFFFFFFFFFFFFF, "vgpu", "__global__ void f() {}\n"};

}  // namespace

#define STORE_TEST(name) TEMPLATE_TEST_CASE(name, "", InSqlite, InPostgres, BehindSocket)
#define NEEDS_PLACE() \
  if constexpr (std::is_same_v<TestType, InPostgres>) WARPBOOK_NEEDS_POSTGRES()

STORE_TEST("an attempt is on record from its beginning and ends once") {
  NEEDS_PLACE();
  TestType place;
  auto store = place.open();
  const auto id = store->begin_attempt(kOne);
  REQUIRE(id);
  auto begun = store->attempts("05-layernorm", 10);
  REQUIRE(begun->size() == 1);
  CHECK_FALSE(begun->front().finished_ms);
  CHECK(begun->front().begun.seed == 0xFFFFFFFFFFFFFFFF);
  CHECK(begun->front().begun.source.empty());

  REQUIRE(
      store->finish_attempt(*id, {"WA", 5.5, false, true, R"({"verdict":"WA"})", {{"x read", 2.0, "passes"}, {"time", 31.5, "us"}}, true}));
  const auto again = store->finish_attempt(*id, {"AC", 10, true, true, "{}", {}});
  REQUIRE_FALSE(again);
  CHECK(again.error().what == fmt::format("attempt {} is finished already or was never begun", *id));
  CHECK_FALSE(store->finish_attempt(*id + 1, {}));

  store = place.open();
  const auto ended = store->attempts("05-layernorm", 10);
  REQUIRE(ended->size() == 1);
  const Attempt& attempt = ended->front();
  CHECK(attempt.id == *id);
  CHECK(attempt.begun.task == "05-layernorm");
  CHECK(attempt.begun.source_hash == "abc");
  CHECK(attempt.begun.device == "vgpu");
  CHECK(attempt.started_ms > 1'700'000'000'000);
  REQUIRE(attempt.finished_ms);
  CHECK(*attempt.finished_ms >= attempt.started_ms);
  CHECK(attempt.outcome.verdict == "WA");
  CHECK(attempt.outcome.points == 5.5);
  CHECK_FALSE(attempt.outcome.passed);
  CHECK(attempt.outcome.medal);
  CHECK(attempt.outcome.provisional);
  CHECK(attempt.outcome.result_json == R"({"verdict":"WA"})");
  const auto measured = store->measurements("05-layernorm", 10);
  REQUIRE(measured->size() == 2);
  CHECK(measured->at(0).name == "x read");
  CHECK(measured->at(1).value == 31.5);
  CHECK(measured->at(1).unit == "us");
  CHECK(store->measurements("02-block-reduce", 10)->empty());
}

STORE_TEST("one attempt is found by its number") {
  NEEDS_PLACE();
  TestType place;
  auto store = place.open();
  const auto first = store->begin_attempt(kOne), second = store->begin_attempt(kOne);
  REQUIRE(store->finish_attempt(*first, {"WA", 3, false, false, "{\"first\": 1}", {}}));
  const auto found = store->attempt(*first);
  REQUIRE(found);
  REQUIRE(*found);
  CHECK((*found)->id == *first);
  CHECK((*found)->outcome.result_json == "{\"first\": 1}");
  CHECK_FALSE((*found)->outcome.provisional);
  CHECK_FALSE((*store->attempt(*second))->finished_ms);
  CHECK_FALSE(*store->attempt(*second + 1));
  CHECK(store->attempts("05-layernorm", 1)->front().id == *second);
}

STORE_TEST("what was handed in is kept and found by its hash") {
  NEEDS_PLACE();
  TestType place;
  auto store = place.open();
  REQUIRE(store->begin_attempt(kOne));
  REQUIRE(store->begin_attempt(kOne));
  REQUIRE(store->begin_attempt({"06", "other", 0, "gpu", "// 中文 \"'\\\n"}));
  REQUIRE(store->begin_attempt({"06", "none", 0, "gpu"}));
  CHECK(*store->source("abc") == std::optional<std::string>("__global__ void f() {}\n"));
  CHECK(*store->source("other") == std::optional<std::string>("// 中文 \"'\\\n"));
  CHECK_FALSE(*store->source("none"));
  CHECK_FALSE(*store->source("never"));
}

STORE_TEST("measurements are the latest, oldest first, and NaN is one") {
  NEEDS_PLACE();
  TestType place;
  auto store = place.open();
  for (int i = 0; i < 3; ++i) {
    const auto id = store->begin_attempt(kOne);
    const double run = i;
    REQUIRE(store->finish_attempt(
        *id, {"AC", 8, true, false, "{}", {{"run", run, ""}, {"nan", std::nan(""), ""}, {"inf", HUGE_VAL, ""}, {"tiny", -5e-324, ""}}}));
  }
  const auto last = store->measurements("05-layernorm", 5);
  REQUIRE(last);
  REQUIRE(last->size() == 5);
  CHECK(last->at(0).value == -5e-324);
  CHECK(last->at(1).value == 2);
  CHECK(std::isnan(last->at(2).value));
  CHECK(last->at(3).value == HUGE_VAL);
  CHECK(store->measurements("05-layernorm", 1000)->size() == 12);
}

STORE_TEST("progress keeps the best of all attempts, hints and the opened solution") {
  NEEDS_PLACE();
  TestType place;
  auto store = place.open();
  CHECK(store->progress("05-layernorm")->attempts == 0);
  CHECK(store->progress("05-layernorm")->task == "05-layernorm");
  for (const double points : {3.0, 9.0, 6.0}) {
    const auto id = store->begin_attempt(kOne);
    REQUIRE(store->finish_attempt(*id, {points > 8 ? "AC" : "WA", points, points > 8, false, "{}", {}}));
  }
  REQUIRE(store->begin_attempt(kOne));
  REQUIRE(store->record_hint({"05-layernorm", "variance", 3, ""}));
  REQUIRE(store->record_hint({"05-layernorm", "variance", 2, "clamp"}));
  REQUIRE(store->record_hint({"06-safe-softmax", "exponent", 1, ""}));
  REQUIRE(store->record_solution_opened("06-safe-softmax"));
  REQUIRE(store->record_solution_opened("06-safe-softmax"));
  CHECK(*store->hint_level("05-layernorm", "variance") == 3);
  CHECK(*store->hint_level("05-layernorm", "other") == 0);
  const auto all = store->all_progress();
  REQUIRE(all->size() == 2);
  CHECK(all->at(0).task == "05-layernorm");
  CHECK(all->at(0).attempts == 4);
  CHECK(all->at(0).best_points == 9);
  CHECK(all->at(0).passed);
  CHECK_FALSE(all->at(0).medal);
  CHECK(all->at(0).hint_level == 3);
  CHECK_FALSE(all->at(0).solution_opened);
  CHECK(all->at(1).solution_opened);
  CHECK(all->at(1).attempts == 0);
  CHECK(store->progress("06-safe-softmax")->hint_level == 1);
}

STORE_TEST("which hints were shown is remembered, each once") {
  NEEDS_PLACE();
  TestType place;
  auto store = place.open();
  for (const ShownHint& hint : {ShownHint{"05", "a", 1, ""}, ShownHint{"05", "a", 1, "clamp"}, ShownHint{"05", "a", 1, ""},
                                ShownHint{"05", "b", 4, ""}, ShownHint{"06", "a", 2, "x"}})
    REQUIRE(store->record_hint(hint));
  const auto shown = store->hints_shown("05", "a");
  REQUIRE(shown->size() == 2);
  CHECK(shown->at(0).tags.empty());
  CHECK(shown->at(1).tags == "clamp");
  CHECK(*store->hint_level("05", "a") == 1);
  CHECK(store->progress("05")->hint_level == 4);
}

STORE_TEST("answers are remembered when they change") {
  NEEDS_PLACE();
  TestType place;
  auto store = place.open();
  REQUIRE(store->record_answers({{"05", "q", "a", 0, 2, "a belief"}, {"05", "r", "4", 2, 2, ""}}));
  REQUIRE(store->record_answers({{"05", "q", "a", 0, 2, "a belief"}, {"05", "r", "4", 2, 2, ""}}));
  REQUIRE(store->record_answers({{"05", "q", "b", 2, 2, ""}}));
  REQUIRE(store->record_answers({{"05", "q", "a", 0, 2, "a belief"}}));
  REQUIRE(store->record_answers({}));
  const auto answers = store->answers("05");
  REQUIRE(answers->size() == 4);
  CHECK(answers->at(0).misconception == "a belief");
  CHECK(answers->at(1).of == 2);
  CHECK(answers->at(2).answer == "b");
  CHECK(answers->at(3).answer == "a");
  CHECK(store->answers("06")->empty());
}

STORE_TEST("the learner's seed is chosen once") {
  NEEDS_PLACE();
  TestType place, other;
  const std::uint64_t seed = *place.open()->learner_seed();
  CHECK(*place.open()->learner_seed() == seed);
  CHECK(*other.open()->learner_seed() != seed);
}

STORE_TEST("texts come back as they went, or are refused and nothing is kept of them") {
  NEEDS_PLACE();
  TestType place;
  auto store = place.open();
  const std::string strange = "'; DROP TABLE answers; -- <b>\x1b[31m \u202e 存档 \U0001f600 \u0007{\"a\",NULL}\\";
  REQUIRE(store->record_answers({{strange, strange, strange, 1, 2, strange}}));
  const auto answers = store->answers(strange);
  REQUIRE(answers->size() == 1);
  CHECK(answers->front().question == strange);
  CHECK(answers->front().answer == strange);
  const auto id = store->begin_attempt({strange, strange, 0, strange, strange});
  REQUIRE(id);
  REQUIRE(store->finish_attempt(*id, {strange, 1, false, false, strange, {{strange, 1, strange}}}));
  CHECK((*store->attempt(*id))->outcome.result_json == strange);
  CHECK(store->measurements(strange, 1)->front().unit == strange);
  CHECK(**store->source(strange) == strange);

  const std::string with_nul("a\0b", 3);
  if (const Status recorded = store->record_answers({{"05", "q", "fine", 1, 2, ""}, {"05", "r", with_nul, 1, 2, ""}}); recorded) {
    CHECK(store->answers("05")->back().answer == with_nul);
  } else {
    CHECK(recorded.error().what == "a text holds a NUL character, which no text of a database can hold; nothing was changed");
    CHECK(store->answers("05")->empty());
  }
}

STORE_TEST("of two that end one attempt at once, one is told so") {
  NEEDS_PLACE();
  TestType place;
  auto one = place.open(), other = place.open();
  for (int round = 0; round < 10; ++round) {
    const auto id = one->begin_attempt(kOne);
    REQUIRE(id);
    const AttemptOutcome outcome{"AC", 10, true, true, "{}", {{"x", 1, "passes"}}};
    bool first = false, second = false;
    std::thread beside([&] { first = static_cast<bool>(other->finish_attempt(*id, outcome)); });
    second = static_cast<bool>(one->finish_attempt(*id, outcome));
    beside.join();
    CHECK(first != second);
  }
  CHECK(one->measurements("05-layernorm", 100)->size() == 10);
}

STORE_TEST("threads may share one store") {
  NEEDS_PLACE();
  TestType place;
  auto store = place.open();
  constexpr int kThreads = 4, kAttempts = 10;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      for (int k = 0; k < kAttempts; ++k) {
        const auto id = store->begin_attempt(kOne);
        if (id) (void)store->finish_attempt(*id, {"AC", 10, true, true, "{}", {}});
        (void)store->record_answers({{"05-layernorm", "q", "the same", 1, 2, ""}, {"05-layernorm", fmt::format("q{}", i), "x", 1, 2, ""}});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(store->progress("05-layernorm")->attempts == kThreads * kAttempts);
  CHECK(store->answers("05-layernorm")->size() == 1 + kThreads);
  const auto attempts = store->attempts("05-layernorm", 1000);
  CHECK(std::all_of(attempts->begin(), attempts->end(), [](const Attempt& attempt) { return attempt.finished_ms.has_value(); }));
}
