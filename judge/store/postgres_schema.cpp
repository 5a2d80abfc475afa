// As in schema.cpp, each entry takes the tables from the version of its index to the next, and entries that were released are never
// changed. The version stands in a table. People, work and what instructors did are never deleted, only marked; sessions and links are.
#include "judge/store/postgres_schema.hpp"

#include <fmt/format.h>

#include <array>

namespace warpbook::store {
namespace {

constexpr std::array<const char*, 2> kPostgresSteps{{
    R"(CREATE TABLE people (
         id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
         login text NOT NULL, login_key text NOT NULL UNIQUE, name text NOT NULL,
         role text NOT NULL CHECK (role IN ('learner', 'instructor')),
         password text, seed bigint, added_ms bigint NOT NULL, seen_ms bigint, removed_ms bigint);
       CREATE TABLE invitations (
         token_hash text PRIMARY KEY, person bigint NOT NULL REFERENCES people (id), expires_ms bigint NOT NULL);
       CREATE INDEX invitations_by_person ON invitations (person);
       CREATE TABLE sessions (
         token_hash text PRIMARY KEY, person bigint NOT NULL REFERENCES people (id),
         begun_ms bigint NOT NULL, seen_ms bigint NOT NULL, expires_ms bigint NOT NULL);
       CREATE INDEX sessions_by_person ON sessions (person);
       CREATE INDEX sessions_by_expiry ON sessions (expires_ms);

       -- Kept by a digest that nobody can find a second text for: what an instructor is shown is what was judged.
       CREATE TABLE sources (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, digest bytea NOT NULL UNIQUE, source text NOT NULL);
       CREATE TABLE attempts (
         id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, person bigint NOT NULL REFERENCES people (id),
         task text NOT NULL, source_hash text NOT NULL, source bigint REFERENCES sources (id), seed bigint NOT NULL, device text NOT NULL,
         started_ms bigint NOT NULL, finished_ms bigint,
         verdict text, points double precision, passed boolean, medal boolean, provisional boolean, result_json text,
         reason text, mistake text, mistake_sentence text);
       CREATE INDEX attempts_by_person ON attempts (person, task, id);
       CREATE INDEX attempts_by_task ON attempts (task, person, id);
       CREATE INDEX attempts_by_source ON attempts (person, source_hash);
       -- What a learner has reached in a task, kept by the transactions that begin and end attempts: the gradebook of a class would
       -- otherwise read all attempts, of which each is ten times as many (500 learners, 30 tasks: 160 ms instead of 15).
       CREATE TABLE reached (
         person bigint NOT NULL REFERENCES people (id), task text NOT NULL, attempts integer NOT NULL,
         best bigint REFERENCES attempts (id), points double precision NOT NULL DEFAULT 0, passed boolean NOT NULL DEFAULT false,
         medal boolean NOT NULL DEFAULT false, provisional boolean NOT NULL DEFAULT false, best_ms bigint, PRIMARY KEY (person, task));
       -- What statistics count, taken from the result when it comes: a result has hundreds of kilobytes, and a class thousands of them.
       CREATE TABLE attempt_cases (
         attempt bigint NOT NULL REFERENCES attempts (id), place integer NOT NULL,
         name text NOT NULL, kind text NOT NULL, about text NOT NULL, verdict text NOT NULL, PRIMARY KEY (attempt, place));
       -- A run has some 300 figures, read together or not at all: one row.
       CREATE TABLE measurements (
         attempt bigint PRIMARY KEY REFERENCES attempts (id), names text[] NOT NULL, figures double precision[] NOT NULL, units text[] NOT NULL);

       CREATE TABLE shown_hints (
         id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, person bigint NOT NULL REFERENCES people (id),
         task text NOT NULL, blank text NOT NULL, level integer NOT NULL, tags text NOT NULL, shown_ms bigint NOT NULL,
         UNIQUE (person, task, blank, level, tags));
       CREATE TABLE opened_solutions (
         person bigint NOT NULL REFERENCES people (id), task text NOT NULL, opened_ms bigint NOT NULL, PRIMARY KEY (person, task));
       CREATE TABLE answers (
         id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, person bigint NOT NULL REFERENCES people (id),
         task text NOT NULL, question text NOT NULL, answer text NOT NULL, points double precision NOT NULL,
         "of" double precision NOT NULL, misconception text NOT NULL, answered_ms bigint NOT NULL);
       CREATE INDEX answers_by_person ON answers (person, task, question, id);
       CREATE INDEX answers_by_task ON answers (task, person, question, id);

       -- An entry without points lifts the one before.
       CREATE TABLE overrides (
         id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, person bigint NOT NULL REFERENCES people (id), task text NOT NULL,
         points double precision, reason text NOT NULL, by_person bigint NOT NULL REFERENCES people (id), set_ms bigint NOT NULL);
       CREATE INDEX overrides_by_person ON overrides (person, task, id);)",

    // An attempt that is the verdict of an earlier one's text, judged again: two that come of the same look at it are told apart by this.
    R"(ALTER TABLE attempts ADD COLUMN judges_again bigint REFERENCES attempts (id);
       CREATE INDEX attempts_by_judged_again ON attempts (judges_again) WHERE judges_again IS NOT NULL;)",
}};

/// Any number, the same in every server.
constexpr std::int64_t kMigrationLock = 0x57425047;  // "WBPG"

/// 0: there is no schema yet.
Result<std::int64_t> version_of(PostgresTransaction& transaction) {
  const Result<SqlRows> there = transaction.run(
      "SELECT to_regnamespace('warpbook') IS NOT NULL, to_regclass('warpbook.schema_version') IS NOT NULL, "
      "(SELECT count(*) FROM pg_class WHERE relnamespace = to_regnamespace('warpbook'))");
  if (!there) return there.error();
  if (!there->boolean(0, 0)) {
    if (Status made = transaction.script("CREATE SCHEMA warpbook"); !made) return made.error();
  } else if (!there->boolean(0, 1) && there->integer(0, 2) > 0) {
    return Error{"the database has a schema 'warpbook' of another program, expected one of this workbook or none"};
  }
  if (!there->boolean(0, 1)) {
    if (Status made = transaction.script("CREATE TABLE schema_version (version integer NOT NULL); INSERT INTO schema_version VALUES (0)");
        !made)
      return made.error();
  }
  const Result<SqlRows> version = transaction.run("SELECT version FROM schema_version");
  if (!version) return version.error();
  if (version->size() != 1) return Error{"the schema 'warpbook' does not say its version, expected one row in schema_version"};
  return version->integer(0, 0);
}

/// The version that this judge writes.
int postgres_schema_version() { return static_cast<int>(kPostgresSteps.size()); }

}  // namespace

Status migrate(PostgresPool& pool) {
  Result<PostgresTransaction> transaction = PostgresTransaction::begin(pool);
  if (!transaction) return transaction.error();
  if (auto locked = transaction->run("SELECT pg_advisory_xact_lock($1)", {kMigrationLock}); !locked) return locked.error();
  const Result<std::int64_t> version = version_of(*transaction);
  if (!version) return version.error();
  if (*version > postgres_schema_version())
    return Error{fmt::format("the database was written by a newer judge (version {}), this one knows up to {}; update the workbook",
                             *version, postgres_schema_version())};
  if (*version == postgres_schema_version()) return Done{};
  for (std::int64_t step = *version; step < postgres_schema_version(); ++step)
    if (Status done = transaction->script(kPostgresSteps[static_cast<std::size_t>(step)]); !done) return done;
  if (auto marked = transaction->run("UPDATE schema_version SET version = $1", {postgres_schema_version()}); !marked) return marked.error();
  return transaction->commit();
}

}  // namespace warpbook::store
