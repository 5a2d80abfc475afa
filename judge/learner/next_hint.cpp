#include "judge/learner/next_hint.hpp"

#include <algorithm>

#include "judge/learner/latest_failure.hpp"

namespace warpbook::learner {
namespace {

Result<task::HintState> hint_state(const task::Task& task, const task::Blank& blank, store::Store& store) {
  task::HintState state;
  state.failure = latest_failure(store, task.id);
  const auto shown = store.hints_shown(task.id, blank.name);
  if (!shown) return shown.error();
  for (const store::ShownHint& hint : *shown) state.seen.push_back({hint.level, hint.tags});
  return state;
}

const task::Text* text_of(const task::Blank& blank, const store::ShownHint& hint) {
  if (hint.tags.empty()) {
    const auto index = static_cast<std::size_t>(hint.level) - 1;
    return hint.level >= 1 && index < blank.hints.size() ? &blank.hints[index] : nullptr;
  }
  for (const task::TaggedHint& tagged : blank.tagged)
    if (tagged.level == hint.level && task::joined_tags(tagged) == hint.tags) return &tagged.text;
  return nullptr;
}

}  // namespace

const task::Blank* blank_for_hint(const task::Task& task, const std::string& wanted, store::Store& store) {
  const task::Blank* with_hints_left = nullptr;
  for (const task::Blank& blank : task.blanks) {
    if (!wanted.empty() && blank.name == wanted) return &blank;
    if (!wanted.empty()) continue;
    const Result<task::HintState> state = hint_state(task, blank, store);
    if (!state) return &blank;  // whoever records the hint meets the error again and says it
    const task::ChosenHint next = task::next_hint(blank, *state);
    if (next.fits && next.fresh) return &blank;
    if (with_hints_left == nullptr && next.fresh) with_hints_left = &blank;
  }
  if (!wanted.empty() || task.blanks.empty()) return nullptr;
  return with_hints_left != nullptr ? with_hints_left : &task.blanks.back();
}

Result<task::ChosenHint> take_next_hint(const task::Task& task, const task::Blank& blank, store::Store& store) {
  const Result<task::HintState> state = hint_state(task, blank, store);
  if (!state) return state.error();
  const task::ChosenHint hint = task::next_hint(blank, *state);
  if (Status ok = store.record_hint({task.id, blank.name, hint.level, hint.tags}); !ok) return std::move(ok).error();
  return hint;
}

Result<std::vector<PastHint>> past_hints(const task::Task& task, const task::Blank& blank, store::Store& store) {
  const auto shown = store.hints_shown(task.id, blank.name);
  if (!shown) return shown.error();
  std::vector<PastHint> past;
  for (const store::ShownHint& hint : *shown) past.push_back({hint.level, static_cast<int>(blank.hints.size()), text_of(blank, hint)});
  return past;
}

bool tells_mistakes(const task::Task& task, store::Store& store) {
  constexpr int kNamedFrom = 2;
  if (task.blanks.empty()) return true;
  return std::any_of(task.blanks.begin(), task.blanks.end(), [&](const task::Blank& b) {
    const Result<int> level = store.hint_level(task.id, b.name);
    return level && *level >= kNamedFrom;
  });
}

}  // namespace warpbook::learner
