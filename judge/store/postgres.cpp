#include "judge/store/postgres.hpp"

#include <fmt/format.h>
#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "judge/base/text.hpp"

namespace warpbook::store {
namespace {

using Clock = std::chrono::steady_clock;

/// One element of an array in PostgreSQL's notation.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

template <class T>
std::string array_text(const std::vector<T>& values, const auto& element) {
  std::string out = "{";
  for (const T& value : values) {
    if (out.size() > 1) out += ',';
    out += element(value);
  }
  return out + '}';
}

/// The first line: what follows are hints and positions in our own statements.
std::string_view first_line(std::string_view text) { return trimmed(text.substr(0, text.find('\n'))); }

/// What the server says about a statement that failed, in our words where there is something to do about it.
std::string reason_of(const PGresult* result) {
  const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const char* said = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  const std::string_view code = state != nullptr ? state : "";
  const std::string message = said != nullptr ? said : std::string(first_line(PQresultErrorMessage(result)));
  if (code == "57014") return "did not answer in time; nothing was changed";
  if (code == "53100") return "cannot grow: the disk is full; nothing was changed";
  if (code == "22021" || code == "22P05") return "does not take a text that is not UTF-8; nothing was changed";
  if (code.starts_with("57P")) return fmt::format("is going away ({}); try again in a moment", message);
  return fmt::format("refused: {}; nothing was changed", message);
}

/// Waits until the connection can be read; false when `until` comes first.
bool readable(const PGconn* connection, Clock::time_point until) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    if (left <= 0) return false;
    pollfd ready{PQsocket(connection), POLLIN, 0};
    const int met = ::poll(&ready, 1, static_cast<int>(left));
    if (met < 0 && errno == EINTR) continue;
    return met > 0;
  }
}

/// Whether an idle connection is good. When a server ends one, its word and the end wait in the socket; of other things that could wait
/// there (a changed setting) none is worth to be read: a new connection has it.
bool alive(const PGconn* connection) {
  pollfd ready{PQsocket(connection), POLLIN, 0};
  return PQstatus(connection) == CONNECTION_OK && ::poll(&ready, 1, 0) == 0;
}

}  // namespace

SqlValue::SqlValue(double value) : text_(fmt::format("{}", value)) {}

SqlValue SqlValue::list(const std::vector<std::string>& texts) { return array_text(texts, quoted); }
SqlValue SqlValue::list(const std::vector<double>& values) {
  return array_text(values, [](double value) { return fmt::format("{}", value); });
}
SqlValue SqlValue::list(const std::vector<std::int64_t>& values) {
  return array_text(values, [](std::int64_t value) { return std::to_string(value); });
}

int SqlRows::size() const { return PQntuples(result_.get()); }

int SqlRows::changed() const {
  const std::string_view text = PQcmdTuples(result_.get());
  int count = 0;
  std::from_chars(text.data(), text.data() + text.size(), count);
  return count;
}

std::string SqlRows::command() const { return PQcmdStatus(result_.get()); }

bool SqlRows::is_null(int row, int column) const { return PQgetisnull(result_.get(), row, column) == 1; }
const char* SqlRows::bytes(int row, int column) const { return PQgetvalue(result_.get(), row, column); }

std::string SqlRows::text(int row, int column) const {
  return {bytes(row, column), static_cast<std::size_t>(PQgetlength(result_.get(), row, column))};
}

std::int64_t SqlRows::integer(int row, int column) const {
  std::int64_t value = 0;
  const char* from = bytes(row, column);
  std::from_chars(from, from + PQgetlength(result_.get(), row, column), value);
  return value;
}

double SqlRows::real(int row, int column) const {
  double value = 0;
  const char* from = bytes(row, column);
  std::from_chars(from, from + PQgetlength(result_.get(), row, column), value);  // also NaN and Infinity
  return value;
}

bool SqlRows::boolean(int row, int column) const { return *bytes(row, column) == 't'; }

std::optional<std::int64_t> SqlRows::maybe_integer(int row, int column) const {
  if (is_null(row, column)) return std::nullopt;
  return integer(row, column);
}

PostgresLease::PostgresLease(PostgresLease&& other) noexcept
    : pool_(std::move(other.pool_)), connection_(std::exchange(other.connection_, nullptr)) {}

PostgresLease::~PostgresLease() {
  if (pool_) pool_->give_back(connection_);
}

Result<SqlRows> PostgresLease::run(const std::string& sql, const SqlValues& values) { return send(sql, &values); }

Status PostgresLease::script(const std::string& sql) {
  if (const Result<SqlRows> done = send(sql, nullptr); !done) return done.error();
  return Done{};
}

Result<SqlRows> PostgresLease::send(const std::string& sql, const SqlValues* values) {
  if (connection_ == nullptr) return Error{"the connection to the database was lost a moment ago"};
  if (values == nullptr) {
    if (PQsendQuery(connection_, sql.c_str()) != 1) return lost(PQerrorMessage(connection_));
    return answer();
  }
  std::vector<const char*> texts;
  for (const SqlValue& value : *values) {
    const std::optional<std::string>& text = value.text();
    if (text && text->find('\0') != std::string::npos)
      return Error{"a text holds a NUL character, which no text of a database can hold; nothing was changed"};
    texts.push_back(text ? text->c_str() : nullptr);
  }
  const int sent = PQsendQueryParams(connection_, sql.c_str(), static_cast<int>(texts.size()), nullptr, texts.data(), nullptr, nullptr, 0);
  if (sent != 1) return lost(PQerrorMessage(connection_));
  return answer();
}

Result<SqlRows> PostgresLease::answer() {
  const Clock::time_point until = Clock::now() + pool_->limits_.answer;
  std::optional<SqlRows> rows;
  std::optional<Error> refused;
  for (;;) {
    while (PQisBusy(connection_) == 1) {
      if (!readable(connection_, until)) return lost("did not answer in time");
      if (PQconsumeInput(connection_) != 1) return lost(PQerrorMessage(connection_));
    }
    std::shared_ptr<PGresult> result(PQgetResult(connection_), PQclear);
    if (!result) break;
    const ExecStatusType status = PQresultStatus(result.get());
    const bool good = status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK || status == PGRES_EMPTY_QUERY;
    if (!good && !refused) refused = pool_->error(reason_of(result.get()));
    if (good) rows.emplace(std::move(result));
  }
  if (PQstatus(connection_) != CONNECTION_OK && !refused) return lost(PQerrorMessage(connection_));
  if (refused) return *refused;
  if (!rows) return lost("answered nothing");
  return *rows;
}

/// Closes the connection: what would still come over it belongs to a statement that nobody waits for.
Error PostgresLease::lost(std::string_view how) {
  Error error = pool_->error(fmt::format("ended the connection ({}); whether the last change was made is not known", first_line(how)));
  PQfinish(std::exchange(connection_, nullptr));
  return error;
}

Result<PostgresTransaction> PostgresTransaction::begin(PostgresPool& pool) {
  Result<PostgresLease> lease = pool.take();
  if (!lease) return lease.error();
  PostgresTransaction transaction(std::move(*lease));
  if (Status begun = transaction.script("BEGIN"); !begun) return begun.error();
  return transaction;
}

PostgresTransaction::~PostgresTransaction() {
  if (open_) (void)lease_.script("ROLLBACK");  // where that fails the connection is closed, which rolls back, too
}

Status PostgresTransaction::commit() {
  open_ = false;
  const Result<SqlRows> done = lease_.run("COMMIT");
  if (!done) return done.error();
  // A transaction in which something failed ends as a rollback, whatever it was told.
  if (done->command() != "COMMIT") return Error{"the database rolled back what had failed before; nothing was changed"};
  return Done{};
}

Result<std::shared_ptr<PostgresPool>> PostgresPool::open(const std::string& conninfo, int most, PostgresLimits limits) {
  std::shared_ptr<PostgresPool> pool(new PostgresPool(conninfo, std::max(most, 1), limits));
  // What libpq says about a text that it cannot read is a piece of that text, and may be the password.
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> parsed(PQconninfoParse(conninfo.c_str(), nullptr), PQconninfoFree);
  if (!parsed)
    return Error{
        "where the database is cannot be read, expected e.g. postgresql:///warpbook?host=/run/postgresql or host=localhost "
        "dbname=warpbook"};
  for (const PQconninfoOption* option = parsed.get(); option->keyword != nullptr; ++option)
    if (std::strcmp(option->dispchar, "*") == 0 && option->val != nullptr && *option->val != '\0') pool->secrets_.emplace_back(option->val);
  Result<pg_conn*> first = pool->connect();
  if (!first) return first.error();
  pool->idle_.push_back(*first);
  return pool;
}

PostgresPool::~PostgresPool() {
  for (pg_conn* connection : idle_) PQfinish(connection);
}

Error PostgresPool::error(std::string_view what) const {
  std::string text = fmt::format("the database {}", what);
  for (const std::string& secret : secrets_)
    for (std::size_t at = text.find(secret); at != std::string::npos; at = text.find(secret, at + 3))
      text.replace(at, secret.size(), "***");
  return Error{std::move(text)};
}

Result<pg_conn*> PostgresPool::connect() const {
  const std::string limit = std::to_string(limits_.connect.count());
  const std::array<const char*, 6> keys{"dbname", "connect_timeout", "client_encoding", "fallback_application_name", nullptr, nullptr};
  const std::array<const char*, 6> values{conninfo_.c_str(), limit.c_str(), "UTF8", "warpbook", nullptr, nullptr};
  constexpr int kExpandFirst = 1;
  PGconn* connection = PQconnectdbParams(keys.data(), values.data(), kExpandFirst);
  const auto refuse = [&](const std::string& why) {
    PQfinish(connection);
    return error(why);
  };
  if (connection == nullptr) return Error{"no memory for a connection to the database"};
  if (PQstatus(connection) != CONNECTION_OK) return refuse(fmt::format("cannot be reached: {}", first_line(PQerrorMessage(connection))));
  PQsetNoticeProcessor(
      connection, [](void*, const char*) {}, nullptr);
  const char* encoding = PQparameterStatus(connection, "server_encoding");
  if (encoding == nullptr || std::strcmp(encoding, "UTF8") != 0)
    return refuse(fmt::format("keeps its text as {}, expected UTF8 (createdb --encoding=UTF8 --template=template0)",
                              encoding == nullptr ? "?" : encoding));
  // The server gives up a little earlier than we do: then its answer says so and the connection stays good.
  const auto statement_limit = std::max<std::int64_t>(limits_.answer.count() * 4 / 5, 1);
  const std::string settings = fmt::format(
      "SET search_path = warpbook; SET statement_timeout = {0}; SET idle_in_transaction_session_timeout = {1}; SET datestyle = ISO; "
      "SET extra_float_digits = 1",
      statement_limit, 4 * limits_.answer.count());
  const std::shared_ptr<PGresult> set(PQexec(connection, settings.c_str()), PQclear);
  if (PQresultStatus(set.get()) != PGRES_COMMAND_OK) return refuse(reason_of(set.get()));
  return connection;
}

Result<PostgresLease> PostgresPool::take() {
  std::unique_lock lock(mutex_);
  if (!freed_.wait_for(lock, limits_.free, [&] { return lent_ < most_; }))
    return error(fmt::format("is busy: all {} connections are in use, waited {} s", most_, limits_.free.count() / 1000.0));
  ++lent_;
  while (!idle_.empty()) {
    pg_conn* connection = idle_.back();
    idle_.pop_back();
    if (alive(connection)) return PostgresLease(shared_from_this(), connection);
    PQfinish(connection);
  }
  lock.unlock();
  const Result<pg_conn*> fresh = connect();
  if (fresh) return PostgresLease(shared_from_this(), *fresh);
  give_back(nullptr);
  return fresh.error();
}

void PostgresPool::give_back(pg_conn* connection) {
  if (connection != nullptr && (PQstatus(connection) != CONNECTION_OK || PQtransactionStatus(connection) != PQTRANS_IDLE)) {
    PQfinish(connection);
    connection = nullptr;
  }
  const std::lock_guard lock(mutex_);
  if (connection != nullptr) idle_.push_back(connection);
  --lent_;
  freed_.notify_one();
}

Result<SqlRows> PostgresPool::run(const std::string& sql, const SqlValues& values) {
  Result<PostgresLease> lease = take();
  if (!lease) return lease.error();
  return lease->run(sql, values);
}

}  // namespace warpbook::store
