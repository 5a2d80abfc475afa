#pragma once
// lesson.xml or exercise.xml as a Task. lessons/MANIFEST.md is the manual of the format.
#include <string>
#include <string_view>

#include "judge/base/error.hpp"
#include "judge/task/operator_lookup.hpp"
#include "judge/task/task.hpp"

namespace warpbook::task {

/// Reads the text of a manifest. `file` is the name shown in errors, `folder_name` what the id must be. Paths of the Task stay
/// empty; task_folder.hpp fills them. Every error carries line, column, what is and what was expected.
Result<Task> read_manifest(std::string_view text, const std::string& file, const std::string& folder_name, const OperatorLookup& operators);

}  // namespace warpbook::task
