// judge lint: advice for authors. The gate is `judge verify`; this says what a reader would miss.
#include "judge/lint/lint.hpp"

#include <fmt/format.h>

#include <cxxopts.hpp>

#include "judge/commands/command.hpp"
#include "judge/commands/grading.hpp"
#include "judge/learner/work_folder.hpp"

namespace warpbook::commands {
Exit lint(const Context& context, const Arguments& arguments) {
  cxxopts::Options words("judge lint", "Says what is weak in a lesson or problem; without TASK, in all.");
  words.add_options()("strict", "exit 1 when anything is weak")("network", "try http links, too")("help", "this text")(
      "tasks", "", cxxopts::value<std::vector<std::string>>());
  words.parse_positional({"tasks"});
  words.positional_help("[TASK...]");
  const Result<cxxopts::ParseResult> parsed = parse(words, arguments);
  if (!parsed) return usage(parsed.error());
  if (parsed->count("help") > 0) return help(words);
  const auto names = parsed->count("tasks") > 0 ? (*parsed)["tasks"].as<std::vector<std::string>>() : std::vector<std::string>{};
  const Result<std::vector<task::Task>> tasks = find_tasks(context, names);
  if (!tasks) return usage(tasks.error());
  std::size_t weak = 0;
  for (const task::Task& task : *tasks) {
    const auto notes = lint::lint(task, {context.root, parsed->count("network") > 0});
    weak += notes.size();
    say(fmt::format("{} {}\n", context.out.paint(report::Ink::kBold, task.id), notes.empty() ? "nothing is weak" : ""));
    for (const lint::Note& note : notes) say(fmt::format("  {}\n", lint::line_of(note, shown_path(context, note.where.file))));
  }
  say(fmt::format("{} note{} on {} task{}\n", weak, weak == 1 ? "" : "s", tasks->size(), tasks->size() == 1 ? "" : "s"));
  return weak > 0 && parsed->count("strict") > 0 ? Exit::kNotAccepted : Exit::kAccepted;
}

}  // namespace warpbook::commands
