// The next hint. Each call shows one more, from the area to the answer; what was shown is recorded.
#include <fmt/format.h>

#include <cxxopts.hpp>

#include "judge/commands/command.hpp"
#include "judge/commands/grading.hpp"
#include "judge/store/sqlite_store.hpp"

namespace warpbook::commands {
namespace {

/// The blank named, or the first that has hints left; the last when none has.
const task::Blank* choose_blank(const task::Task& task, const std::string& wanted, store::Store& store) {
  for (const task::Blank& b : task.blanks) {
    if (!wanted.empty() && b.name != wanted) continue;
    const Result<int> level = store.hint_level(task.id, b.name);
    const bool left = !level || *level < static_cast<int>(b.hints.size());
    if (left || !wanted.empty()) return &b;
  }
  return wanted.empty() && !task.blanks.empty() ? &task.blanks.back() : nullptr;
}

Error no_blank(const task::Task& task, const std::string& wanted) {
  std::string names;
  for (const task::Blank& b : task.blanks) names += (names.empty() ? "" : ", ") + b.name;
  return Error{names.empty() ? fmt::format("{} has no blanks, and so no hints", task.id)
                             : fmt::format("{} has no blank '{}'; it has {}", task.id, wanted, names)};
}

}  // namespace

Exit hint(const Context& context, const Arguments& arguments) {
  cxxopts::Options words("judge hint", "The next hint; four a blank, the fourth is the answer.");
  words.add_options()("blank", "", cxxopts::value<std::string>()->default_value(""));
  words.parse_positional({"task", "blank"});
  words.positional_help("TASK [BLANK]");
  const TaskCommand command = begin_task_command(context, "hint", words, arguments);
  if (!command.task) return command.exit;
  const task::Task& task = *command.task;
  const Result<std::unique_ptr<store::Store>> store = store::open_store(context.store_file());
  if (!store) return could_not(store.error());

  const std::string wanted = (*command.parsed)["blank"].as<std::string>();
  const task::Blank* blank = choose_blank(task, wanted, **store);
  if (blank == nullptr || blank->hints.empty()) return usage(no_blank(task, wanted));
  const Result<int> seen = (*store)->hint_level(task.id, blank->name);
  if (!seen) return could_not(seen.error());
  const int last = static_cast<int>(blank->hints.size());
  const int level = std::min(*seen + 1, last);
  if (Status ok = (*store)->record_hint(task.id, blank->name, level); !ok) return could_not(ok.error());
  say(fmt::format("{} blank {}, hint {} of {}\n\n", context.out.paint(report::Ink::kBold, task.id), blank->name, level, last));
  say(report::wrap(blank->hints[static_cast<std::size_t>(level) - 1].in(context.language), context.out.width, 2) + "\n");
  if (level == last) say(fmt::format("\nThis was the last hint; the reference is open now: judge solution {}\n", task.id));
  return Exit::kAccepted;
}

}  // namespace warpbook::commands
