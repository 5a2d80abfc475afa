#pragma once
// Where a workbook is and in which language its learner reads: all that the things of a learner need to know. The commands and the web
// server have one each.
#include <filesystem>
#include <memory>
#include <string>

namespace warpbook::store {
class Store;
}

namespace warpbook::learner {

struct Workbook {
  std::filesystem::path root;                ///< lessons/, exercises/, work/
  std::filesystem::path program_folder;      ///< where judge, worker and the runtime library lie
  std::string language = "en";               ///< "en" or "zh"
  std::filesystem::path own{};               ///< in a class: the folder of this learner's files; empty: work/ of the workbook
  std::shared_ptr<store::Store> progress{};  ///< in a class: this learner's store; empty: the file below

  std::filesystem::path work() const { return own.empty() ? root / "work" : own; }
  std::filesystem::path cache() const { return root / "work" / ".cache"; }  ///< of compiled files; those of a class share it
  std::filesystem::path store_file() const { return work() / "progress.sqlite"; }
};

}  // namespace warpbook::learner
