// Progress is computed from the attempts when it is asked for and never stored beside them: there is nothing that two runs at once
// could bring out of step. With some thousand attempts of a learner the query takes well under a millisecond by its index.
#include "judge/store/sqlite_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <random>

#include "judge/store/database.hpp"
#include "judge/store/now.hpp"
#include "judge/store/schema.hpp"
#include "judge/store/seed_bits.hpp"

namespace warpbook::store {
namespace {

constexpr const char* kProgress = R"(
  SELECT task, sum(attempts), max(points), max(passed), max(medal), max(level), max(opened) FROM (
    SELECT task, count(*) AS attempts, max(coalesce(points, 0)) AS points, max(coalesce(passed, 0)) AS passed, max(coalesce(medal, 0)) AS medal, 0 AS level, 0 AS opened
      FROM attempts GROUP BY task
    UNION ALL SELECT task, 0, 0, 0, 0, max(level), 0 FROM shown_hints GROUP BY task
    UNION ALL SELECT task, 0, 0, 0, 0, 0, 1 FROM opened_solutions)
  WHERE ?1 = '' OR task = ?1 GROUP BY task ORDER BY task)";

constexpr std::string_view kAttempts =
    "SELECT id, task, source_hash, seed, device, started_ms, finished_ms, verdict, points, passed, medal, result_json, provisional FROM "
    "attempts";

/// The row of kAttempts at which `select` stands.
Attempt attempt_in(Statement& select) {
  Attempt attempt;
  attempt.id = select.integer(0);
  attempt.begun = {select.text(1), select.text(2), loaded_seed(select.integer(3)), select.text(4), {}};
  attempt.started_ms = select.integer(5);
  if (!select.is_null(6)) attempt.finished_ms = select.integer(6);
  attempt.outcome = {select.text(7),         select.real(8), select.integer(9) != 0, select.integer(10) != 0, select.text(11), {},
                     select.integer(12) != 0};
  return attempt;
}

class SqliteStore final : public Store {
 public:
  explicit SqliteStore(std::unique_ptr<Database> database) : database_(std::move(database)) {}

  Result<std::int64_t> begin_attempt(const NewAttempt& attempt) override {
    const std::lock_guard lock(mutex_);
    Transaction transaction(*database_);
    if (!transaction.begun()) return transaction.begun().error();
    if (!attempt.source.empty()) {
      Statement keep(*database_, "INSERT OR IGNORE INTO sources (hash, source) VALUES (?, ?)");
      if (auto done = keep.bind(attempt.source_hash).bind(attempt.source).run(); !done) return std::move(done).error();
    }
    Statement insert(*database_, "INSERT INTO attempts (task, source_hash, seed, device, started_ms) VALUES (?, ?, ?, ?, ?)");
    insert.bind(attempt.task).bind(attempt.source_hash).bind(stored_seed(attempt.seed)).bind(attempt.device).bind(now_ms());
    if (auto done = insert.run(); !done) return std::move(done).error();
    const std::int64_t id = database_->last_row();
    if (auto done = transaction.commit(); !done) return std::move(done).error();
    return id;
  }

  Status finish_attempt(std::int64_t id, const AttemptOutcome& outcome) override {
    const std::lock_guard lock(mutex_);
    Transaction transaction(*database_);
    if (!transaction.begun()) return transaction.begun();
    Statement update(*database_, R"(UPDATE attempts SET finished_ms = ?, verdict = ?, points = ?, passed = ?, medal = ?, result_json = ?,
                                    provisional = ? WHERE id = ? AND finished_ms IS NULL)");
    update.bind(now_ms()).bind(outcome.verdict).bind(outcome.points).bind(std::int64_t{outcome.passed}).bind(std::int64_t{outcome.medal});
    update.bind(outcome.result_json).bind(std::int64_t{outcome.provisional}).bind(id);
    if (auto done = update.run(); !done) return done;
    if (database_->changed() != 1) {
      Error error = database_->error(0);
      error.what = fmt::format("attempt {} is finished already or was never begun", id);
      return error;
    }
    for (const RecordedMeasurement& measurement : outcome.measurements) {
      Statement insert(*database_, "INSERT INTO measurements (attempt, name, value, unit) VALUES (?, ?, ?, ?)");
      if (auto done = insert.bind(id).bind(measurement.name).bind(measurement.value).bind(measurement.unit).run(); !done) return done;
    }
    return transaction.commit();
  }

  Result<std::vector<Attempt>> attempts(const std::string& task, int limit) override {
    const std::lock_guard lock(mutex_);
    Statement select(*database_, fmt::format("{} WHERE task = ? ORDER BY id DESC LIMIT ?", kAttempts));
    select.bind(task).bind(std::int64_t{limit});
    std::vector<Attempt> found;
    while (select.next()) found.push_back(attempt_in(select));
    return checked(select, std::move(found));
  }

  Result<std::optional<Attempt>> attempt(std::int64_t id) override {
    const std::lock_guard lock(mutex_);
    Statement select(*database_, fmt::format("{} WHERE id = ?", kAttempts));
    select.bind(id);
    std::optional<Attempt> found;
    if (select.next()) found = attempt_in(select);
    return checked(select, std::move(found));
  }

  Result<std::optional<std::string>> source(const std::string& hash) override {
    const std::lock_guard lock(mutex_);
    Statement select(*database_, "SELECT source FROM sources WHERE hash = ?");
    select.bind(hash);
    std::optional<std::string> found;
    if (select.next()) found = select.text(0);
    return checked(select, std::move(found));
  }

  Result<std::vector<RecordedMeasurement>> measurements(const std::string& task, int limit) override {
    const std::lock_guard lock(mutex_);
    Statement select(*database_, R"(SELECT m.name, m.value, m.unit FROM measurements m JOIN attempts a ON a.id = m.attempt
                                    WHERE a.task = ? ORDER BY m.id DESC LIMIT ?)");
    select.bind(task).bind(std::int64_t{limit});
    std::vector<RecordedMeasurement> found;
    // SQLite has no NaN: it stores one as NULL.
    while (select.next()) found.push_back({select.text(0), select.is_null(1) ? std::nan("") : select.real(1), select.text(2)});
    std::reverse(found.begin(), found.end());
    return checked(select, std::move(found));
  }

  Result<Progress> progress(const std::string& task) override {
    const std::lock_guard lock(mutex_);
    auto found = read_progress(task);
    if (!found) return found.error();
    if (found->empty()) {
      Progress untouched;
      untouched.task = task;
      return untouched;
    }
    return found->front();
  }

  Result<std::vector<Progress>> all_progress() override {
    const std::lock_guard lock(mutex_);
    return read_progress("");
  }

  Result<int> hint_level(const std::string& task, const std::string& blank) override {
    const std::lock_guard lock(mutex_);
    Statement select(*database_, "SELECT coalesce(max(level), 0) FROM shown_hints WHERE task = ? AND blank = ?");
    select.bind(task).bind(blank);
    const int level = select.next() ? static_cast<int>(select.integer(0)) : 0;
    return checked(select, level);
  }

  Status record_hint(const ShownHint& hint) override {
    const std::lock_guard lock(mutex_);
    Statement insert(*database_, "INSERT OR IGNORE INTO shown_hints (task, blank, level, tags, shown_ms) VALUES (?, ?, ?, ?, ?)");
    return insert.bind(hint.task).bind(hint.blank).bind(std::int64_t{hint.level}).bind(hint.tags).bind(now_ms()).run();
  }

  Result<std::vector<ShownHint>> hints_shown(const std::string& task, const std::string& blank) override {
    const std::lock_guard lock(mutex_);
    Statement select(*database_, "SELECT task, blank, level, tags FROM shown_hints WHERE task = ? AND blank = ? ORDER BY id");
    select.bind(task).bind(blank);
    std::vector<ShownHint> found;
    while (select.next()) found.push_back({select.text(0), select.text(1), static_cast<int>(select.integer(2)), select.text(3)});
    return checked(select, std::move(found));
  }

  Status record_solution_opened(const std::string& task) override {
    const std::lock_guard lock(mutex_);
    Statement insert(*database_, "INSERT OR IGNORE INTO opened_solutions (task, opened_ms) VALUES (?, ?)");
    return insert.bind(task).bind(now_ms()).run();
  }

  Status record_answers(const std::vector<AnsweredQuestion>& answers) override {
    const std::lock_guard lock(mutex_);
    Transaction transaction(*database_);
    if (!transaction.begun()) return transaction.begun();
    for (const AnsweredQuestion& a : answers) {
      Statement insert(*database_, R"(INSERT INTO answers (task, question, answer, points, of, misconception, answered_ms)
        SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7 WHERE NOT EXISTS (
          SELECT 1 FROM (SELECT answer, points FROM answers WHERE task = ?1 AND question = ?2 ORDER BY id DESC LIMIT 1)
          WHERE answer = ?3 AND points = ?4))");
      insert.bind(a.task).bind(a.question).bind(a.answer).bind(a.points).bind(a.of).bind(a.misconception).bind(now_ms());
      if (auto done = insert.run(); !done) return done;
    }
    return transaction.commit();
  }

  Result<std::vector<AnsweredQuestion>> answers(const std::string& task) override {
    const std::lock_guard lock(mutex_);
    Statement select(*database_, "SELECT task, question, answer, points, of, misconception FROM answers WHERE task = ? ORDER BY id");
    select.bind(task);
    std::vector<AnsweredQuestion> found;
    while (select.next()) found.push_back({select.text(0), select.text(1), select.text(2), select.real(3), select.real(4), select.text(5)});
    return checked(select, std::move(found));
  }

  Result<std::uint64_t> learner_seed() override {
    const std::lock_guard lock(mutex_);
    std::random_device device;
    const std::uint64_t fresh = (std::uint64_t{device()} << 32) | device();
    // Whoever comes first decides; everybody reads back what stands there.
    Statement insert(*database_, "INSERT OR IGNORE INTO settings (name, value) VALUES ('learner_seed', ?)");
    if (auto done = insert.bind(stored_seed(fresh)).run(); !done) return std::move(done).error();
    Statement select(*database_, "SELECT value FROM settings WHERE name = 'learner_seed'");
    const std::uint64_t seed = select.next() ? loaded_seed(select.integer(0)) : fresh;
    return checked(select, seed);
  }

 private:
  template <class T>
  Result<T> checked(const Statement& statement, T value) {
    if (auto status = statement.status(); !status) return std::move(status).error();
    return value;
  }

  Result<std::vector<Progress>> read_progress(const std::string& task) {
    Statement select(*database_, kProgress);
    select.bind(task);
    std::vector<Progress> found;
    while (select.next()) {
      found.push_back({select.text(0), static_cast<int>(select.integer(1)), select.real(2), select.integer(3) != 0, select.integer(4) != 0,
                       static_cast<int>(select.integer(5)), select.integer(6) != 0});
    }
    return checked(select, std::move(found));
  }

  std::mutex mutex_;  ///< threads of one process share the connection, and transactions of one connection cannot overlap
  std::unique_ptr<Database> database_;
};

}  // namespace

Result<std::unique_ptr<Store>> open_store(const std::filesystem::path& path) {
  auto database = Database::open(path);
  if (!database) return std::move(database).error();
  // Nothing is written before the file is known to be ours.
  if (auto ours = check_file(**database); !ours) return std::move(ours).error();
  if (auto prepared = (*database)->prepare_for_many(); !prepared) return std::move(prepared).error();
  if (auto migrated = migrate(**database); !migrated) return std::move(migrated).error();
  return std::unique_ptr<Store>(std::make_unique<SqliteStore>(std::move(*database)));
}

}  // namespace warpbook::store
