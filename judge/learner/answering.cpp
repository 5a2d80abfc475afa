#include "judge/learner/answering.hpp"

#include <fmt/format.h>

#include "judge/base/files.hpp"
#include "judge/base/text.hpp"
#include "judge/learner/recorded.hpp"
#include "judge/learner/work_folder.hpp"

namespace warpbook::learner {

task::GradeContext grading_of(const Workbook& workbook, const task::Task& task, const task::AnswerSheet& sheet) {
  task::GradeContext grading;
  grading.seed = sheet.seed.value_or(0);
  grading.language = workbook.language;
  grading.recorded = recorded_measurements(workbook, task.id);
  return grading;
}

Status save_sheet(const Workbook& workbook, const task::Task& task, const task::AnswerSheet& sheet, const task::GradeContext& grading) {
  const std::filesystem::path file = answers_file(workbook, task);
  const std::string text = task::write_answers(task, sheet, {grading.seed, grading.language, grading.recorded});
  const Result<task::AnswerSheet> back = task::read_answers(text, shown_path(workbook, file), task);
  for (const auto& [id, answer] : sheet.answers) {
    const bool there = back && back->answers.count(id) > 0;
    const std::string_view read = there ? std::string_view(back->answers.at(id).text) : std::string_view();
    if (read != trimmed(answer.text))
      return Error{fmt::format(
          "the answer to '{}' would not be read back as it is: a line of it begins with '## ' or '>', or it opens a comment or a fence",
          id)};
  }
  return write_file(file, text);
}

}  // namespace warpbook::learner
