#pragma once
// SQLite with errors as values and statements that cannot leak.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "judge/base/error.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace warpbook::store {

class Database;

/// A prepared statement. A failure is kept and every later call does nothing, so that callers ask once, at the end.
class Statement {
 public:
  Statement(Database& database, std::string_view sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(std::int64_t value);
  Statement& bind(double value);
  Statement& bind(std::string_view value);

  /// Advances to the next row; false at the end or on failure.
  bool next();
  /// Runs to the end.
  Status run();
  /// Done, or why the statement failed.
  Status status() const;

  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;
  bool is_null(int column) const;

 private:
  Database& database_;
  sqlite3_stmt* statement_ = nullptr;
  int parameters_ = 0;
  int code_ = 0;
};

/// An open database file.
class Database {
 public:
  /// Opens or creates; waits for other processes up to ten seconds before giving up on a lock.
  static Result<std::unique_ptr<Database>> open(const std::filesystem::path& path);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Lets readers and a writer work at the same time (WAL), and makes a commit survive a power cut. Changes the file.
  Status prepare_for_many();
  Status execute(const std::string& sql);
  /// The Error for a result code: where the file is, what is wrong, what to do about it.
  Error error(int code) const;
  sqlite3* handle() const { return handle_; }
  std::int64_t last_row() const;
  /// Rows that the last statement changed.
  int changed() const;

 private:
  Database(sqlite3* handle, std::filesystem::path path) : handle_(handle), path_(std::move(path)) {}
  sqlite3* handle_;
  std::filesystem::path path_;
};

/// Begins a writing transaction at once and rolls back unless commit() was reached.
class Transaction {
 public:
  explicit Transaction(Database& database) : database_(database), begun_(database.execute("BEGIN IMMEDIATE")) {}
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  const Status& begun() const { return begun_; }
  Status commit();

 private:
  Database& database_;
  Status begun_;
  bool committed_ = false;
};

}  // namespace warpbook::store
