#pragma once
// Passwords as argon2id, by libsodium with its limits for interactive use: 64 MiB and some 60 ms each. At most two are computed at a time,
// for a hundred people who sign in at the beginning of a lesson would otherwise take 6 GiB.
#include <string>

#include "judge/base/error.hpp"

namespace warpbook::classroom {

/// The text that is stored: method, limits, salt and hash. Errors: no memory, or too many wait for their turn.
Result<std::string> password_hash(const std::string& password);

/// Whether `password` is the one of `hash`. An empty hash stands for nobody's: false, after the same time. Errors as above.
Result<bool> password_fits(const std::string& hash, const std::string& password);

}  // namespace warpbook::classroom
