#pragma once
// A temporary folder for one compilation, inside the cache so that results can be renamed into place.
#include <filesystem>
#include <string_view>

#include "judge/base/error.hpp"

namespace warpbook::toolchain {

/// Exists as long as the object; the folder goes on every way out.
class Scratch {
 public:
  /// Makes a folder in `cache` (made too when missing) and removes those that killed processes left there.
  static Result<Scratch> make(const std::filesystem::path& cache);
  Scratch(Scratch&& other) noexcept;
  Scratch& operator=(Scratch&&) = delete;
  ~Scratch();
  const std::filesystem::path& folder() const { return folder_; }

 private:
  explicit Scratch(std::filesystem::path folder);
  std::filesystem::path folder_;
};

/// Writes a file that only this process reads, inside a scratch folder: not flushed to disk (that takes longer than a tool), but a full
/// disk is noticed.
Status write_scratch(const std::filesystem::path& path, std::string_view bytes);

}  // namespace warpbook::toolchain
