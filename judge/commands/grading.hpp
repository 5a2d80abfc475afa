#pragma once
// What the commands that grade share: their common words, and how these become grade::GradeOptions.
#include <cxxopts.hpp>
#include <optional>
#include <string>
#include <vector>

#include "judge/commands/command.hpp"
#include "judge/commands/progress.hpp"
#include "judge/grade/submission.hpp"
#include "judge/learner/random_seed.hpp"
#include "judge/run/process.hpp"
#include "judge/task/task.hpp"

namespace warpbook::commands {

/// cxxopts throws; commands do not. The error names the word that does not fit.
Result<cxxopts::ParseResult> parse(cxxopts::Options& words, const Arguments& arguments);
/// Prints the command's help.
Exit help(const cxxopts::Options& words);

/// --device, --seed, --jobs, --case.
class GradingWords {
 public:
  void declare(cxxopts::Options& words);
  /// Finds the toolkit and the device. `seed` is used when --seed is not given. Errors are reasons not to judge (exit 3).
  Result<grade::GradeOptions> options(const Context& context, const cxxopts::ParseResult& parsed, std::uint64_t seed) const;
};

/// --schedule: ascending, descending, or a number that shuffles. The error says so.
Result<vgpu::Schedule> schedule_of(const std::string& text);

/// What --device, --jobs and --schedule may be.
Status check_words(const cxxopts::ParseResult& parsed);
/// Every name of `names` is a case of `task`; the error lists what there is.
Status check_cases(const task::Task& task, const std::vector<std::string>& names);

/// A report that cannot be written is known before anything is judged: `option` names a file in a folder that is there, or is not given.
Status check_report_file(const cxxopts::ParseResult& parsed, const std::string& option);

/// What a command about one task begins with. Without a task the command ends there, with `exit`.
struct TaskCommand {
  std::optional<cxxopts::ParseResult> parsed;
  std::optional<task::Task> task;
  Exit exit = Exit::kAccepted;
};

/// Adds TASK and --help to `words`, parses, answers --help, finds the task. `name` is the command's, for its messages.
TaskCommand begin_task_command(const Context& context, const std::string& name, cxxopts::Options& words, const Arguments& arguments);

/// One task by id or unambiguous part of it.
Result<task::Task> find_task(const Context& context, const std::string& name);
/// Several; all tasks when `names` is empty.
Result<std::vector<task::Task>> find_tasks(const Context& context, const std::vector<std::string>& names);

}  // namespace warpbook::commands
