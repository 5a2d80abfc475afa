#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "judge/base/files.hpp"
#include "judge/lint/lint.hpp"
#include "judge/task/measured.hpp"
#include "judge/task/splice.hpp"
#include "judge/task/task_folder.hpp"

namespace warpbook::lint {
namespace {

using task::Blank;
using task::QuestionKind;

/// So many pieces of code in a row are no accident of English.
constexpr std::size_t kGivenAway = 6;
constexpr int kAnswerLevel = 4;

Note note(const task::Task& task, std::string what) { return {std::move(what), {task::manifest_file(task).string()}, {}}; }

/// Names, numbers and single signs. Prose makes names, too, but rarely six pieces that stand in the solution in the same order.
std::vector<std::string> pieces(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const auto is_word = [&](std::size_t i) {
      return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_' || text[i] == '.');
    };
    if (!is_word(at)) {
      if (std::isspace(static_cast<unsigned char>(text[at])) == 0 && text[at] != '`') out.emplace_back(1, text[at]);
      ++at;
      continue;
    }
    const std::size_t begin = at;
    while (is_word(at)) ++at;
    std::string word(text.substr(begin, at - begin));
    while (word.size() > 1 && word.back() == '.') word.pop_back();
    out.push_back(std::move(word));
  }
  return out;
}

/// The longest run of pieces that both texts share.
std::vector<std::string> longest_common_run(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::size_t best = 0, best_end = 0;
  std::vector<std::size_t> before(b.size() + 1, 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::vector<std::size_t> now(b.size() + 1, 0);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = a[i - 1] == b[j - 1] ? before[j - 1] + 1 : 0;
      if (now[j] > best) best = now[j], best_end = i;
    }
    before = std::move(now);
  }
  return {a.begin() + static_cast<std::ptrdiff_t>(best_end - best), a.begin() + static_cast<std::ptrdiff_t>(best_end)};
}

/// Comments of the solution are prose and may be quoted.
std::string without_line_comments(std::string_view code) {
  std::string out;
  for (const std::string& line : split_lines(code)) out += line.substr(0, line.find("//")) + "\n";
  return out;
}

/// What the solution has in each blank; empty when exercise and solution do not fit (which the gate says).
std::vector<task::FilledBlank> solved_blanks(const task::Task& task) {
  const auto exercise = read_file(task.starter), solution = read_file(task.solution);
  if (!exercise || !solution) return {};
  auto spliced = task::splice(*exercise, task.starter.filename().string(), *solution, task.solution.filename().string(), task);
  if (!spliced || spliced->kind != task::SpliceKind::kReady) return {};
  return std::move(spliced->source.blanks);
}

void check_hint(const task::Task& task, const Blank& blank, int level, const task::Text& text, const std::string& answer,
                std::vector<Note>& notes) {
  if (level == kAnswerLevel) return;
  const auto code = pieces(without_line_comments(answer));
  const std::size_t enough = std::min(kGivenAway, std::max<std::size_t>(code.size(), 3));
  for (const auto& [language, words] : text.by_language) {
    const auto shared = longest_common_run(pieces(words), code);
    if (shared.size() < enough) continue;
    notes.push_back(note(task, fmt::format("hint of level {} of blank '{}' ({}) holds code of the answer: {}; expected words, code belongs "
                                           "to level {}",
                                           level, blank.name, language, fmt::join(shared, " "), kAnswerLevel)));
  }
}

void check_blanks(const task::Task& task, std::vector<Note>& notes) {
  const auto solved = solved_blanks(task);
  std::size_t tagged = 0;
  for (const Blank& blank : task.blanks) {
    const auto filled = std::find_if(solved.begin(), solved.end(), [&](const task::FilledBlank& f) { return f.name == blank.name; });
    const std::string answer = filled == solved.end() ? "" : filled->text;
    const int lines = std::max(blank.lines, static_cast<int>(split_lines(answer).size()));
    if (lines > kLargestBlank)
      notes.push_back(note(task, fmt::format("blank '{}' takes {} lines, expected at most {}", blank.name, lines, kLargestBlank)));
    tagged += blank.tagged.size();
    if (answer.empty()) continue;
    for (std::size_t level = 0; level < blank.hints.size(); ++level)
      check_hint(task, blank, static_cast<int>(level) + 1, blank.hints[level], answer, notes);
    for (const task::TaggedHint& hint : blank.tagged) check_hint(task, blank, hint.level, hint.text, answer, notes);
  }
  constexpr std::size_t kTagged = 2;
  if (tagged < kTagged)
    notes.push_back(note(task, fmt::format("{} of the hints name a failure (<hint tags=\"...\">), expected at least {}", tagged, kTagged)));
}

void check_questions(const task::Task& task, std::vector<Note>& notes) {
  bool own_figure = false;
  for (const QuestionKind kind : {QuestionKind::kOrder, QuestionKind::kPredict, QuestionKind::kChoice}) {
    constexpr const char* kNames[] = {"order", "predict", "choice"};
    if (std::none_of(task.questions.begin(), task.questions.end(), [&](const task::Question& q) { return q.kind == kind; }))
      notes.push_back(note(task, fmt::format("no question of kind {}, expected one of each of the three that grade themselves",
                                             kNames[static_cast<int>(kind)])));
  }
  for (const task::Question& q : task.questions) {
    own_figure = own_figure || !task::figures_of(q).empty();
    for (const task::OrderStep& step : q.steps)
      if (step.position == 0 && step.misconception.by_language.empty())
        notes.push_back(note(task, fmt::format("question '{}': distractor '{}' does not say which misconception it is", q.id, step.id)));
    if (q.kind == QuestionKind::kPredict && q.wrong.empty())
      notes.push_back(
          note(task, fmt::format("question '{}' knows no wrong answer by name, expected a <wrong> with its misconception", q.id)));
  }
  if (!own_figure) notes.push_back(note(task, "no question shows a figure of the learner's own, expected {measured:NAME} in one"));
}

void check_unfinished(const task::Task& task, std::vector<Note>& notes) {
  std::error_code ignored;
  for (const auto& item : std::filesystem::recursive_directory_iterator(task.folder, ignored)) {
    if (!item.is_regular_file(ignored)) continue;
    const auto text = read_file(item.path());
    if (!text) continue;
    int number = 0, found = 0, first = 0;
    for (const std::string& line : split_lines(*text)) {
      ++number;
      if (line.find("TODO") == std::string::npos) continue;
      if (++found == 1) first = number;
    }
    if (found > 0)
      notes.push_back(
          {fmt::format("{} line{} TODO, the first here", found, found == 1 ? " says" : "s say"), {item.path().string(), first, 0}, {}});
  }
}

}  // namespace

void lint_manifest(const task::Task& task, std::vector<Note>& notes) {
  check_unfinished(task, notes);
  if (task.kind == task::TaskKind::kExercise) return;
  check_blanks(task, notes);
  check_questions(task, notes);
}

}  // namespace warpbook::lint
