// The questions of a task. On a terminal they are asked one after another; elsewhere the answers are read from work/TASK/answers.md and
// graded. Both ways end in that file, so nothing typed is lost.
#include <fmt/format.h>
#include <unistd.h>

#include <cxxopts.hpp>
#include <iostream>

#include "judge/commands/command.hpp"
#include "judge/commands/grading.hpp"
#include "judge/learner/answering.hpp"
#include "judge/learner/answers_file.hpp"
#include "judge/learner/work_folder.hpp"
#include "judge/task/questions.hpp"

namespace warpbook::commands {
namespace {

void ask(const Context& context, const task::Task& task, std::uint64_t seed, const std::vector<task::Measurement>& recorded,
         task::AnswerSheet& sheet) {
  for (const task::Question* q : task::questions_of(task)) {
    const task::ShownQuestion shown = task::show_question(task, *q, seed, recorded);
    say(fmt::format("\n{} ({:.4g} points)\n{}\n", context.out.paint(report::Ink::kBold, q->id), q->points,
                    report::wrap(shown.prompt.in(context.language), context.out.width, 0)));
    for (const task::ShownChoice& choice : shown.choices)
      say(report::wrap(fmt::format("{}  {}", choice.letter, choice.text.in(context.language)), context.out.width, 2) + "\n");
    const std::string& before = sheet.answers[q->id].text;
    say(fmt::format("  {}{}\n> ", shown.how, before.empty() ? "" : fmt::format(" (enter keeps: {})", before)));
    std::string line;
    if (!std::getline(std::cin, line)) return;
    if (!line.empty()) sheet.answers[q->id].text = line;
  }
}

void show_results(const Context& context, const std::vector<task::QuestionResult>& results) {
  double points = 0, of = 0;
  for (const task::QuestionResult& q : results) {
    points += q.points;
    of += q.max_points;
    const auto ink = q.correct ? report::Ink::kGreen : q.answered ? report::Ink::kRed : report::Ink::kDim;
    say(fmt::format("  {} {:.4g} of {:.4g}{}\n", context.out.paint(ink, report::pad(q.id, 16)), q.points, q.max_points,
                    q.provisional ? " (provisional)" : ""));
    if (q.answered && !q.feedback.empty()) say(report::wrap(q.feedback, context.out.width, 4) + "\n");
    if (!q.misconception.empty()) say(report::wrap(q.misconception, context.out.width, 4) + "\n");
    if (q.veto) say(report::wrap("veto: " + q.veto_evidence, context.out.width, 4) + "\n");
  }
  say(fmt::format("\n  {:.4g} of {:.4g} points\n", points, of));
}

}  // namespace

Exit answer(const Context& context, const Arguments& arguments) {
  cxxopts::Options words("judge answer", "Asks the questions of a task (on a terminal) and grades the answers in work/TASK/answers.md.");
  words.add_options()("check", "do not ask, grade what stands in the file");
  words.parse_positional({"task"});
  words.positional_help("TASK");
  const TaskCommand command = begin_task_command(context, "answer", words, arguments);
  if (!command.task) return command.exit;
  const task::Task& task = *command.task;
  if (task.questions.empty()) return usage({fmt::format("{} asks no questions", task.id)});

  const Result<std::filesystem::path> file = ensure_answer_sheet(context, task);
  if (!file) return could_not(file.error());
  Result<task::AnswerSheet> sheet = read_answer_sheet(context, task);
  if (!sheet) return usage(sheet.error());
  const task::GradeContext grading = learner::grading_of(context, task, *sheet);
  const bool terminal = ::isatty(STDIN_FILENO) != 0 && command.parsed->count("check") == 0;
  if (terminal) ask(context, task, grading.seed, grading.recorded, *sheet);
  const Status written =
      terminal ? learner::save_sheet(context, task, *sheet, grading) : refresh_answer_sheet(context, task, grading.recorded);
  if (!written) return could_not(written.error());
  const auto results = task::grade_answers(task, *sheet, grading);
  if (Status ok = record_answers(context, task, *sheet, results); !ok)
    complain(fmt::format("warning: these answers are not recorded: {}\n", ok.error().text()));
  say(fmt::format("\n{}\n", shown_path(context, *file)));
  show_results(context, results);
  return Exit::kAccepted;
}

}  // namespace warpbook::commands
