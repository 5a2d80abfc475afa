#pragma once
// Which hint a learner gets next, and which were shown: for `judge hint`, the key of `judge watch` and the page.
#include <string>
#include <vector>

#include "judge/store/store.hpp"
#include "judge/task/hint_choice.hpp"
#include "judge/task/task.hpp"

namespace warpbook::learner {

/// The blank named, or, when no name is given, the first with a new hint for the latest failure, then the first with hints left, then
/// the last. Null when the task has no such blank.
const task::Blank* blank_for_hint(const task::Task& task, const std::string& wanted, store::Store& store);

/// Records the blank's next hint as shown and returns it. Errors are the store's.
Result<task::ChosenHint> take_next_hint(const task::Task& task, const task::Blank& blank, store::Store& store);

/// A hint that was shown before, with its text; `text` is null when the manifest no longer has it.
struct PastHint {
  int level = 1, levels = 4;
  const task::Text* text = nullptr;
};

/// The hints of a blank that were shown, oldest first.
Result<std::vector<PastHint>> past_hints(const task::Task& task, const task::Blank& blank, store::Store& store);

/// From the second hint on a learner is told the name of the mistake that a failure looks like; before, only the question about it.
/// Open problems have no hints, and no such step.
bool tells_mistakes(const task::Task& task, store::Store& store);

}  // namespace warpbook::learner
