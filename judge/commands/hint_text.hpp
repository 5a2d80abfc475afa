#pragma once
// The next hint of a task, chosen, recorded and put into words: for `judge hint` and for the key of `judge watch`.
#include <string>

#include "judge/commands/command.hpp"
#include "judge/store/store.hpp"
#include "judge/task/task.hpp"

namespace warpbook::commands {

/// The blank named, or, when no name is given, the first with a new hint for the latest failure, then the first with hints left, then
/// the last. Null when the task has no such blank.
const task::Blank* blank_for_hint(const task::Task& task, const std::string& wanted, store::Store& store);

/// Records the blank's next hint as shown and returns it, ready to print. Errors are the store's.
Result<std::string> next_hint_text(const Context& context, const task::Task& task, const task::Blank& blank, store::Store& store);

}  // namespace warpbook::commands
