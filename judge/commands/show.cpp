// The text of a task, rendered for the terminal.
#include <fmt/format.h>

#include <cxxopts.hpp>

#include "judge/commands/command.hpp"
#include "judge/commands/grading.hpp"
#include "judge/learner/lesson_text.hpp"
#include "judge/learner/work_folder.hpp"
#include "judge/report/markdown_terminal.hpp"

namespace warpbook::commands {

Exit show(const Context& context, const Arguments& arguments) {
  cxxopts::Options words("judge show", "The text of a lesson or problem.");
  words.add_options()("answers", "unfold the answers of the self-test");
  words.parse_positional({"task"});
  words.positional_help("TASK");
  const TaskCommand command = begin_task_command(context, "show", words, arguments);
  if (!command.task) return command.exit;
  const task::Task& task = *command.task;
  const Result<std::string> text = learner::lesson_text(task, context.language);
  if (!text) return could_not(text.error());
  say(report::render_markdown(*text, {context.out, command.parsed->count("answers") > 0}));
  say(fmt::format("\nNext: judge start {0}   then edit {1} and judge run {0}\n", task.id, shown_path(context, work_file(context, task))));
  return Exit::kAccepted;
}

}  // namespace warpbook::commands
