#include "judge/classroom/overrides.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "judge/base/text.hpp"
#include "judge/store/now.hpp"

namespace warpbook::classroom {
namespace {

using store::PostgresTransaction;
using store::SqlRows;

/// The row whose columns are person, task, points, reason, by_person, set_ms.
Override override_at(const SqlRows& rows, int row) {
  return {rows.integer(row, 0), rows.text(row, 1), rows.real(row, 2), rows.text(row, 3), rows.integer(row, 4), rows.integer(row, 5)};
}

Status write_entry(PostgresTransaction& transaction, const Override& entry, const store::SqlValue& points) {
  const Result<SqlRows> written =
      transaction.run("INSERT INTO overrides (person, task, points, reason, by_person, set_ms) VALUES ($1, $2, $3, $4, $5, $6)",
                      {entry.person, entry.task, points, entry.reason, entry.by, entry.set_ms});
  if (!written) return written.error();
  return Done{};
}

}  // namespace

Status check_reason(const std::string& reason) {
  if (trimmed(reason).empty()) return Error{"the reason is empty, expected why these points count: it stays on record"};
  const auto is_control = [](unsigned char c) { return (c < 0x20 && c != '\n' && c != '\t' && c != '\r') || c == 0x7f; };
  if (std::any_of(reason.begin(), reason.end(), is_control)) return Error{"the reason holds a control character, expected text"};
  if (reason.size() > kLongestReason)
    return Error{fmt::format("the reason has {} bytes, expected at most {}", reason.size(), kLongestReason)};
  return Done{};
}

Status lock_learner(PostgresTransaction& transaction, std::int64_t person) {
  // One after the other for one learner: what counts is the entry with the highest number.
  const Result<SqlRows> locked = transaction.run("SELECT 1 FROM people WHERE id = $1 FOR NO KEY UPDATE", {person});
  if (!locked) return locked.error();
  if (locked->empty()) return Error{"there is no such person in this class"};
  return Done{};
}

Result<std::optional<double>> standing_override(PostgresTransaction& transaction, std::int64_t person, const std::string& task) {
  const Result<SqlRows> latest =
      transaction.run("SELECT points FROM overrides WHERE person = $1 AND task = $2 ORDER BY id DESC LIMIT 1", {person, task});
  if (!latest) return latest.error();
  return latest->empty() || latest->is_null(0, 0) ? std::optional<double>() : std::optional<double>(latest->real(0, 0));
}

Status set_override_in(PostgresTransaction& transaction, const Override& entry) { return write_entry(transaction, entry, entry.points); }

Result<Override> Overrides::set(const Override& wanted) {
  if (Status ok = check_reason(wanted.reason); !ok) return ok.error();
  if (!std::isfinite(wanted.points) || wanted.points < 0) return Error{"the points are not a number of 0 or more"};
  Result<PostgresTransaction> transaction = PostgresTransaction::begin(*pool_);
  if (!transaction) return transaction.error();
  if (Status locked = lock_learner(*transaction, wanted.person); !locked) return locked.error();
  Override entry = wanted;
  entry.set_ms = store::now_ms();
  if (Status done = write_entry(*transaction, entry, entry.points); !done) return done.error();
  if (Status done = transaction->commit(); !done) return done.error();
  return entry;
}

Result<bool> Overrides::lift(std::int64_t person, const std::string& task, std::int64_t by, const std::string& reason) {
  if (Status ok = check_reason(reason); !ok) return ok.error();
  Result<PostgresTransaction> transaction = PostgresTransaction::begin(*pool_);
  if (!transaction) return transaction.error();
  if (Status locked = lock_learner(*transaction, person); !locked) return locked.error();
  const Result<std::optional<double>> stands = standing_override(*transaction, person, task);
  if (!stands) return stands.error();
  if (!*stands) return false;
  if (Status done = write_entry(*transaction, {person, task, 0, reason, by, store::now_ms()}, std::nullopt); !done) return done.error();
  if (Status done = transaction->commit(); !done) return done.error();
  return true;
}

Result<std::vector<OverrideEntry>> Overrides::history(std::int64_t person, const std::string& task) {
  const Result<SqlRows> rows = pool_->run(
      R"(SELECT o.person, o.task, o.points, o.reason, o.by_person, o.set_ms, p.name FROM overrides o JOIN people p ON p.id = o.by_person
         WHERE o.person = $1 AND o.task = $2 ORDER BY o.id)",
      {person, task});
  if (!rows) return rows.error();
  std::vector<OverrideEntry> found;
  for (int i = 0; i < rows->size(); ++i) found.push_back({override_at(*rows, i), rows->is_null(i, 2), rows->text(i, 6)});
  return found;
}

}  // namespace warpbook::classroom
