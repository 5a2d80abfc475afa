#include "judge/commands/hint_text.hpp"

#include <fmt/format.h>

#include "judge/learner/next_hint.hpp"

namespace warpbook::commands {

Result<std::string> next_hint_text(const Context& context, const task::Task& task, const task::Blank& blank, store::Store& store) {
  const Result<task::ChosenHint> taken = learner::take_next_hint(task, blank, store);
  if (!taken) return taken.error();
  const task::ChosenHint& hint = *taken;
  std::string text = fmt::format("{} blank {}, hint {} of {}{}\n\n", context.out.paint(report::Ink::kBold, task.id), blank.name, hint.level,
                                 hint.levels, hint.fits ? ", for what your latest attempt showed" : "");
  text += report::wrap(hint.text->in(context.language), context.out.width, 2) + "\n";
  if (hint.level == hint.levels) text += fmt::format("\nThis was the last hint; the reference is open now: judge solution {}\n", task.id);
  return text;
}

}  // namespace warpbook::commands
