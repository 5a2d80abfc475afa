#pragma once
// A class list as spreadsheets and course systems write it: CSV with a header row, in which `login` and `name` stand and `role` may.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "judge/base/error.hpp"

namespace warpbook::classroom {

enum class Role { kLearner, kInstructor };
std::string_view name_of(Role role);  ///< "learner", "instructor"
std::optional<Role> find_role(std::string_view name);

struct RosterLine {
  std::string login, name;
  Role role = Role::kLearner;
  bool role_given = false;  ///< the list says so; otherwise whoever is in the class already keeps their role
};

/// Longest login and name, and the longest list, in bytes and lines.
inline constexpr std::size_t kLongestLogin = 254, kLongestName = 200, kMostRosterLines = 10'000;

/// Lines of RFC 4180: cells in quotes may hold commas, quotes (doubled) and line ends; lines end with LF or CRLF; UTF-8 with or without a
/// byte order mark. Columns may stand in any order, others are passed over. An empty role is a learner's. Errors name line and column
/// (counted in characters, from 1, as the editor does): no header, a column missing or there twice, a cell missing, a quote that never
/// ends, an empty login or one with spaces, a login that is there twice (capital letters make no other login), text that is not UTF-8.
Result<std::vector<RosterLine>> read_roster(const std::string& csv);

/// Why this cannot be a login; empty when it can: 1 to 254 of ASCII letters, digits and ._-@+.
std::string login_fault(std::string_view login);
/// Why this cannot be a name; empty when it can: 1 to kLongestName bytes of UTF-8 without control characters, of which
/// something can be seen.
std::string name_fault(std::string_view name);

/// A login as it is compared: ASCII letters small.
std::string login_key(std::string_view login);

}  // namespace warpbook::classroom
