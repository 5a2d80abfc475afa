#pragma once
// How far a learner has come: what is passed, what is open, what is next.
#include <map>
#include <string>
#include <vector>

#include "judge/learner/workbook.hpp"
#include "judge/store/store.hpp"
#include "judge/task/task.hpp"

namespace warpbook::learner {

using ProgressMap = std::map<std::string, store::Progress>;

/// Progress of every task touched; empty when there is no store yet. Errors are the store's.
Result<ProgressMap> known_progress(const Workbook& workbook);

/// The progress of one task in `all`; all zero when it was never touched.
store::Progress progress_of(const ProgressMap& all, const std::string& task);

/// The prerequisites of `task` that are not passed. One that is no task of this workbook keeps nobody waiting.
std::vector<std::string> waits_for(const task::Task& task, const std::vector<task::Task>& tasks, const ProgressMap& progress);

/// The first task that is not passed and waits for nothing; empty when all are passed.
std::string next_task(const std::vector<task::Task>& tasks, const ProgressMap& progress);

/// Solutions open after a pass, or after the last hint of any blank.
bool solution_is_open(const store::Progress& progress);

}  // namespace warpbook::learner
