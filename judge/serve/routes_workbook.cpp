// The map: every task with how far the learner has come, what is open, and where they were.
#include <fmt/format.h>

#include <algorithm>

#include "judge/learner/open_progress.hpp"
#include "judge/learner/parts.hpp"
#include "judge/learner/reached.hpp"
#include "judge/learner/work_folder.hpp"
#include "judge/serve/routes.hpp"
#include "judge/toolchain/find.hpp"
#include "judge/version.hpp"

namespace warpbook::serve {
namespace {

using nlohmann::json;

constexpr int kPointsOfATask = 10;

/// Looking for the toolkit starts it; it is looked for again only while it is missing.
json toolkit_json() {
  static std::mutex mutex;
  static std::string known;
  const std::lock_guard lock(mutex);
  if (known.empty())
    if (const auto found = toolchain::find_toolkit()) known = found->version;
  return {{"nvcc", known.empty() ? json() : json(known)}};
}

json task_json(const task::Task& task, const Shelf& shelf, const learner::ProgressMap& progress, const learner::Workbook& workbook) {
  const store::Progress p = learner::progress_of(progress, task.id);
  const std::vector<std::string> waits = learner::waits_for(task, shelf.tasks, progress);
  std::error_code ignored;
  const bool begun = p.attempts > 0 || p.hint_level > 0 || std::filesystem::exists(learner::work_file(workbook, task), ignored);
  const char* state = p.passed ? "passed" : begun ? "begun" : waits.empty() ? "open" : "waiting";
  const bool waiting = state == std::string_view("waiting");
  const char* after = workbook.language == "zh" ? "先完成 {}" : "after {}";
  return {{"id", task.id},
          {"kind", task.kind == task::TaskKind::kLesson ? "lesson" : "exercise"},
          {"level", task.level},
          {"title", task.title.in(workbook.language)},
          {"requires", task.requires_ids},
          {"state", state},
          {"why", waiting ? json(fmt::format(fmt::runtime(after), fmt::join(waits, ", "))) : json()},
          {"progress",
           {{"attempts", p.attempts},
            {"best_points", p.best_points},
            {"points_of", kPointsOfATask},
            {"passed", p.passed},
            {"medal", p.medal},
            {"hint_level", p.hint_level},
            {"solution_opened", p.solution_opened}}}};
}

/// Where the learner was: the unfinished task whose file was written last, else what is next.
json continue_with(const Shelf& shelf, const learner::ProgressMap& progress, const learner::Workbook& workbook) {
  std::string latest = learner::next_task(shelf.tasks, progress);
  std::filesystem::file_time_type newest = std::filesystem::file_time_type::min();
  for (const task::Task& task : shelf.tasks) {
    std::error_code missing;
    const auto written = std::filesystem::last_write_time(learner::work_file(workbook, task), missing);
    if (missing || written <= newest || learner::progress_of(progress, task.id).passed) continue;
    newest = written;
    latest = task.id;
  }
  return latest.empty() ? json() : json(latest);
}

Answer workbook(Service& service, const Request& request) {
  const learner::Workbook own = service.workbook_for(request);
  const std::shared_ptr<const Shelf> shelf = service.shelf.look();
  learner::ProgressMap progress;
  json troubles = json::array();
  // They name files of the server: in a class, nothing for learners.
  if (!service.desk || request.who->instructor)
    for (const Error& error : shelf->troubles) troubles.push_back(error.text());
  if (learner::has_progress(own)) {
    // A map without progress is better than none; of a class the whole database would be away.
    if (const auto store = service.open_store(own); !store) {
      troubles.push_back(store.error().text());
    } else if (const auto all = (*store)->all_progress(); !all) {
      if (service.desk) return service.store_failure(all.error());
      troubles.push_back(all.error().text());
    } else {
      for (const store::Progress& p : *all) progress[p.task] = p;
    }
  }
  json parts = json::array();
  for (const learner::Part& part : learner::parts_of(own, shelf->tasks)) {
    json tasks = json::array();
    for (const task::Task* task : part.tasks) tasks.push_back(task_json(*task, *shelf, progress, own));
    parts.push_back({{"title", part.title}, {"tasks", std::move(tasks)}});
  }
  return as_json({{"version", kVersion},
                  {"language", own.language},
                  {"toolkit", toolkit_json()},
                  {"continue", continue_with(*shelf, progress, own)},
                  {"parts", std::move(parts)},
                  {"troubles", std::move(troubles)}});
}

}  // namespace

void add_workbook_routes(Router& router, Service& service) {
  router.add(Access::kLearner, "GET", "/api/workbook", [&service](const Request& request) { return workbook(service, request); });
}

}  // namespace warpbook::serve
