#pragma once
// A folder of a test's own, which goes with it. Two runs of the same test at the same time have two.
#include <stdlib.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "judge/tests/catch.hpp"

namespace warpbook {

class TemporaryFolder {
 public:
  /// `name` says whose it is: /tmp/warpbook-NAME-....; or in another `parent` than that of temporary files.
  explicit TemporaryFolder(std::string_view name, const std::filesystem::path& parent = std::filesystem::temp_directory_path()) {
    std::string pattern = (parent / "warpbook-").string();
    pattern.append(name).append("-XXXXXX");
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::filesystem::path& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace warpbook
