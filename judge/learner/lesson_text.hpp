#pragma once
// The text of a task as it is shown: in the learner's language, with the code regions it names.
#include <string>

#include "judge/base/error.hpp"
#include "judge/task/task.hpp"

namespace warpbook::learner {

/// Markdown: the text in `language` where there is one, else in English; regions are expanded. Errors are an author's.
Result<std::string> lesson_text(const task::Task& task, const std::string& language);

}  // namespace warpbook::learner
