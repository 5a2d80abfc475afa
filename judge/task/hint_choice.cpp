#include "judge/task/hint_choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace warpbook::task {
namespace {

bool was_seen(const HintState& state, int level, const std::string& tags) {
  return std::any_of(state.seen.begin(), state.seen.end(), [&](const SeenHint& s) { return s.level == level && s.tags == tags; });
}

/// The hint of a level for the first of the labels that has one: a case's tag says more than a reason, and a reason more than a verdict.
const TaggedHint* fitting(const Blank& blank, int level, const std::vector<std::string>& failure) {
  for (const std::string& label : failure)
    for (const TaggedHint& hint : blank.tagged)
      if (hint.level == level && std::find(hint.tags.begin(), hint.tags.end(), label) != hint.tags.end()) return &hint;
  return nullptr;
}

ChosenHint hint_of_level(const Blank& blank, const HintState& state, int level) {
  ChosenHint chosen;
  chosen.level = level;
  chosen.levels = static_cast<int>(blank.hints.size());
  chosen.text = &blank.hints[static_cast<std::size_t>(level) - 1];
  if (const TaggedHint* hint = fitting(blank, level, state.failure)) {
    chosen.tags = joined_tags(*hint);
    chosen.text = &hint->text;
    chosen.fits = true;
  }
  chosen.fresh = !was_seen(state, level, chosen.tags);
  return chosen;
}

}  // namespace

std::string joined_tags(const TaggedHint& hint) { return fmt::format("{}", fmt::join(hint.tags, ", ")); }

ChosenHint next_hint(const Blank& blank, const HintState& state) {
  const int last = static_cast<int>(blank.hints.size());
  int seen = 0;
  for (const SeenHint& s : state.seen) seen = std::max(seen, s.level);
  const int farthest = seen == 0 ? last : std::min(seen + 1, last);
  for (int level = 1; level <= farthest; ++level) {
    ChosenHint chosen = hint_of_level(blank, state, level);
    if (chosen.fits && chosen.fresh) return chosen;
  }
  return hint_of_level(blank, state, std::min(seen + 1, last));
}

}  // namespace warpbook::task
