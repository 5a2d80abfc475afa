#pragma once
// Who is signed in. A session is 32 random bytes that only the browser keeps; the database holds a hash of them. The token that a page
// sends along with each change is computed from the session's own and so needs no place; it does not tell the session's.
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "judge/classroom/people.hpp"

namespace warpbook::classroom {

struct Session {
  Person person;
  std::string csrf;
  std::int64_t expires_ms = 0;  ///< since 1970, UTC
};

/// A session ends when it was not used for so long, and after so long in any case.
inline constexpr std::chrono::hours kSessionIdle{14 * 24}, kSessionLongest{90 * 24};

class Sessions {
 public:
  explicit Sessions(std::shared_ptr<store::PostgresPool> pool) : pool_(std::move(pool)) {}

  /// Signs somebody in and returns the session's token (43 characters, base64url). An Error when the person is not in the class.
  Result<std::string> begin(std::int64_t person);
  /// The session of a token; nothing when it ended, or never was. Notes when the person was last seen, to the minute.
  Result<std::optional<Session>> find(const std::string& token);
  /// Signs out; Done also when there was no such session.
  Status end(const std::string& token);

 private:
  std::shared_ptr<store::PostgresPool> pool_;
};

/// Compares without telling by its time how much is the same.
bool same_secret(std::string_view a, std::string_view b);

}  // namespace warpbook::classroom
