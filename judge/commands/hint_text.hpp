#pragma once
// A hint put into words for the terminal: for `judge hint` and for the key of `judge watch`.
#include <string>

#include "judge/commands/command.hpp"
#include "judge/store/store.hpp"
#include "judge/task/task.hpp"

namespace warpbook::commands {

/// Records the blank's next hint as shown and returns it, ready to print. Errors are the store's.
Result<std::string> next_hint_text(const Context& context, const task::Task& task, const task::Blank& blank, store::Store& store);

}  // namespace warpbook::commands
