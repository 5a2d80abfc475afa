#include "judge/learner/lesson_text.hpp"

#include "judge/base/files.hpp"
#include "judge/task/code_regions.hpp"
#include "judge/task/task_folder.hpp"

namespace warpbook::learner {

Result<std::string> lesson_text(const task::Task& task, const std::string& language) {
  std::filesystem::path file = task::text_file(task, language);
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) file = task::text_file(task);
  const Result<std::string> text = read_file(file);
  if (!text) return text.error();
  return task::expand_regions(*text, file.filename().string(), task.folder);
}

}  // namespace warpbook::learner
