// The reference solution: open after a pass, or after the last hint of any blank.
#include <fmt/format.h>

#include <cxxopts.hpp>

#include "judge/base/files.hpp"
#include "judge/commands/command.hpp"
#include "judge/commands/grading.hpp"
#include "judge/learner/open_progress.hpp"
#include "judge/learner/reached.hpp"

namespace warpbook::commands {
Exit solution(const Context& context, const Arguments& arguments) {
  cxxopts::Options words("judge solution", "The reference solution, once it is open.");
  words.parse_positional({"task"});
  words.positional_help("TASK");
  const TaskCommand command = begin_task_command(context, "solution", words, arguments);
  if (!command.task) return command.exit;
  const task::Task& task = *command.task;
  const Result<std::shared_ptr<store::Store>> store = learner::open_progress(context);
  if (!store) return could_not(store.error());
  const Result<store::Progress> progress = (*store)->progress(task.id);
  if (!progress) return could_not(progress.error());

  if (!learner::solution_is_open(*progress)) {
    const std::string way =
        task.blanks.empty() ? ""
                            : fmt::format(", or after the fourth hint (you have seen {}): judge hint {}", progress->hint_level, task.id);
    complain(fmt::format("the solution of {} opens when you pass it{}\n", task.id, way));
    return Exit::kNotAccepted;
  }
  const Result<std::string> text = read_file(task.solution);
  if (!text) return could_not(text.error());
  if (Status ok = (*store)->record_solution_opened(task.id); !ok) return could_not(ok.error());
  say(*text);
  return Exit::kAccepted;
}

}  // namespace warpbook::commands
