#include "judge/serve/source_folder.hpp"

#include <stdlib.h>

#include "judge/base/files.hpp"

namespace warpbook::serve {

SourceFolder::SourceFolder(const std::string& file, const std::string& text) {
  std::string pattern = (std::filesystem::temp_directory_path() / "warpbook-run-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    status_ = Error{"no folder for a run can be made", Where{pattern}};
    return;
  }
  path_ = pattern;
  status_ = write_file(path_ / file, text);
}

SourceFolder::~SourceFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace warpbook::serve
