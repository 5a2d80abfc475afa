#include "judge/store/postgres.hpp"

#include <fmt/format.h>

#include <cmath>
#include <thread>

#include "judge/store/postgres_schema.hpp"
#include "judge/store/postgres_store.hpp"
#include "judge/tests/postgres.hpp"

using namespace warpbook;
using namespace warpbook::store;

namespace {

std::shared_ptr<PostgresPool> pool_at(const std::string& conninfo, int most = 4, PostgresLimits limits = {}) {
  auto pool = PostgresPool::open(conninfo, most, limits);
  INFO((pool ? std::string() : pool.error().what));
  REQUIRE(pool);
  return *pool;
}

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("values come back from PostgreSQL as they went") {
  WARPBOOK_NEEDS_POSTGRES();
  auto pool = pool_at(PostgresServer::shared().fresh_database());
  const std::string strange = "a\t\"b\\c'{,}\n\x01 \xe5\xad\x98 \xf0\x9f\x98\x80 \xe2\x80\xae";
  const auto rows = pool->run(
      "SELECT $1::text, $2::bigint, $3::float8, $4::float8, $5::float8, $6::bool, $7::text, ($8::text[])[1], ($8::text[])[2], "
      "($9::float8[])[1], ($10::bigint[])[2]",
      {strange, std::int64_t{-9223372036854775807 - 1}, 0.1, std::nan(""), -HUGE_VAL, true, std::nullopt,
       SqlValue::list(std::vector<std::string>{strange, "NULL"}), SqlValue::list(std::vector<double>{5e-324}),
       SqlValue::list(std::vector<std::int64_t>{1, -2})});
  INFO((rows ? std::string() : rows.error().what));
  REQUIRE(rows);
  CHECK(rows->text(0, 0) == strange);
  CHECK(rows->integer(0, 1) == -9223372036854775807 - 1);
  CHECK(rows->real(0, 2) == 0.1);
  CHECK(std::isnan(rows->real(0, 3)));
  CHECK(rows->real(0, 4) == -HUGE_VAL);
  CHECK(rows->boolean(0, 5));
  CHECK(rows->is_null(0, 6));
  CHECK(rows->text(0, 7) == strange);
  CHECK(rows->text(0, 8) == "NULL");
  CHECK(rows->real(0, 9) == 5e-324);
  CHECK(rows->integer(0, 10) == -2);
}

TEST_CASE("a text that PostgreSQL cannot hold is refused, not cut") {
  WARPBOOK_NEEDS_POSTGRES();
  auto pool = pool_at(PostgresServer::shared().fresh_database());
  const auto with_nul = pool->run("SELECT $1::text", {std::string("a\0b", 3)});
  REQUIRE_FALSE(with_nul);
  CHECK(holds(with_nul.error().what, "NUL"));
  const auto no_utf8 = pool->run("SELECT $1::text", {"a\xff"});
  REQUIRE_FALSE(no_utf8);
  CHECK(no_utf8.error().what == "the database does not take a text that is not UTF-8; nothing was changed");
  CHECK(pool->run("SELECT 1"));
}

TEST_CASE("a transaction takes back what was not committed, also behind an error") {
  WARPBOOK_NEEDS_POSTGRES();
  auto pool = pool_at(PostgresServer::shared().fresh_database(), 1);
  REQUIRE(pool->run("CREATE TABLE public.t (i integer PRIMARY KEY)"));
  {
    auto transaction = PostgresTransaction::begin(*pool);
    REQUIRE(transaction->run("INSERT INTO public.t VALUES (1)"));
  }
  CHECK(pool->run("SELECT * FROM public.t")->empty());
  {
    auto transaction = PostgresTransaction::begin(*pool);
    REQUIRE(transaction->run("INSERT INTO public.t VALUES (1)"));
    CHECK_FALSE(transaction->run("INSERT INTO public.t VALUES (1)"));
    const Status committed = transaction->commit();
    REQUIRE_FALSE(committed);
    CHECK(holds(committed.error().what, "rolled back"));
  }
  CHECK(pool->run("SELECT * FROM public.t")->empty());
}

TEST_CASE("where the database is said wrongly, no message tells the password") {
  WARPBOOK_NEEDS_POSTGRES();
  const std::string folder = PostgresServer::shared().at("postgres");
  for (const std::string& where :
       {std::string("postgresql://u:hush-hush@[nowhere/db"), std::string("host=/nowhere password='hush-hush"), std::string("hush-hush"),
        std::string("host=/nowhere password=hush-hush dbname=x"), folder + " password=hush-hush dbname=not-there",
        folder + " password=hush-hush user=hush-hush", std::string("postgresql://u:hush-hush@127.0.0.1:1/db")}) {
    const auto pool = PostgresPool::open(where, 2);
    INFO(where);
    REQUIRE_FALSE(pool);
    INFO(pool.error().what);
    CHECK_FALSE(holds(pool.error().what, "hush"));
    CHECK((holds(pool.error().what, "cannot be reached") || holds(pool.error().what, "cannot be read, expected e.g.")));
  }
}

TEST_CASE("a database that is not UTF-8 is refused") {
  WARPBOOK_NEEDS_POSTGRES();
  PostgresServer::shared().statement("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0");
  const auto pool = PostgresPool::open(PostgresServer::shared().at("latin"), 1);
  REQUIRE_FALSE(pool);
  CHECK(holds(pool.error().what, "keeps its text as LATIN1, expected UTF8"));
}

TEST_CASE("a server that goes away and comes back is survived") {
  WARPBOOK_NEEDS_POSTGRES();
  PostgresServer& server = PostgresServer::shared();
  auto pool = pool_at(server.fresh_database(), 2);
  REQUIRE(migrate(*pool));
  REQUIRE(pool->run("INSERT INTO people (login, login_key, name, role, added_ms) VALUES ('a', 'a', 'A', 'learner', 0)"));
  auto store = learner_store(pool, 1);
  const auto before = store->begin_attempt({"05", "hash", 1, "vgpu", "text"});
  REQUIRE(before);
  auto open = PostgresTransaction::begin(*pool);
  REQUIRE(open->run("UPDATE attempts SET device = 'x'"));

  server.stop();
  const auto away = store->begin_attempt({"05", "hash", 1, "vgpu", "text"});
  REQUIRE_FALSE(away);
  CHECK(holds(away.error().what, "the database cannot be reached"));
  CHECK_FALSE(open->run("SELECT 1"));
  CHECK_FALSE(open->commit());

  server.start();
  CHECK(store->finish_attempt(*before, {"AC", 8, true, false, "{}", {}}));
  CHECK(store->begin_attempt({"05", "hash", 1, "vgpu", "text"}));
  CHECK(store->attempts("05", 10)->size() == 2);
  CHECK(store->attempts("05", 10)->back().begun.device == "vgpu");
}

TEST_CASE("a server that restarts between two calls is not even noticed") {
  WARPBOOK_NEEDS_POSTGRES();
  PostgresServer& server = PostgresServer::shared();
  auto pool = pool_at(server.fresh_database(), 3);
  {
    const auto a = pool->take(), b = pool->take(), c = pool->take();
    REQUIRE((a && b && c));
  }
  server.stop();
  server.start();
  for (int i = 0; i < 6; ++i) CHECK(pool->run("SELECT 1"));
}

TEST_CASE("no call waits without end") {
  WARPBOOK_NEEDS_POSTGRES();
  PostgresServer& server = PostgresServer::shared();
  const PostgresLimits limits{std::chrono::seconds(2), std::chrono::milliseconds(200), std::chrono::milliseconds(600)};
  auto pool = pool_at(server.fresh_database(), 1, limits);
  const auto begun = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count(); };

  SECTION("for a statement") {
    const auto slow = pool->run("SELECT pg_sleep(30)");
    REQUIRE_FALSE(slow);
    CHECK(slow.error().what == "the database did not answer in time; nothing was changed");
    CHECK(pool->run("SELECT 1"));
  }
  SECTION("for a server that is held still") {
    server.freeze();
    const auto frozen = pool->run("SELECT 1");
    const auto again = pool->run("SELECT 1");
    server.thaw();
    REQUIRE_FALSE(frozen);
    CHECK(holds(frozen.error().what, "did not answer in time"));
    REQUIRE_FALSE(again);
    CHECK(holds(again.error().what, "cannot be reached"));
    CHECK(pool->run("SELECT 1"));
  }
  SECTION("for a connection of the pool") {
    const auto held = pool->take();
    REQUIRE(held);
    const auto none = pool->take();
    REQUIRE_FALSE(none);
    CHECK(none.error().what == "the database is busy: all 1 connections are in use, waited 0.2 s");
  }
  CHECK(seconds() < 15);
}

TEST_CASE("servers that start at once make one schema, and a stranger's or a newer one is left alone") {
  WARPBOOK_NEEDS_POSTGRES();
  PostgresServer& server = PostgresServer::shared();
  {
    const std::string where = server.fresh_database();
    std::vector<std::thread> threads;
    std::atomic<int> failures = 0;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        auto pool = PostgresPool::open(where, 1);
        failures += !pool || !migrate(**pool);
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(failures == 0);
    auto pool = pool_at(where);
    CHECK(migrate(*pool));
    REQUIRE(pool->run("UPDATE schema_version SET version = 99"));
    const Status newer = migrate(*pool);
    REQUIRE_FALSE(newer);
    CHECK(holds(newer.error().what, "newer judge (version 99)"));
  }
  auto pool = pool_at(server.fresh_database());
  REQUIRE(pool->run("CREATE SCHEMA warpbook"));
  REQUIRE(pool->run("CREATE TABLE warpbook.songs (title text)"));
  const Status strange = migrate(*pool);
  REQUIRE_FALSE(strange);
  CHECK(holds(strange.error().what, "of another program"));
}

TEST_CASE("tables of the first version are brought up to date with what is in them") {
  WARPBOOK_NEEDS_POSTGRES();
  auto pool = pool_at(PostgresServer::shared().fresh_database());
  REQUIRE(migrate(*pool));
  for (const char* back :
       {"ALTER TABLE warpbook.attempts DROP COLUMN judges_again", "UPDATE warpbook.schema_version SET version = 1",
        "INSERT INTO warpbook.people (login, login_key, name, role, added_ms) VALUES ('a', 'a', 'A', 'learner', 0)",
        "INSERT INTO warpbook.attempts (person, task, source_hash, seed, device, started_ms) VALUES (1, '05', 'h', 1, 'vgpu', 0)"})
    REQUIRE(pool->run(back));
  REQUIRE(migrate(*pool));
  CHECK(pool->run("SELECT count(*) FROM attempts WHERE judges_again IS NULL")->integer(0, 0) == 1);
  CHECK(learner_store(pool, 1)->begin_attempt({"05", "h", 1, "vgpu"}));
}

TEST_CASE("one learner's store knows nothing of another's") {
  WARPBOOK_NEEDS_POSTGRES();
  auto pool = pool_at(PostgresServer::shared().fresh_database());
  REQUIRE(migrate(*pool));
  REQUIRE(
      pool->run("INSERT INTO people (login, login_key, name, role, added_ms) VALUES ('a', 'a', 'A', 'learner', 0), "
                "('b', 'b', 'B', 'learner', 0)"));
  auto a = learner_store(pool, 1), b = learner_store(pool, 2), nobody = learner_store(pool, 3);
  const auto id = a->begin_attempt({"05", "hash", 1, "vgpu", "the text of a"});
  REQUIRE(id);
  REQUIRE(a->record_hint({"05", "blank", 3, ""}));
  REQUIRE(a->record_answers({{"05", "q", "x", 1, 2, ""}}));
  REQUIRE(a->record_solution_opened("05"));
  CHECK_FALSE(b->finish_attempt(*id, {"AC", 10, true, true, "{}", {}}));
  REQUIRE(a->finish_attempt(*id, {"AC", 10, true, true, "{}", {{"x", 1, ""}}}));
  CHECK_FALSE(*b->attempt(*id));
  CHECK_FALSE(*b->source("hash"));
  CHECK(**a->source("hash") == "the text of a");
  CHECK(b->attempts("05", 10)->empty());
  CHECK(b->measurements("05", 10)->empty());
  CHECK(b->answers("05")->empty());
  CHECK(b->hints_shown("05", "blank")->empty());
  CHECK(*b->hint_level("05", "blank") == 0);
  CHECK(b->all_progress()->empty());
  CHECK(*a->learner_seed() != *b->learner_seed());
  CHECK_FALSE(nobody->begin_attempt({"05", "hash", 1, "vgpu"}));
  CHECK_FALSE(nobody->learner_seed());
}

TEST_CASE("a text whose short hash is that of another is told apart") {
  WARPBOOK_NEEDS_POSTGRES();
  auto pool = pool_at(PostgresServer::shared().fresh_database());
  REQUIRE(migrate(*pool));
  REQUIRE(pool->run("INSERT INTO people (login, login_key, name, role, added_ms) VALUES ('a', 'a', 'A', 'learner', 0)"));
  auto store = learner_store(pool, 1);
  REQUIRE(store->begin_attempt({"05", "same", 1, "vgpu", "harmless"}));
  REQUIRE(store->begin_attempt({"05", "same", 1, "vgpu", "what was judged"}));
  REQUIRE(store->begin_attempt({"05", "other", 1, "vgpu", "harmless"}));
  CHECK(**store->source("same") == "what was judged");
  CHECK(**store->source("other") == "harmless");
  CHECK(pool->run("SELECT count(*) FROM sources")->integer(0, 0) == 2);
}
