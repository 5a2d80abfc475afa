#include "judge/classroom/people.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "judge/base/files.hpp"
#include "judge/classroom/passwords.hpp"
#include "judge/classroom/person_row.hpp"
#include "judge/classroom/secrets.hpp"
#include "judge/store/now.hpp"

namespace warpbook::classroom {
namespace {

using store::PostgresTransaction;
using store::SqlRows;

/// Any number but that of migrations.
constexpr std::int64_t kRosterLock = 0x57425048;

std::int64_t ms_from_now(std::chrono::hours hours) { return store::now_ms() + std::chrono::milliseconds(hours).count(); }

Result<std::optional<Person>> one_person(const Result<SqlRows>& rows) {
  if (!rows) return rows.error();
  return rows->empty() ? std::optional<Person>() : std::optional<Person>(person_at(*rows, 0));
}

/// Puts one line into the class. A role that the list does not give changes nobody's, except of who comes back.
Result<Person> put(PostgresTransaction& transaction, const RosterLine& line) {
  const Result<SqlRows> rows =
      transaction.run(fmt::format(R"(INSERT INTO people AS p (login, login_key, name, role, added_ms) VALUES ($1, $2, $3, $4, $5)
                     ON CONFLICT (login_key) DO UPDATE SET login = excluded.login, name = excluded.name, removed_ms = NULL,
                       role = CASE WHEN $6::boolean OR p.removed_ms IS NOT NULL THEN excluded.role ELSE p.role END
                     RETURNING {})",
                                  kPersonColumns),
                      {line.login, login_key(line.login), line.name, name_of(line.role), store::now_ms(), line.role_given});
  if (!rows) return rows.error();
  return person_at(*rows, 0);
}

Result<Invitation> write_invitation(PostgresTransaction& transaction, Person person, std::chrono::hours valid) {
  Invitation invitation{fresh_token(), std::move(person), ms_from_now(valid)};
  const Result<SqlRows> written = transaction.run("INSERT INTO invitations (token_hash, person, expires_ms) VALUES ($1, $2, $3)",
                                                  {token_hash(invitation.token), invitation.person.id, invitation.expires_ms});
  if (!written) return written.error();
  return invitation;
}

/// Ends what a person is signed in with and what they were invited with.
Status end_all(PostgresTransaction& transaction, std::int64_t person) {
  for (const char* sql : {"DELETE FROM sessions WHERE person = $1", "DELETE FROM invitations WHERE person = $1"})
    if (auto ended = transaction.run(sql, {person}); !ended) return ended.error();
  return Done{};
}

}  // namespace

Status check_password(const std::string& password) {
  if (password.size() > kLongestPassword)
    return Error{fmt::format("the password has {} bytes, expected at most {}", password.size(), kLongestPassword)};
  if (!is_text(password)) return Error{"the password is not UTF-8 text"};
  const auto characters =
      std::count_if(password.begin(), password.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
  if (characters < static_cast<std::ptrdiff_t>(kShortestPassword))
    return Error{fmt::format("the password has {} characters, expected at least {}", characters, kShortestPassword)};
  return Done{};
}

Result<std::vector<Person>> People::all() {
  const Result<SqlRows> rows =
      pool_->run(fmt::format("SELECT {} FROM people p WHERE p.removed_ms IS NULL ORDER BY p.name, p.login_key", kPersonColumns));
  if (!rows) return rows.error();
  std::vector<Person> people;
  for (int i = 0; i < rows->size(); ++i) people.push_back(person_at(*rows, i));
  return people;
}

Result<std::optional<Person>> People::find(std::int64_t id) {
  return one_person(pool_->run(fmt::format("SELECT {} FROM people p WHERE p.id = $1 AND p.removed_ms IS NULL", kPersonColumns), {id}));
}

Result<std::vector<Invitation>> People::invite(const std::vector<RosterLine>& lines, std::chrono::hours valid) {
  for (const RosterLine& line : lines)
    if (const std::string fault = login_fault(line.login); !fault.empty()) return Error{fmt::format("'{}': {}", line.login, fault)};
  Result<PostgresTransaction> transaction = PostgresTransaction::begin(*pool_);
  if (!transaction) return transaction.error();
  // One list after the other: two with the same people in another order would wait for each other.
  if (auto alone = transaction->run("SELECT pg_advisory_xact_lock($1)", {kRosterLock}); !alone) return alone.error();
  if (auto old = transaction->run("DELETE FROM invitations WHERE expires_ms <= $1", {store::now_ms()}); !old) return old.error();
  std::vector<Invitation> invitations;
  for (const RosterLine& line : lines) {
    Result<Person> person = put(*transaction, line);
    if (!person) return person.error();
    if (person->joined) continue;
    Result<Invitation> invitation = write_invitation(*transaction, std::move(*person), valid);
    if (!invitation) return invitation.error();
    invitations.push_back(std::move(*invitation));
  }
  if (Status done = transaction->commit(); !done) return done.error();
  return invitations;
}

Result<std::optional<Invitation>> People::invite_again(std::int64_t id, std::chrono::hours valid) {
  Result<PostgresTransaction> transaction = PostgresTransaction::begin(*pool_);
  if (!transaction) return transaction.error();
  const Result<std::optional<Person>> person = one_person(
      transaction->run(fmt::format("SELECT {} FROM people p WHERE p.id = $1 AND p.removed_ms IS NULL FOR UPDATE", kPersonColumns), {id}));
  if (!person) return person.error();
  if (!*person) return std::optional<Invitation>();
  if (auto earlier = transaction->run("DELETE FROM invitations WHERE person = $1", {id}); !earlier) return earlier.error();
  Result<Invitation> invitation = write_invitation(*transaction, **person, valid);
  if (!invitation) return invitation.error();
  if (Status done = transaction->commit(); !done) return done.error();
  return std::optional<Invitation>(std::move(*invitation));
}

Result<std::optional<Invitation>> People::invitation(const std::string& token) {
  const Result<SqlRows> rows = pool_->run(fmt::format("SELECT {}, i.expires_ms FROM invitations i JOIN people p ON p.id = i.person "
                                                      "WHERE i.token_hash = $1 AND i.expires_ms > $2 AND p.removed_ms IS NULL",
                                                      kPersonColumns),
                                          {token_hash(token), store::now_ms()});
  if (!rows) return rows.error();
  if (rows->empty()) return std::optional<Invitation>();
  return std::optional<Invitation>({token, person_at(*rows, 0), rows->integer(0, kPersonColumnCount)});
}

Result<std::optional<Person>> People::accept(const std::string& token, const std::string& password) {
  if (Status ok = check_password(password); !ok) return ok.error();
  const Result<std::optional<Invitation>> known = invitation(token);
  if (!known) return known.error();
  if (!*known) return std::optional<Person>();
  const Result<std::string> hash = password_hash(password);  // slow, and so before the transaction
  if (!hash) return hash.error();
  Result<PostgresTransaction> transaction = PostgresTransaction::begin(*pool_);
  if (!transaction) return transaction.error();
  // The person first, as everywhere: two that lock in different orders would wait for each other.
  const std::int64_t id = (*known)->person.id;
  if (auto locked = transaction->run("SELECT 1 FROM people WHERE id = $1 FOR UPDATE", {id}); !locked) return locked.error();
  // Whoever takes the link away has it; of two at once the second meets no row.
  const Result<SqlRows> used =
      transaction->run("DELETE FROM invitations WHERE token_hash = $1 AND expires_ms > $2", {token_hash(token), store::now_ms()});
  if (!used) return used.error();
  if (used->changed() != 1) return std::optional<Person>();
  Result<std::optional<Person>> person = one_person(transaction->run(
      fmt::format("UPDATE people p SET password = $2 WHERE p.id = $1 AND p.removed_ms IS NULL RETURNING {}", kPersonColumns), {id, *hash}));
  if (!person || !*person) return person;
  if (Status ended = end_all(*transaction, id); !ended) return ended.error();
  if (Status done = transaction->commit(); !done) return done.error();
  return person;
}

Result<std::optional<Person>> People::sign_in(const std::string& login, const std::string& password) {
  const std::string key = is_text(login) ? login_key(login) : std::string();
  const Result<SqlRows> rows =
      pool_->run(fmt::format("SELECT {}, p.password FROM people p WHERE p.login_key = $1 AND p.removed_ms IS NULL", kPersonColumns), {key});
  if (!rows) return rows.error();
  const Result<bool> fits = password_fits(rows->empty() ? "" : rows->text(0, kPersonColumnCount), password);
  if (!fits) return fits.error();
  return *fits ? std::optional<Person>(person_at(*rows, 0)) : std::optional<Person>();
}

Status People::remove(std::int64_t id) {
  Result<PostgresTransaction> transaction = PostgresTransaction::begin(*pool_);
  if (!transaction) return transaction.error();
  const Result<SqlRows> marked =
      transaction->run("UPDATE people SET removed_ms = $2, password = NULL WHERE id = $1 AND removed_ms IS NULL", {id, store::now_ms()});
  if (!marked) return marked.error();
  if (Status ended = end_all(*transaction, id); !ended) return ended;
  return transaction->commit();
}

}  // namespace warpbook::classroom
