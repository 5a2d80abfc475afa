#include "judge/serve/task_shelf.hpp"

#include <algorithm>

#include "judge/task/task_folder.hpp"

namespace warpbook::serve {

const task::Task* Shelf::find(const std::string& id) const {
  const auto found = std::find_if(tasks.begin(), tasks.end(), [&](const task::Task& t) { return t.id == id; });
  return found == tasks.end() ? nullptr : &*found;
}

std::shared_ptr<const Shelf> TaskShelf::look() {
  const std::vector<task::TaskFolder> folders = task::list_tasks(root_);
  std::vector<Stamp> stamps;
  for (const task::TaskFolder& folder : folders) {
    std::error_code ignored;
    const auto manifest = folder.folder / task::manifest_name(folder.kind);
    stamps.push_back({folder.id, std::filesystem::last_write_time(manifest, ignored), std::filesystem::file_size(manifest, ignored)});
  }
  const std::lock_guard lock(mutex_);
  if (shelf_ && stamps == stamps_) return shelf_;
  auto fresh = std::make_shared<Shelf>();
  for (const task::TaskFolder& folder : folders) {
    Result<task::Task> one = task::read_task(root_, folder);
    if (one) {
      fresh->tasks.push_back(std::move(*one));
    } else {
      fresh->troubles.push_back(one.error());
    }
  }
  stamps_ = std::move(stamps);
  return shelf_ = std::move(fresh);
}

}  // namespace warpbook::serve
