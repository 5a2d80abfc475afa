// Each entry of the list takes a file from the version of its index to the next. Entries that were released are never changed:
// files of that version exist. The version stands in SQLite's user_version; application_id says that the file is ours.
#include "judge/store/schema.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <array>

namespace warpbook::store {
namespace {

constexpr int kApplicationId = 0x57425047;  // "WBPG"

constexpr std::array<const char*, 3> kSteps{{
    R"(CREATE TABLE attempts (
         id INTEGER PRIMARY KEY AUTOINCREMENT,
         task TEXT NOT NULL, source_hash TEXT NOT NULL, seed INTEGER NOT NULL, device TEXT NOT NULL,
         started_ms INTEGER NOT NULL, finished_ms INTEGER,
         verdict TEXT, points REAL, passed INTEGER, medal INTEGER, result_json TEXT) STRICT;
       CREATE INDEX attempts_by_task ON attempts (task, id);
       CREATE TABLE measurements (
         id INTEGER PRIMARY KEY, attempt INTEGER NOT NULL REFERENCES attempts (id),
         name TEXT NOT NULL, value REAL, unit TEXT NOT NULL) STRICT;
       CREATE INDEX measurements_by_attempt ON measurements (attempt);
       CREATE TABLE hints (task TEXT NOT NULL, blank TEXT NOT NULL, level INTEGER NOT NULL, PRIMARY KEY (task, blank)) STRICT;
       CREATE TABLE opened_solutions (task TEXT PRIMARY KEY, opened_ms INTEGER NOT NULL) STRICT;
       CREATE TABLE settings (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;)",
    // Which hint of a level was shown, and what was answered. Levels seen before count as the general hints.
    R"(CREATE TABLE shown_hints (
         id INTEGER PRIMARY KEY, task TEXT NOT NULL, blank TEXT NOT NULL, level INTEGER NOT NULL, tags TEXT NOT NULL,
         shown_ms INTEGER, UNIQUE (task, blank, level, tags)) STRICT;
       INSERT INTO shown_hints (task, blank, level, tags) SELECT task, blank, level, '' FROM hints;
       DROP TABLE hints;
       CREATE TABLE answers (
         id INTEGER PRIMARY KEY, task TEXT NOT NULL, question TEXT NOT NULL, answer TEXT NOT NULL, points REAL NOT NULL,
         of REAL NOT NULL, misconception TEXT NOT NULL, answered_ms INTEGER NOT NULL) STRICT;
       CREATE INDEX answers_by_task ON answers (task, id);)",
    // What was handed in, and whether a person may still give other points for it. Of earlier attempts neither is known.
    R"(CREATE TABLE sources (hash TEXT PRIMARY KEY, source TEXT NOT NULL) STRICT;
       ALTER TABLE attempts ADD COLUMN provisional INTEGER;)",
}};

Result<std::int64_t> pragma(Database& database, const char* name) {
  Statement statement(database, fmt::format("PRAGMA {}", name));
  const std::int64_t value = statement.next() ? statement.integer(0) : 0;
  if (auto status = statement.status(); !status) return std::move(status).error();
  return value;
}

Result<bool> holds_tables(Database& database) {
  Statement statement(database, "SELECT count(*) FROM sqlite_schema");
  const bool any = statement.next() && statement.integer(0) > 0;
  if (auto status = statement.status(); !status) return std::move(status).error();
  return any;
}

/// Looks through the whole file, unless that would take noticeable time.
Status look_for_damage(Database& database) {
  constexpr std::int64_t kCheckedPages = 8192;  // 32 MiB of the usual pages
  const auto pages = pragma(database, "page_count");
  if (!pages) return pages.error();
  if (*pages > kCheckedPages) return Done{};
  Statement check(database, "PRAGMA quick_check(1)");
  const bool sound = check.next() && check.text(0) == "ok";
  if (auto status = check.status(); !status) return status;
  if (!sound) return database.error(SQLITE_CORRUPT);
  return Done{};
}

Status check_snapshot(Database& database) {
  const auto version = pragma(database, "user_version");
  if (!version) return version.error();
  const auto owner = pragma(database, "application_id");
  if (!owner) return owner.error();
  const auto used = holds_tables(database);
  if (!used) return used.error();
  Error refusal = database.error(SQLITE_OK);
  if (*used && *owner != kApplicationId) {
    refusal.what = "is a database of another program, expected a progress file of this workbook";
    return refusal;
  }
  if (*version > schema_version()) {
    refusal.what =
        fmt::format("was written by a newer judge (version {}), this one knows up to {}; update the workbook", *version, schema_version());
    return refusal;
  }
  return look_for_damage(database);
}

}  // namespace

int schema_version() { return static_cast<int>(kSteps.size()); }

Status check_file(Database& database) {
  // One transaction, one state of the file: between two looks another process could make a new file ours.
  if (auto begun = database.execute("BEGIN"); !begun) return begun;
  Status checked = check_snapshot(database);
  (void)database.execute("ROLLBACK");  // nothing was written; and what failed once says so again later
  return checked;
}

Status migrate(Database& database) {
  Transaction transaction(database);
  if (!transaction.begun()) return transaction.begun();
  const auto version = pragma(database, "user_version");
  if (!version) return version.error();
  if (*version == schema_version()) return Done{};
  for (std::int64_t step = *version; step < schema_version(); ++step)
    if (auto done = database.execute(kSteps[static_cast<std::size_t>(step)]); !done) return done;
  const std::string marks = fmt::format("PRAGMA user_version = {}; PRAGMA application_id = {}", schema_version(), kApplicationId);
  if (auto marked = database.execute(marks); !marked) return marked;
  return transaction.commit();
}

}  // namespace warpbook::store
