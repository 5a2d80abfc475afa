#include "judge/classroom/sessions.hpp"

#include <fmt/format.h>
#include <sodium.h>

#include "judge/classroom/person_row.hpp"
#include "judge/classroom/secrets.hpp"
#include "judge/store/now.hpp"

namespace warpbook::classroom {
namespace {

using store::SqlRows;

/// How exactly it is known when somebody was last seen: each request would be too often to write.
constexpr std::int64_t kSeenMs = 60'000;

constexpr std::int64_t in_ms(std::chrono::hours hours) { return std::chrono::milliseconds(hours).count(); }

}  // namespace

Result<std::string> Sessions::begin(std::int64_t person) {
  const std::int64_t now = store::now_ms();
  if (auto old = pool_->run("DELETE FROM sessions WHERE expires_ms <= $1", {now}); !old) return old.error();
  std::string token = fresh_token();
  const Result<SqlRows> begun = pool_->run(
      R"(INSERT INTO sessions (token_hash, person, begun_ms, seen_ms, expires_ms)
         SELECT $1::text, p.id, $3::bigint, 0, $4::bigint FROM people p WHERE p.id = $2 AND p.removed_ms IS NULL)",
      {token_hash(token), person, now, now + in_ms(kSessionIdle)});
  if (!begun) return begun.error();
  if (begun->changed() != 1) return Error{fmt::format("there is no person {} in this class", person)};
  return token;
}

Result<std::optional<Session>> Sessions::find(const std::string& token) {
  if (token.size() != kTokenLength) return std::optional<Session>();
  const std::int64_t now = store::now_ms();
  const std::string hash = token_hash(token);
  const Result<SqlRows> rows = pool_->run(fmt::format("SELECT {}, s.expires_ms, s.seen_ms FROM sessions s JOIN people p ON p.id = s.person "
                                                      "WHERE s.token_hash = $1 AND s.expires_ms > $2 AND p.removed_ms IS NULL",
                                                      kPersonColumns),
                                          {hash, now});
  if (!rows) return rows.error();
  if (rows->empty()) return std::optional<Session>();
  Session session{person_at(*rows, 0), derived_token(token, "csrf"), rows->integer(0, kPersonColumnCount)};
  if (now - rows->integer(0, kPersonColumnCount + 1) < kSeenMs) return std::optional<Session>(std::move(session));
  // A session that cannot be written is a session all the same. (Two statements: in one they would lock in the wrong order.)
  const Result<SqlRows> seen = pool_->run(
      "UPDATE sessions SET seen_ms = $2::bigint, expires_ms = least($2 + $3::bigint, begun_ms + $4::bigint) WHERE token_hash = $1 "
      "RETURNING expires_ms",
      {hash, now, in_ms(kSessionIdle), in_ms(kSessionLongest)});
  (void)pool_->run("UPDATE people SET seen_ms = $2 WHERE id = $1", {session.person.id, now});
  if (seen && !seen->empty()) {
    session.expires_ms = seen->integer(0, 0);
    session.person.last_seen_ms = now;
  }
  return std::optional<Session>(std::move(session));
}

Status Sessions::end(const std::string& token) {
  if (auto ended = pool_->run("DELETE FROM sessions WHERE token_hash = $1", {token_hash(token)}); !ended) return ended.error();
  return Done{};
}

bool same_secret(std::string_view a, std::string_view b) {
  return a.size() == b.size() && sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace warpbook::classroom
