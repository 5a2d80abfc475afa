// The text of a task, rendered for the terminal.
#include <fmt/format.h>

#include <cxxopts.hpp>

#include "judge/base/files.hpp"
#include "judge/commands/command.hpp"
#include "judge/commands/grading.hpp"
#include "judge/commands/work_folder.hpp"
#include "judge/report/markdown_terminal.hpp"
#include "judge/task/code_regions.hpp"
#include "judge/task/task_folder.hpp"

namespace warpbook::commands {
namespace {

/// The text in the learner's language where there is one, else in English.
std::filesystem::path text_to_show(const task::Task& task, const std::string& language) {
  const std::filesystem::path translated = task::text_file(task, language);
  std::error_code ignored;
  return std::filesystem::exists(translated, ignored) ? translated : task::text_file(task);
}

}  // namespace

Exit show(const Context& context, const Arguments& arguments) {
  cxxopts::Options words("judge show", "The text of a lesson or problem.");
  words.add_options()("answers", "unfold the answers of the self-test");
  words.parse_positional({"task"});
  words.positional_help("TASK");
  const TaskCommand command = begin_task_command(context, "show", words, arguments);
  if (!command.task) return command.exit;
  const task::Task& task = *command.task;
  const std::filesystem::path file = text_to_show(task, context.language);
  const Result<std::string> text = read_file(file);
  if (!text) return could_not(text.error());
  const Result<std::string> expanded = task::expand_regions(*text, file.filename().string(), task.folder);
  if (!expanded) return could_not(expanded.error());
  say(report::render_markdown(*expanded, {context.out, command.parsed->count("answers") > 0}));
  say(fmt::format("\nNext: judge start {0}   then edit {1} and judge run {0}\n", task.id, shown_path(context, work_file(context, task))));
  return Exit::kAccepted;
}

}  // namespace warpbook::commands
