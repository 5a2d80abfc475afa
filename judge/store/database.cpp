#include "judge/store/database.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <chrono>
#include <thread>

namespace warpbook::store {
namespace {

constexpr int kBusyMilliseconds = 10'000;

}  // namespace

Statement::Statement(Database& database, std::string_view sql) : database_(database) {
  code_ = sqlite3_prepare_v2(database.handle(), sql.data(), static_cast<int>(sql.size()), &statement_, nullptr);
}

Statement::~Statement() { sqlite3_finalize(statement_); }

Statement& Statement::bind(std::int64_t value) {
  if (code_ == SQLITE_OK) code_ = sqlite3_bind_int64(statement_, ++parameters_, value);
  return *this;
}

Statement& Statement::bind(double value) {
  if (code_ == SQLITE_OK) code_ = sqlite3_bind_double(statement_, ++parameters_, value);
  return *this;
}

Statement& Statement::bind(std::string_view value) {
  if (code_ == SQLITE_OK) code_ = sqlite3_bind_text64(statement_, ++parameters_, value.data(), value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  return *this;
}

bool Statement::next() {
  if (code_ != SQLITE_OK && code_ != SQLITE_ROW) return false;
  code_ = sqlite3_step(statement_);
  return code_ == SQLITE_ROW;
}

Status Statement::run() {
  while (next()) {
  }
  return status();
}

Status Statement::status() const {
  if (code_ == SQLITE_OK || code_ == SQLITE_ROW || code_ == SQLITE_DONE) return Done{};
  return database_.error(code_);
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_, column); }
double Statement::real(int column) const { return sqlite3_column_double(statement_, column); }
bool Statement::is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }

std::string Statement::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  return bytes == nullptr ? "" : std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
}

Result<std::unique_ptr<Database>> Database::open(const std::filesystem::path& path) {
  std::error_code ignored;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), ignored);
  sqlite3* handle = nullptr;
  constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX;
  const int code = sqlite3_open_v2(path.c_str(), &handle, kFlags, nullptr);
  std::unique_ptr<Database> database(new Database(handle, path));
  if (code != SQLITE_OK) return database->error(code);
  sqlite3_busy_timeout(handle, kBusyMilliseconds);
  return database;
}

Status Database::prepare_for_many() {
  constexpr int kTries = 200;
  constexpr std::chrono::milliseconds kPause{50};
  // The switch to WAL needs the file alone for a moment, and SQLite does not wait for that by itself.
  for (int attempt = 1;; ++attempt) {
    Status status = execute("PRAGMA journal_mode = WAL");
    const int code = sqlite3_errcode(handle_);
    const bool may_pass = code == SQLITE_BUSY || code == SQLITE_LOCKED;
    if (status) break;
    if (!may_pass || attempt == kTries) return status;
    std::this_thread::sleep_for(kPause);
  }
  return execute("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
}

Database::~Database() { sqlite3_close_v2(handle_); }

Status Database::execute(const std::string& sql) {
  const int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code == SQLITE_OK) return Done{};
  return error(code);
}

Error Database::error(int code) const {
  const Where where{path_.string()};
  constexpr int kPrimary = 0xFF;
  const bool is_last = handle_ != nullptr && ((sqlite3_errcode(handle_) ^ code) & kPrimary) == 0;
  const std::string reason = is_last ? sqlite3_errmsg(handle_) : sqlite3_errstr(code);
  switch (code & kPrimary) {
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return Error{fmt::format("is damaged or not a progress file ({}); nothing was changed. Move it away (mv '{}' '{}.damaged') to start "
                               "afresh, or put a backup there",
                               reason, path_.string(), path_.string()),
                   where};
    case SQLITE_CANTOPEN: return Error{"cannot be opened or created; progress needs a folder that can be written", where};
    case SQLITE_READONLY:
    case SQLITE_PERM: return Error{"cannot be written; progress needs a file and a folder that can be written", where};
    case SQLITE_FULL: return Error{"cannot grow: the disk is full; nothing was changed", where};
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return Error{fmt::format("is in use by another process, waited {} s", kBusyMilliseconds / 1000), where};
    case SQLITE_IOERR: return Error{fmt::format("cannot be read or written ({}); nothing was changed", reason), where};
    default: return Error{fmt::format("database error: {}", reason), where};
  }
}

std::int64_t Database::last_row() const { return sqlite3_last_insert_rowid(handle_); }
int Database::changed() const { return sqlite3_changes(handle_); }

Transaction::~Transaction() {
  if (begun_ && !committed_) (void)database_.execute("ROLLBACK");
}

Status Transaction::commit() {
  Status status = database_.execute("COMMIT");
  committed_ = static_cast<bool>(status);
  return status;
}

}  // namespace warpbook::store
