#pragma once
// --seed-file and --overlay: what a class has and its learners do not.
#include <cstdint>
#include <filesystem>
#include <string>

#include "judge/base/error.hpp"

namespace warpbook::classroom {

struct ClassSecret {
  std::uint64_t seed = 0;  ///< of the hidden inputs; never printed, never stored
  std::string hash;        ///< what is recorded: it proves which secret it was and does not give it away
};

/// Reads the secret, its last line end aside. Errors: no such file, fewer than 16 bytes (which could be found by trying).
Result<ClassSecret> read_class_secret(const std::filesystem::path& file);

}  // namespace warpbook::classroom
