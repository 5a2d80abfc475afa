#pragma once
// Inside of judge/toolchain: finished work, kept under a name that is a hash of everything it was made from.
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "judge/base/error.hpp"

namespace warpbook::toolchain {

/// A folder of the cache whose files were just found to be whole.
struct Entry {
  std::filesystem::path folder;
  std::string note;  ///< what was stored with it (JSON text of the one who stored it)
};

/// Safe for any number of processes at once, without locks.
class Cache {
 public:
  explicit Cache(std::filesystem::path folder);

  /// The entry called `name`; nothing when there is none or any file of it is missing, short or changed.
  std::optional<Entry> find(const std::string& name) const;

  /// Moves `files` out of `from` (a folder inside the cache) into an entry called `name`. If another process was first, its entry stands.
  Result<Entry> publish(const std::string& name, const std::filesystem::path& from, const std::vector<std::string>& files,
                        const std::string& note) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace warpbook::toolchain
