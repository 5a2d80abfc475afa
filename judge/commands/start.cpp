// Copies an exercise and a sheet for the answers to work/TASK/. What is there already stays as it is.
#include <fmt/format.h>

#include <cxxopts.hpp>

#include "judge/commands/command.hpp"
#include "judge/commands/grading.hpp"
#include "judge/learner/answers_file.hpp"
#include "judge/learner/work_folder.hpp"

namespace warpbook::commands {

Exit start(const Context& context, const Arguments& arguments) {
  cxxopts::Options words("judge start", "Copies the exercise to work/TASK/, where you edit it.");
  words.parse_positional({"task"});
  words.positional_help("TASK");
  const TaskCommand command = begin_task_command(context, "start", words, arguments);
  if (!command.task) return command.exit;
  const task::Task& task = *command.task;

  const std::filesystem::path target = work_file(context, task);
  const Result<bool> made = ensure_work_file(context, task);
  if (!made) return could_not(made.error());
  say(fmt::format("{} {}\n", shown_path(context, target), *made ? "is ready" : "is there already and stays as it is"));
  if (!task.questions.empty()) {
    const Result<std::filesystem::path> sheet = ensure_answer_sheet(context, task);
    if (!sheet) return could_not(sheet.error());
    say(fmt::format("{} holds the questions\n", shown_path(context, *sheet)));
  }
  if (task.blanks.empty()) say(fmt::format("\nWrite the kernel, then: judge run {}\n", task.id));
  if (!task.blanks.empty()) say(fmt::format("\nFill the blanks, then: judge run {0}\nStuck? judge hint {0}\n", task.id));
  return Exit::kAccepted;
}

}  // namespace warpbook::commands
