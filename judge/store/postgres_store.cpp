// Every statement names the person: that is the whole of what keeps one learner's things from another's, and so it stands in each. What a
// learner has reached stands beside the attempts (a class has too many to count them each time) and changes in the same transactions.
#include "judge/store/postgres_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "judge/store/now.hpp"
#include "judge/store/result_summary.hpp"
#include "judge/store/seed_bits.hpp"

namespace warpbook::store {
namespace {

constexpr const char* kProgressOfPerson = R"(
  SELECT task, sum(attempts), max(points), bool_or(passed), bool_or(medal), max(level), bool_or(opened) FROM (
    SELECT task, attempts, points, passed, medal, 0 AS level, false AS opened
      FROM reached WHERE person = $1 AND ($2 = '' OR task = $2)
    UNION ALL SELECT task, 0, 0, false, false, max(level), false FROM shown_hints
      WHERE person = $1 AND ($2 = '' OR task = $2) GROUP BY task
    UNION ALL SELECT task, 0, 0, false, false, 0, true FROM opened_solutions WHERE person = $1 AND ($2 = '' OR task = $2)) touched
  GROUP BY task ORDER BY task COLLATE "C")";

}  // namespace

const char* const kAttemptColumns =
    "a.id, a.task, a.source_hash, a.seed, a.device, a.started_ms, a.finished_ms, a.verdict, a.points, a.passed, a.medal, a.provisional";

Attempt attempt_at(const SqlRows& rows, int row) {
  Attempt attempt;
  attempt.id = rows.integer(row, 0);
  attempt.begun = {rows.text(row, 1), rows.text(row, 2), loaded_seed(rows.integer(row, 3)), rows.text(row, 4), {}};
  attempt.started_ms = rows.integer(row, 5);
  attempt.finished_ms = rows.maybe_integer(row, 6);
  attempt.outcome = {rows.text(row, 7), rows.real(row, 8), rows.boolean(row, 9), rows.boolean(row, 10), {}, {}, rows.boolean(row, 11)};
  return attempt;
}

namespace {

Status done(const Result<SqlRows>& result) {
  if (!result) return result.error();
  return Done{};
}

/// The number of a text, which is stored when it is new.
Result<std::int64_t> keep(PostgresTransaction& transaction, const std::string& source) {
  const Result<SqlRows> added = transaction.run(
      "INSERT INTO sources (digest, source) VALUES (sha256(convert_to($1, 'UTF8')), $1) ON CONFLICT (digest) DO NOTHING RETURNING id",
      {source});
  if (!added) return added.error();
  if (!added->empty()) return added->integer(0, 0);
  const Result<SqlRows> known = transaction.run("SELECT id FROM sources WHERE digest = sha256(convert_to($1, 'UTF8'))", {source});
  if (!known) return known.error();
  if (known->empty()) return Error{"a source that was just stored is not there"};
  return known->integer(0, 0);
}

/// The best attempt is the one with most points, of equals the one that ended last.
Status add_reached(PostgresTransaction& transaction, std::int64_t id) {
  return done(transaction.run(
      R"(UPDATE reached r SET passed = r.passed OR a.passed, medal = r.medal OR a.medal, points = greatest(r.points, a.points),
           best = CASE WHEN r.best IS NULL OR a.points >= r.points THEN a.id ELSE r.best END,
           provisional = CASE WHEN r.best IS NULL OR a.points >= r.points THEN a.provisional ELSE r.provisional END,
           best_ms = CASE WHEN r.best IS NULL OR a.points >= r.points THEN a.finished_ms ELSE r.best_ms END
         FROM attempts a WHERE a.id = $1 AND r.person = a.person AND r.task = a.task)",
      {id}));
}

Status add_cases(PostgresTransaction& transaction, std::int64_t id, const ResultSummary& summary) {
  if (summary.names.empty()) return Done{};
  return done(transaction.run(
      R"(INSERT INTO attempt_cases (attempt, place, name, kind, about, verdict)
         SELECT $1::bigint, u.place, u.name, u.kind, u.about, u.verdict
         FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) WITH ORDINALITY AS u (name, kind, about, verdict, place))",
      {id, SqlValue::list(summary.names), SqlValue::list(summary.kinds), SqlValue::list(summary.abouts),
       SqlValue::list(summary.verdicts)}));
}

Status add_measurements(PostgresTransaction& transaction, std::int64_t id, const std::vector<RecordedMeasurement>& measured) {
  if (measured.empty()) return Done{};
  std::vector<std::string> names, units;
  std::vector<double> figures;
  for (const RecordedMeasurement& m : measured) {
    names.push_back(m.name);
    figures.push_back(m.value);
    units.push_back(m.unit);
  }
  return done(transaction.run("INSERT INTO measurements (attempt, names, figures, units) VALUES ($1, $2, $3, $4)",
                              {id, SqlValue::list(names), SqlValue::list(figures), SqlValue::list(units)}));
}

}  // namespace

Result<std::int64_t> begin_attempt_in(PostgresTransaction& transaction, std::int64_t person, const NewAttempt& attempt,
                                      std::optional<std::int64_t> judges_again) {
  std::optional<std::int64_t> source;
  if (!attempt.source.empty()) {
    const Result<std::int64_t> kept = keep(transaction, attempt.source);
    if (!kept) return kept.error();
    source = *kept;
  }
  const Result<SqlRows> id = transaction.run(
      "INSERT INTO attempts (person, task, source_hash, source, seed, device, started_ms, judges_again) "
      "VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id",
      {person, attempt.task, attempt.source_hash, source, stored_seed(attempt.seed), attempt.device, now_ms(), judges_again});
  if (!id) return id.error();
  const Result<SqlRows> counted = transaction.run(
      "INSERT INTO reached AS r (person, task, attempts) VALUES ($1, $2, 1) ON CONFLICT (person, task) DO UPDATE SET attempts = "
      "r.attempts + 1",
      {person, attempt.task});
  if (!counted) return counted.error();
  return id->integer(0, 0);
}

Status finish_attempt_in(PostgresTransaction& transaction, std::int64_t person, std::int64_t id, const AttemptOutcome& outcome) {
  const ResultSummary summary = summary_of(outcome.result_json);
  // Of two that end one attempt the second waits here for the first, and then meets no row.
  const Result<SqlRows> ended = transaction.run(
      R"(UPDATE attempts SET finished_ms = $3, verdict = $4, points = $5, passed = $6, medal = $7, provisional = $8, result_json = $9,
                reason = $10, mistake = $11, mistake_sentence = $12
         WHERE id = $1 AND person = $2 AND finished_ms IS NULL)",
      // A NaN would count as more than any number.
      {id, person, now_ms(), outcome.verdict, std::isfinite(outcome.points) ? outcome.points : 0, outcome.passed, outcome.medal,
       outcome.provisional, outcome.result_json, summary.reason, summary.mistake, summary.mistake_sentence});
  if (!ended) return ended.error();
  if (ended->changed() != 1) return Error{fmt::format("attempt {} is finished already or was never begun", id)};
  if (Status done = add_reached(transaction, id); !done) return done;
  if (Status done = add_cases(transaction, id, summary); !done) return done;
  return add_measurements(transaction, id, outcome.measurements);
}

namespace {

class PostgresStore final : public Store {
 public:
  PostgresStore(std::shared_ptr<PostgresPool> pool, std::int64_t person) : pool_(std::move(pool)), person_(person) {}

  Result<std::int64_t> begin_attempt(const NewAttempt& attempt) override {
    Result<PostgresTransaction> transaction = PostgresTransaction::begin(*pool_);
    if (!transaction) return transaction.error();
    const Result<std::int64_t> id = begin_attempt_in(*transaction, person_, attempt);
    if (!id) return id.error();
    if (Status done = transaction->commit(); !done) return done.error();
    return id;
  }

  Status finish_attempt(std::int64_t id, const AttemptOutcome& outcome) override {
    Result<PostgresTransaction> transaction = PostgresTransaction::begin(*pool_);
    if (!transaction) return transaction.error();
    if (Status done = finish_attempt_in(*transaction, person_, id, outcome); !done) return done;
    return transaction->commit();
  }

  Result<std::vector<Attempt>> attempts(const std::string& task, int limit) override {
    return read_attempts("a.task = $2 ORDER BY a.id DESC LIMIT $3", {person_, task, limit});
  }

  Result<std::optional<Attempt>> attempt(std::int64_t id) override {
    Result<std::vector<Attempt>> found = read_attempts("a.id = $2", {person_, id});
    if (!found) return found.error();
    return found->empty() ? std::optional<Attempt>() : std::optional<Attempt>(std::move(found->front()));
  }

  Result<std::optional<std::string>> source(const std::string& hash) override {
    const Result<SqlRows> rows = pool_->run(
        R"(SELECT s.source FROM attempts a JOIN sources s ON s.id = a.source WHERE a.person = $1 AND a.source_hash = $2
           ORDER BY a.id DESC LIMIT 1)",
        {person_, hash});
    if (!rows) return rows.error();
    return rows->empty() ? std::optional<std::string>() : std::optional<std::string>(rows->text(0, 0));
  }

  Result<std::vector<RecordedMeasurement>> measurements(const std::string& task, int limit) override {
    const Result<SqlRows> rows = pool_->run(
        R"(SELECT u.name, u.figure, u.unit FROM attempts a JOIN measurements m ON m.attempt = a.id
             CROSS JOIN LATERAL unnest(m.names, m.figures, m.units) WITH ORDINALITY AS u (name, figure, unit, place)
           WHERE a.person = $1 AND a.task = $2 ORDER BY a.id DESC, u.place DESC LIMIT $3)",
        {person_, task, limit});
    if (!rows) return rows.error();
    std::vector<RecordedMeasurement> found;
    for (int i = rows->size() - 1; i >= 0; --i) found.push_back({rows->text(i, 0), rows->real(i, 1), rows->text(i, 2)});
    return found;
  }

  Result<Progress> progress(const std::string& task) override {
    Progress untouched;
    untouched.task = task;
    if (task.empty()) return untouched;
    Result<std::vector<Progress>> found = read_progress(task);
    if (!found) return found.error();
    return found->empty() ? untouched : found->front();
  }

  Result<std::vector<Progress>> all_progress() override { return read_progress(""); }

  Result<int> hint_level(const std::string& task, const std::string& blank) override {
    const Result<SqlRows> rows = pool_->run(
        "SELECT coalesce(max(level), 0) FROM shown_hints WHERE person = $1 AND task = $2 AND blank = $3", {person_, task, blank});
    if (!rows) return rows.error();
    return static_cast<int>(rows->integer(0, 0));
  }

  Status record_hint(const ShownHint& hint) override {
    return done(
        pool_->run("INSERT INTO shown_hints (person, task, blank, level, tags, shown_ms) VALUES ($1, $2, $3, $4, $5, $6) "
                   "ON CONFLICT DO NOTHING",
                   {person_, hint.task, hint.blank, hint.level, hint.tags, now_ms()}));
  }

  Result<std::vector<ShownHint>> hints_shown(const std::string& task, const std::string& blank) override {
    const Result<SqlRows> rows =
        pool_->run("SELECT task, blank, level, tags FROM shown_hints WHERE person = $1 AND task = $2 AND blank = $3 ORDER BY id",
                   {person_, task, blank});
    if (!rows) return rows.error();
    std::vector<ShownHint> found;
    for (int i = 0; i < rows->size(); ++i)
      found.push_back({rows->text(i, 0), rows->text(i, 1), static_cast<int>(rows->integer(i, 2)), rows->text(i, 3)});
    return found;
  }

  Status record_solution_opened(const std::string& task) override {
    return done(pool_->run("INSERT INTO opened_solutions (person, task, opened_ms) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
                           {person_, task, now_ms()}));
  }

  Status record_answers(const std::vector<AnsweredQuestion>& answers) override {
    Result<PostgresTransaction> transaction = PostgresTransaction::begin(*pool_);
    if (!transaction) return transaction.error();
    // Two that record at once would each find the other's answer missing; one after the other they do not.
    if (auto one = transaction->run("SELECT 1 FROM people WHERE id = $1 FOR NO KEY UPDATE", {person_}); !one) return one.error();
    for (const AnsweredQuestion& a : answers) {
      const Result<SqlRows> added = transaction->run(
          R"(INSERT INTO answers (person, task, question, answer, points, "of", misconception, answered_ms)
             SELECT $1::bigint, $2::text, $3::text, $4::text, $5::float8, $6::float8, $7::text, $8::bigint WHERE NOT EXISTS (
               SELECT 1 FROM (SELECT answer, points FROM answers WHERE person = $1 AND task = $2 AND question = $3 ORDER BY id DESC LIMIT 1)
                 latest WHERE answer = $4 AND points = $5))",
          {person_, a.task, a.question, a.answer, a.points, a.of, a.misconception, now_ms()});
      if (!added) return added.error();
    }
    return transaction->commit();
  }

  Result<std::vector<AnsweredQuestion>> answers(const std::string& task) override {
    const Result<SqlRows> rows =
        pool_->run(R"(SELECT task, question, answer, points, "of", misconception FROM answers WHERE person = $1 AND task = $2 ORDER BY id)",
                   {person_, task});
    if (!rows) return rows.error();
    std::vector<AnsweredQuestion> found;
    for (int i = 0; i < rows->size(); ++i)
      found.push_back({rows->text(i, 0), rows->text(i, 1), rows->text(i, 2), rows->real(i, 3), rows->real(i, 4), rows->text(i, 5)});
    return found;
  }

  Result<std::uint64_t> learner_seed() override {
    std::random_device device;
    const std::uint64_t fresh = (std::uint64_t{device()} << 32) | device();
    // Whoever comes first decides; everybody reads back what stands there.
    const Result<SqlRows> rows =
        pool_->run("UPDATE people SET seed = coalesce(seed, $2) WHERE id = $1 RETURNING seed", {person_, stored_seed(fresh)});
    if (!rows) return rows.error();
    if (rows->empty()) return Error{fmt::format("there is no person {} in this class", person_)};
    return loaded_seed(rows->integer(0, 0));
  }

 private:
  Result<std::vector<Attempt>> read_attempts(const char* condition, const SqlValues& values) {
    const Result<SqlRows> rows =
        pool_->run(fmt::format("SELECT {}, a.result_json FROM attempts a WHERE a.person = $1 AND {}", kAttemptColumns, condition), values);
    if (!rows) return rows.error();
    std::vector<Attempt> found;
    for (int i = 0; i < rows->size(); ++i) {
      found.push_back(attempt_at(*rows, i));
      found.back().outcome.result_json = rows->text(i, kAttemptColumnCount);
    }
    return found;
  }

  Result<std::vector<Progress>> read_progress(const std::string& task) {
    const Result<SqlRows> rows = pool_->run(kProgressOfPerson, {person_, task});
    if (!rows) return rows.error();
    std::vector<Progress> found;
    for (int i = 0; i < rows->size(); ++i)
      found.push_back({rows->text(i, 0), static_cast<int>(rows->integer(i, 1)), rows->real(i, 2), rows->boolean(i, 3), rows->boolean(i, 4),
                       static_cast<int>(rows->integer(i, 5)), rows->boolean(i, 6)});
    return found;
  }

  std::shared_ptr<PostgresPool> pool_;
  std::int64_t person_;
};

}  // namespace

std::unique_ptr<Store> learner_store(std::shared_ptr<PostgresPool> pool, std::int64_t person) {
  return std::make_unique<PostgresStore>(std::move(pool), person);
}

}  // namespace warpbook::store
