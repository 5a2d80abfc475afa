// The next hint. Each call shows one more, from the area to the answer, those first that were written for the failure seen last; what was
// shown is recorded.
#include <fmt/format.h>

#include <cxxopts.hpp>

#include "judge/commands/command.hpp"
#include "judge/commands/grading.hpp"
#include "judge/commands/hint_text.hpp"
#include "judge/learner/next_hint.hpp"
#include "judge/learner/open_progress.hpp"

namespace warpbook::commands {
namespace {

Error no_blank(const task::Task& task, const std::string& wanted) {
  std::string names;
  for (const task::Blank& b : task.blanks) names += (names.empty() ? "" : ", ") + b.name;
  return Error{names.empty() ? fmt::format("{} has no blanks, and so no hints", task.id)
                             : fmt::format("{} has no blank '{}'; it has {}", task.id, wanted, names)};
}

}  // namespace

Exit hint(const Context& context, const Arguments& arguments) {
  cxxopts::Options words("judge hint", "The next hint, chosen by your latest failure; four levels a blank, the fourth is the answer.");
  words.add_options()("blank", "", cxxopts::value<std::string>()->default_value(""));
  words.parse_positional({"task", "blank"});
  words.positional_help("TASK [BLANK]");
  const TaskCommand command = begin_task_command(context, "hint", words, arguments);
  if (!command.task) return command.exit;
  const task::Task& task = *command.task;
  const Result<std::shared_ptr<store::Store>> store = learner::open_progress(context);
  if (!store) return could_not(store.error());
  const std::string wanted = (*command.parsed)["blank"].as<std::string>();
  const task::Blank* blank = learner::blank_for_hint(task, wanted, **store);
  if (blank == nullptr) return usage(no_blank(task, wanted));
  const Result<std::string> text = next_hint_text(context, task, *blank, **store);
  if (!text) return could_not(text.error());
  say(*text);
  return Exit::kAccepted;
}

}  // namespace warpbook::commands
