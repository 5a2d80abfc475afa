#include "judge/learner/answers_file.hpp"

#include <algorithm>

#include "judge/base/files.hpp"
#include "judge/learner/open_progress.hpp"
#include "judge/learner/random_seed.hpp"
#include "judge/learner/recorded.hpp"
#include "judge/learner/work_folder.hpp"
#include "judge/task/measured.hpp"

namespace warpbook::learner {
namespace {
/// Variants need not be secret, only different; few digits are easier to read in the file.
constexpr std::uint64_t kVariants = 1'000'000;
}  // namespace

std::uint64_t variant_of(const Workbook& workbook) {
  const auto store = open_progress(workbook);
  if (store)
    if (const Result<std::uint64_t> own = (*store)->learner_seed()) return *own % kVariants;
  return random_seed() % kVariants;
}

Result<std::filesystem::path> ensure_answer_sheet(const Workbook& workbook, const task::Task& task) {
  const std::filesystem::path file = answers_file(workbook, task);
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored)) return file;
  const task::SheetOptions options{variant_of(workbook), workbook.language, recorded_measurements(workbook, task.id)};
  if (Status ok = write_file(file, task::new_answer_sheet(task, options)); !ok) return std::move(ok).error();
  return file;
}

Result<task::AnswerSheet> read_answer_sheet(const Workbook& workbook, const task::Task& task) {
  const std::filesystem::path file = answers_file(workbook, task);
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return task::AnswerSheet{};
  const Result<std::string> text = read_file(file);
  if (!text) return text.error();
  return task::read_answers(*text, shown_path(workbook, file), task);
}

Status refresh_answer_sheet(const Workbook& workbook, const task::Task& task, const std::vector<task::Measurement>& recorded) {
  const auto all = task::questions_of(task);
  if (std::none_of(all.begin(), all.end(), [](const task::Question* q) { return !task::figures_of(*q).empty(); })) return Done{};
  const std::filesystem::path file = answers_file(workbook, task);
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return Done{};
  const Result<std::string> text = read_file(file);
  if (!text) return text.error();
  const Result<task::AnswerSheet> sheet = task::read_answers(*text, shown_path(workbook, file), task);
  if (!sheet) return sheet.error();
  const std::string fresh = task::with_fresh_questions(*text, task, {sheet->seed.value_or(0), workbook.language, recorded});
  return fresh == *text ? Status(Done{}) : write_file(file, fresh);
}

Status record_answers(const Workbook& workbook, const task::Task& task, const task::AnswerSheet& sheet,
                      const std::vector<task::QuestionResult>& results) {
  std::vector<store::AnsweredQuestion> answered;
  for (const task::QuestionResult& q : results) {
    const auto answer = sheet.answers.find(q.id);
    if (!q.answered || answer == sheet.answers.end()) continue;
    answered.push_back({task.id, q.id, answer->second.text, q.points, q.max_points, q.misconception});
  }
  if (answered.empty()) return Done{};
  const auto store = open_progress(workbook);
  if (!store) return store.error();
  return (*store)->record_answers(answered);
}

}  // namespace warpbook::learner
