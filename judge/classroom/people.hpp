#pragma once
// Who is in the class. People come in by invitation link and choose a password there; a password is stored as argon2id makes it and a
// link as a hash, so that who reads the database can neither sign in nor accept an invitation. Passwords are compared two at a time:
// each takes 64 MiB, and a hundred people who sign in at once must not take the machine.
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "judge/classroom/roster.hpp"
#include "judge/store/postgres.hpp"

namespace warpbook::classroom {

struct Person {
  std::int64_t id = 0;
  std::string login, name;
  Role role = Role::kLearner;
  bool joined = false;                         ///< has a password
  std::optional<std::int64_t> last_seen_ms{};  ///< to the minute; nothing: never
};

struct Invitation {
  std::string token;  ///< belongs into the link and nowhere else
  Person person;
  std::int64_t expires_ms = 0;  ///< since 1970, UTC
};

/// Characters and bytes of a password.
inline constexpr std::size_t kShortestPassword = 10, kLongestPassword = 1000;

/// Done, or why this is no password: fewer than 10 characters, more than 1000 bytes, not UTF-8.
Status check_password(const std::string& password);

class People {
 public:
  explicit People(std::shared_ptr<store::PostgresPool> pool) : pool_(std::move(pool)) {}

  /// Everybody but those removed, by name.
  Result<std::vector<Person>> all();
  /// Nothing when there is nobody of this number, or they were removed.
  Result<std::optional<Person>> find(std::int64_t id);

  /// Puts the list into the class, in one transaction: who is there already is renamed, not doubled; who was removed comes back. Each who
  /// has no password yet gets a link, which is good once and so long; earlier links stay good.
  Result<std::vector<Invitation>> invite(const std::vector<RosterLine>& lines, std::chrono::hours valid);
  /// A fresh link for one person, also for a password that is lost: the old password works until the link is used. Earlier links do not
  /// any more. Nothing when there is no such person.
  Result<std::optional<Invitation>> invite_again(std::int64_t id, std::chrono::hours valid);
  /// The invitation of a link; nothing when it was used, is too old or never was.
  Result<std::optional<Invitation>> invitation(const std::string& token);
  /// Sets the password and uses the link up, all others of this person too, and ends their sessions. Nothing: the link is no good (any
  /// more). Of two who accept at once one gets in. An Error too when check_password has one.
  Result<std::optional<Person>> accept(const std::string& token, const std::string& password);

  /// Nothing: wrong, whichever of the two; that takes the same time for a login that does not exist.
  Result<std::optional<Person>> sign_in(const std::string& login, const std::string& password);

  /// Takes somebody out: sessions end, links and the password are gone; work and attempts stay. Done also when they are not there.
  Status remove(std::int64_t id);

 private:
  std::shared_ptr<store::PostgresPool> pool_;
};

}  // namespace warpbook::classroom
