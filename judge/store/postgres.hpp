#pragma once
// PostgreSQL with errors as values, through libpq: a pool of connections, statements with values beside them, transactions that roll
// back by themselves. A connection that died is noticed when it is taken and replaced; no call waits without end; and no message holds a
// password, whatever libpq would say. (libpqxx and ORMs were looked at: each call here is one statement that is worth reading.)
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "judge/base/error.hpp"

struct pg_conn;
struct pg_result;

namespace warpbook::store {

/// What stands for $1, $2, ... of a statement. Text travels as it is; a NUL in it is an Error of the call, as no database text can hold
/// one.
class SqlValue {
 public:
  SqlValue(std::nullopt_t) {}
  SqlValue(bool value) : text_(value ? "t" : "f") {}
  SqlValue(int value) : text_(std::to_string(value)) {}
  SqlValue(std::int64_t value) : text_(std::to_string(value)) {}
  SqlValue(double value);  ///< to the last bit; also infinities and NaN
  SqlValue(std::string text) : text_(std::move(text)) {}
  SqlValue(std::string_view text) : text_(text) {}
  SqlValue(const char* text) : text_(text) {}
  template <class T>
  SqlValue(const std::optional<T>& value) : SqlValue(value ? SqlValue(*value) : SqlValue(std::nullopt)) {}

  static SqlValue list(const std::vector<std::string>& texts);    ///< for $1::text[]
  static SqlValue list(const std::vector<double>& values);        ///< for $1::float8[]
  static SqlValue list(const std::vector<std::int64_t>& values);  ///< for $1::bigint[]

  const std::optional<std::string>& text() const { return text_; }

 private:
  std::optional<std::string> text_;
};
using SqlValues = std::vector<SqlValue>;

/// What a statement answered. Rows and columns count from 0.
class SqlRows {
 public:
  explicit SqlRows(std::shared_ptr<pg_result> result) : result_(std::move(result)) {}
  int size() const;
  bool empty() const { return size() == 0; }
  std::string command() const;  ///< what was done: "INSERT 0 1", "COMMIT"
  int changed() const;          ///< rows that an INSERT, UPDATE or DELETE met

  bool is_null(int row, int column) const;
  std::string text(int row, int column) const;      ///< empty for NULL
  std::int64_t integer(int row, int column) const;  ///< 0 for NULL
  double real(int row, int column) const;           ///< 0 for NULL
  bool boolean(int row, int column) const;          ///< false for NULL
  std::optional<std::int64_t> maybe_integer(int row, int column) const;

 private:
  const char* bytes(int row, int column) const;
  std::shared_ptr<pg_result> result_;
};

/// How long is waited for what. Statements get the same limit from the server, a little earlier.
struct PostgresLimits {
  std::chrono::seconds connect{5};
  std::chrono::milliseconds free{10'000};    ///< for one of the pool's connections
  std::chrono::milliseconds answer{15'000};  ///< to one statement
};

class PostgresPool;

/// One connection, lent; goes back to the pool at its end, or is closed when it is no good any more.
class PostgresLease {
 public:
  PostgresLease(PostgresLease&&) noexcept;
  PostgresLease& operator=(PostgresLease&&) = delete;
  ~PostgresLease();

  /// Runs one statement. Outside a transaction it is one by itself. On an Error nothing changed, except that a connection which ends
  /// between sending and answering leaves open whether it did; the Error says so.
  Result<SqlRows> run(const std::string& sql, const SqlValues& values = {});
  /// Runs several statements without values.
  Status script(const std::string& sql);

 private:
  friend class PostgresPool;
  PostgresLease(std::shared_ptr<PostgresPool> pool, pg_conn* connection) : pool_(std::move(pool)), connection_(connection) {}
  Result<SqlRows> send(const std::string& sql, const SqlValues* values);
  Result<SqlRows> answer();
  Error lost(std::string_view how);

  std::shared_ptr<PostgresPool> pool_;
  pg_conn* connection_ = nullptr;
};

/// A transaction on a connection of its own, which rolls back unless commit() was reached.
class PostgresTransaction {
 public:
  static Result<PostgresTransaction> begin(PostgresPool& pool);
  PostgresTransaction(PostgresTransaction&& other) noexcept : lease_(std::move(other.lease_)), open_(std::exchange(other.open_, false)) {}
  PostgresTransaction& operator=(PostgresTransaction&&) = delete;
  ~PostgresTransaction();

  Result<SqlRows> run(const std::string& sql, const SqlValues& values = {}) { return lease_.run(sql, values); }
  Status script(const std::string& sql) { return lease_.script(sql); }
  Status commit();

 private:
  explicit PostgresTransaction(PostgresLease lease) : lease_(std::move(lease)) {}
  PostgresLease lease_;
  bool open_ = true;
};

/// Connections to one database, used by several threads at once.
class PostgresPool : public std::enable_shared_from_this<PostgresPool> {
 public:
  /// Connects once, to know that it works. `conninfo` as libpq reads it: "postgresql:///warpbook?host=/run/pg", "host=... dbname=...";
  /// a password may also stand in ~/.pgpass or PGPASSWORD. At most `most` connections are open at a time. Errors: no such server or
  /// database, refused, a database whose encoding is not UTF-8.
  static Result<std::shared_ptr<PostgresPool>> open(const std::string& conninfo, int most, PostgresLimits limits = {});
  ~PostgresPool();
  PostgresPool(const PostgresPool&) = delete;
  PostgresPool& operator=(const PostgresPool&) = delete;

  /// A connection that was alive a moment ago. Errors: none is free in time, the server cannot be reached.
  Result<PostgresLease> take();
  /// One statement on a connection of the pool.
  Result<SqlRows> run(const std::string& sql, const SqlValues& values = {});

 private:
  friend class PostgresLease;
  PostgresPool(std::string conninfo, int most, PostgresLimits limits) : conninfo_(std::move(conninfo)), most_(most), limits_(limits) {}
  Result<pg_conn*> connect() const;
  void give_back(pg_conn* connection);
  Error error(std::string_view what) const;  ///< without what is secret

  std::string conninfo_;
  std::vector<std::string> secrets_;
  int most_;
  PostgresLimits limits_;
  std::mutex mutex_;
  std::condition_variable freed_;
  std::vector<pg_conn*> idle_;
  int lent_ = 0;
};

}  // namespace warpbook::store
