#include "judge/grade/verify_static.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "judge/base/files.hpp"
#include "judge/task/code_regions.hpp"
#include "judge/task/measured.hpp"
#include "judge/task/questions.hpp"
#include "judge/task/splice.hpp"
#include "judge/task/task_folder.hpp"

namespace warpbook::grade {
namespace {

namespace fs = std::filesystem;

Check at_least(const std::string& what, std::int64_t have, int least) {
  return {fmt::format("{}: at least {}", what, least), have >= least, have >= least ? "" : fmt::format("there are {}", have)};
}

Check check_equal_outside(const task::Task& task) {
  Check check{"exercise and solution are equal outside the blanks", false, {}};
  const auto exercise = read_file(task.starter), solution = read_file(task.solution);
  if (!exercise || !solution) {
    check.detail = (exercise ? solution : exercise).error().text();
    return check;
  }
  const Status same = task::check_pair(*exercise, task.starter.filename().string(), *solution, task.solution.filename().string(), task);
  check.passed = static_cast<bool>(same);
  if (!same) check.detail = same.error().text();
  return check;
}

/// Wrong submissions without their header lines that splice cleanly into the exercise.
int count_wrong_in_blanks(const task::Task& task) {
  const auto exercise = read_file(task.starter);
  if (!exercise) return 0;
  int count = 0;
  for (const fs::path& file : task::submissions_in(task.wrong_folder)) {
    auto text = read_file(file);
    if (!text) continue;
    const auto header = read_submission_header(file.filename().string(), *text);
    if (!header) continue;
    const auto spliced = task::splice(*exercise, "exercise.cu", without_header(*text), file.filename().string(), task);
    count += spliced && spliced->kind == task::SpliceKind::kReady;
  }
  return count;
}

/// The judge asks this question of a learner who made the mistake, before it tells the name.
Check check_questions(const task::Task& task) {
  Check check{"every wrong submission names its mistake and asks a question about it", true, {}};
  for (const fs::path& file : task::submissions_in(task.wrong_folder)) {
    const auto text = read_file(file);
    const std::string name = file.filename().string();
    const auto header = text ? read_submission_header(name, *text) : Result<SubmissionHeader>(text.error());
    if (header && !header->mistake.empty() && header->question.ends_with('?')) continue;
    check.passed = false;
    check.detail += fmt::format("{}{}", check.detail.empty() ? "without `// mistake: ...` or `// question: ...?`: " : ", ", name);
  }
  return check;
}

Check check_text(const task::Task& task) {
  const fs::path file = task::text_file(task);
  Check check{fmt::format("{} is there and its code regions resolve", file.filename().string()), false, {}};
  const auto text = read_file(file);
  if (!text) {
    check.detail = text.error().text();
    return check;
  }
  const auto expanded = task::expand_regions(*text, file.filename().string(), task.folder);
  check.passed = static_cast<bool>(expanded);
  if (!expanded) check.detail = expanded.error().text();
  return check;
}

}  // namespace

Check check_reference_answers(const task::Task& task, const std::vector<task::Measurement>& figures, bool complete) {
  Check check{"the reference answers earn every point", true, {}};
  task::GradeContext context;
  context.seed = 1;
  context.recorded = figures;
  const task::AnswerSheet sheet = task::reference_answers(task, context.seed, figures);
  const auto left_out = [&](const std::string& id) {
    const auto questions = task::questions_of(task);
    const auto asked = std::find_if(questions.begin(), questions.end(), [&](const task::Question* q) { return q->id == id; });
    return !complete && asked != questions.end() && !task::figures_lacking(**asked, figures).empty();
  };
  for (const task::QuestionResult& q : task::grade_answers(task, sheet, context)) {
    if ((std::abs(q.points - q.max_points) < 1e-9 && !q.veto) || left_out(q.id)) continue;
    check.passed = false;
    check.detail += fmt::format("{}{} earns {} of {}: {}", check.detail.empty() ? "" : "; ", q.id, q.points, q.max_points, q.feedback);
  }
  return check;
}

std::vector<Check> static_checks(const task::Task& task) {
  const bool lesson = task.kind == task::TaskKind::kLesson;
  const auto count = [&](task::CaseKind kind) {
    return std::count_if(task.cases.begin(), task.cases.end(), [&](const task::Case& c) { return c.kind == kind; });
  };
  std::vector<Check> checks;
  checks.push_back(at_least("normal cases", count(task::CaseKind::kNormal), kLeastNormalCases));
  checks.push_back(at_least("boundary cases", count(task::CaseKind::kBoundary), kLeastBoundaryCases));
  checks.push_back(at_least("wrong submissions", static_cast<std::int64_t>(task::submissions_in(task.wrong_folder).size()), kLeastWrong));
  checks.push_back(
      at_least("correct submissions", static_cast<std::int64_t>(task::submissions_in(task.correct_folder).size()), kLeastCorrect));
  checks.push_back(check_questions(task));
  checks.push_back(check_text(task));
  if (!lesson) return checks;
  checks.push_back(check_equal_outside(task));
  checks.push_back(
      at_least("wrong submissions that differ from the solution only inside blanks", count_wrong_in_blanks(task), kLeastWrongInBlanks));
  return checks;
}

}  // namespace warpbook::grade
