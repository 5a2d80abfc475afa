#pragma once
// Where a workbook is and in which language its learner reads: all that the things of a learner need to know. The commands and the web
// server have one each.
#include <filesystem>
#include <string>

namespace warpbook::learner {

struct Workbook {
  std::filesystem::path root;            ///< lessons/, exercises/, work/
  std::filesystem::path program_folder;  ///< where judge, worker and the runtime library lie
  std::string language = "en";           ///< "en" or "zh"

  std::filesystem::path work() const { return root / "work"; }
  std::filesystem::path cache() const { return root / "work" / ".cache"; }
  std::filesystem::path store_file() const { return root / "work" / "progress.sqlite"; }
};

}  // namespace warpbook::learner
