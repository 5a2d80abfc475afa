// The text of a task, rendered for the terminal.
#include <fmt/format.h>

#include <cxxopts.hpp>

#include "judge/base/files.hpp"
#include "judge/commands/command.hpp"
#include "judge/commands/grading.hpp"
#include "judge/commands/work_folder.hpp"
#include "judge/report/markdown_terminal.hpp"
#include "judge/task/code_regions.hpp"

namespace warpbook::commands {
namespace {

/// lesson.zh.md when the language is zh and the file is there, else lesson.md.
std::filesystem::path text_file(const task::Task& task, const std::string& language) {
  const std::string stem = task.kind == task::TaskKind::kLesson ? "lesson" : "problem";
  const std::filesystem::path translated = task.folder / fmt::format("{}.{}.md", stem, language);
  std::error_code ignored;
  return language != "en" && std::filesystem::exists(translated, ignored) ? translated : task.folder / (stem + ".md");
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
  const std::filesystem::path file = text_file(task, context.language);
  const Result<std::string> text = read_file(file);
  if (!text) return could_not(text.error());
  const Result<std::string> expanded = task::expand_regions(*text, file.filename().string(), task.folder);
  if (!expanded) return could_not(expanded.error());
  say(report::render_markdown(*expanded, {context.out, command.parsed->count("answers") > 0}));
  say(fmt::format("\nNext: judge start {0}   then edit {1} and judge run {0}\n", task.id, shown_path(context, work_file(context, task))));
  return Exit::kAccepted;
}

}  // namespace warpbook::commands
