#pragma once
// Further cases of a class: a folder beside the workbook that no learner has. DIR/TASK/cases.xml holds <cases> in the manifest's own form.
#include <filesystem>
#include <vector>

#include "judge/base/error.hpp"
#include "judge/task/operator_lookup.hpp"
#include "judge/task/task.hpp"

namespace warpbook::task {

/// The cases that `folder` adds to the task; none when it has nothing for it. Errors: no such folder, a file that does not read, a case
/// whose name the task has too.
Result<std::vector<Case>> read_overlay(const std::filesystem::path& folder, const Task& task,
                                       const OperatorLookup& operators = registered_operators());

}  // namespace warpbook::task
