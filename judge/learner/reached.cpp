#include "judge/learner/reached.hpp"

#include <algorithm>

#include "judge/learner/open_progress.hpp"

namespace warpbook::learner {
namespace {
constexpr int kLastHint = 4;
}

Result<ProgressMap> known_progress(const Workbook& workbook) {
  ProgressMap out;
  if (!has_progress(workbook)) return out;
  const auto store = open_progress(workbook);
  if (!store) return store.error();
  const auto all = (*store)->all_progress();
  if (!all) return all.error();
  for (const store::Progress& p : *all) out[p.task] = p;
  return out;
}

store::Progress progress_of(const ProgressMap& all, const std::string& task) {
  const auto it = all.find(task);
  return it == all.end() ? store::Progress{} : it->second;
}

std::vector<std::string> waits_for(const task::Task& task, const std::vector<task::Task>& tasks, const ProgressMap& progress) {
  std::vector<std::string> out;
  for (const std::string& id : task.requires_ids) {
    const bool exists = std::any_of(tasks.begin(), tasks.end(), [&](const task::Task& t) { return t.id == id; });
    if (exists && !progress_of(progress, id).passed) out.push_back(id);
  }
  return out;
}

std::string next_task(const std::vector<task::Task>& tasks, const ProgressMap& progress) {
  for (const task::Task& t : tasks)
    if (!progress_of(progress, t.id).passed && waits_for(t, tasks, progress).empty()) return t.id;
  return {};
}

bool solution_is_open(const store::Progress& progress) { return progress.passed || progress.hint_level >= kLastHint; }

}  // namespace warpbook::learner
