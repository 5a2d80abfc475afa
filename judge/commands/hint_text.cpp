#include "judge/commands/hint_text.hpp"

#include <fmt/format.h>

#include "judge/commands/latest_failure.hpp"
#include "judge/task/hint_choice.hpp"

namespace warpbook::commands {
namespace {

Result<task::HintState> hint_state(const task::Task& task, const task::Blank& blank, store::Store& store) {
  task::HintState state;
  state.failure = latest_failure(store, task.id);
  const auto shown = store.hints_shown(task.id, blank.name);
  if (!shown) return shown.error();
  for (const store::ShownHint& hint : *shown) state.seen.push_back({hint.level, hint.tags});
  return state;
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

Result<std::string> next_hint_text(const Context& context, const task::Task& task, const task::Blank& blank, store::Store& store) {
  const Result<task::HintState> state = hint_state(task, blank, store);
  if (!state) return state.error();
  const task::ChosenHint hint = task::next_hint(blank, *state);
  if (Status ok = store.record_hint({task.id, blank.name, hint.level, hint.tags}); !ok) return std::move(ok).error();
  std::string text = fmt::format("{} blank {}, hint {} of {}{}\n\n", context.out.paint(report::Ink::kBold, task.id), blank.name, hint.level,
                                 hint.levels, hint.fits ? ", for what your latest attempt showed" : "");
  text += report::wrap(hint.text->in(context.language), context.out.width, 2) + "\n";
  if (hint.level == hint.levels) text += fmt::format("\nThis was the last hint; the reference is open now: judge solution {}\n", task.id);
  return text;
}

}  // namespace warpbook::commands
