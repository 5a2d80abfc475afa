#pragma once
// Which hint comes next. A learner with a failure in hand is helped by the hint written for that failure; who has only begun, by the
// first of the general ones. The choice is made from what is on record alone, so that asking is all a learner has to do.
#include <string>
#include <vector>

#include "judge/task/task.hpp"

namespace warpbook::task {

/// A hint that was shown before.
struct SeenHint {
  int level = 0;
  std::string tags;  ///< as joined_tags() of its hint; empty: the general one
};

/// What is known of a learner at a blank.
struct HintState {
  std::vector<std::string>
      failure;                 ///< of the latest attempt: tags of its failed cases, then reasons and verdicts; empty: none, or all is well
  std::vector<SeenHint> seen;  ///< at this blank
};

struct ChosenHint {
  int level = 1, levels = 4;
  std::string tags;  ///< empty: the general hint of the level
  const Text* text = nullptr;
  bool fits = false;  ///< it was written for the failure seen
  bool fresh = true;  ///< not shown before
};

/// First a hint for this failure that was not shown yet, of the lowest level, up to one level beyond what was seen (any level when
/// nothing was seen: the level shown first fits the failure). Otherwise the next level, tagged where one fits; after the last level
/// the last again. The blank must have hints.
ChosenHint next_hint(const Blank& blank, const HintState& state);

/// "clamp, eps"
std::string joined_tags(const TaggedHint& hint);

}  // namespace warpbook::task
