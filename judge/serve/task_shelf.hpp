#pragma once
// The tasks of a workbook, read once and again when a manifest changes: an author may have the page open while writing.
#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "judge/base/error.hpp"
#include "judge/task/task.hpp"

namespace warpbook::serve {

struct Shelf {
  std::vector<task::Task> tasks;  ///< in the order of `judge list`
  std::vector<Error> troubles;    ///< of manifests that cannot be read; their tasks are missing

  /// Null when there is none of that id.
  const task::Task* find(const std::string& id) const;
};

class TaskShelf {
 public:
  /// `kept`: how long what was seen is taken for what is. Nobody writes the tasks of a class while it works, and hundreds look.
  explicit TaskShelf(std::filesystem::path root, std::chrono::milliseconds kept = {}) : root_(std::move(root)), kept_(kept) {}

  /// As they are now. Looking costs a few dozen system calls; reading happens only after a change.
  std::shared_ptr<const Shelf> look();

 private:
  struct Stamp {
    std::string id;
    std::filesystem::file_time_type written;
    std::uintmax_t size = 0;
    bool operator==(const Stamp&) const = default;
  };

  std::filesystem::path root_;
  const std::chrono::milliseconds kept_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point looked_;
  std::vector<Stamp> stamps_;
  std::shared_ptr<const Shelf> shelf_;
};

}  // namespace warpbook::serve
