#pragma once
// A copy of the learner's file for a child process: what is graded or traced is what was asked about, also when the file is saved again
// meanwhile. Its path below the folder is the one that messages show, so the child starts in the folder.
#include <filesystem>
#include <string>

#include "judge/base/error.hpp"

namespace warpbook::serve {

class SourceFolder {
 public:
  /// `file` is relative: "work/05-layernorm/exercise.cu".
  SourceFolder(const std::string& file, const std::string& text);
  ~SourceFolder();
  SourceFolder(const SourceFolder&) = delete;
  SourceFolder& operator=(const SourceFolder&) = delete;

  const Status& status() const { return status_; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  Status status_ = Done{};
};

}  // namespace warpbook::serve
