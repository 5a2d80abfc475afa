#include "judge/serve/task_shelf.hpp"

#include <algorithm>

#include "judge/task/task_folder.hpp"

namespace warpbook::serve {

const task::Task* Shelf::find(const std::string& id) const {
  const auto found = std::find_if(tasks.begin(), tasks.end(), [&](const task::Task& t) { return t.id == id; });
  return found == tasks.end() ? nullptr : &*found;
}

std::shared_ptr<const Shelf> TaskShelf::look() {
  const auto now = std::chrono::steady_clock::now();
  if (kept_.count() > 0) {
    const std::lock_guard lock(mutex_);
    if (shelf_ && now - looked_ < kept_) return shelf_;
  }
  std::vector<Stamp> stamps;
  for (const task::TaskFolder& folder : task::list_tasks(root_)) {
    std::error_code ignored;
    const auto manifest = folder.folder / task::manifest_name(folder.kind);
    stamps.push_back({folder.id, std::filesystem::last_write_time(manifest, ignored), std::filesystem::file_size(manifest, ignored)});
  }
  const std::lock_guard lock(mutex_);
  looked_ = now;
  if (shelf_ && stamps == stamps_) return shelf_;
  task::ReadTasks read = task::read_tasks(root_);
  auto fresh = std::make_shared<Shelf>();
  fresh->tasks = std::move(read.tasks);
  for (task::BrokenTask& broken : read.broken) fresh->troubles.push_back(std::move(broken.error));
  stamps_ = std::move(stamps);
  return shelf_ = std::move(fresh);
}

}  // namespace warpbook::serve
