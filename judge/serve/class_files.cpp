#include "judge/serve/class_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "judge/classroom/class_secret.hpp"
#include "judge/task/overlay.hpp"

namespace warpbook::serve {
namespace {

namespace fs = std::filesystem;

Error in_class(const char* name, const Error& error) { return Error{fmt::format("'{}': {}", name, error.what), error.where}; }

/// Folders of the overlay by name. What begins with a dot is not the workbook's (.git), and files beside them say something to people.
Result<std::vector<fs::path>> folders_in(const fs::path& overlay) {
  std::vector<fs::path> found;
  std::error_code failed;
  for (fs::directory_iterator at(overlay, failed), end; !failed && at != end; at.increment(failed)) {
    std::error_code ignored;
    if (at->is_directory(ignored) && !at->path().filename().string().starts_with('.')) found.push_back(at->path());
  }
  if (failed)
    return Error{fmt::format("cannot be read as a folder ({}), expected one with TASK/cases.xml", failed.message()),
                 Where{overlay.string()}};
  std::sort(found.begin(), found.end());
  return found;
}

Status check_overlay(const fs::path& overlay, const Shelf& shelf) {
  const Result<std::vector<fs::path>> folders = folders_in(overlay);
  if (!folders) return in_class("overlay", folders.error());
  for (const fs::path& folder : *folders) {
    const task::Task* task = shelf.find(folder.filename().string());
    if (task == nullptr) {
      std::vector<std::string> ids;
      for (const task::Task& one : shelf.tasks) ids.push_back(one.id);
      return in_class("overlay",
                      {fmt::format("the folder is no task's, expected one of {}", fmt::join(ids, ", ")), Where{folder.string()}});
    }
    std::error_code ignored;
    if (!fs::exists(folder / "cases.xml", ignored))
      return in_class("overlay", {"the folder has no cases.xml, expected one with the further cases of the task", Where{folder.string()}});
    const auto cases = task::read_overlay(overlay, *task);
    if (!cases) return in_class("overlay", cases.error());
  }
  return Done{};
}

}  // namespace

Status check_class_files(const ClassConfig& config, const Shelf& shelf) {
  if (!config.seed_file.empty()) {
    const Result<classroom::ClassSecret> secret = classroom::read_class_secret(config.seed_file);
    if (!secret) return in_class("seed_file", secret.error());
  }
  if (!config.overlay.empty()) return check_overlay(config.overlay, shelf);
  return Done{};
}

}  // namespace warpbook::serve
