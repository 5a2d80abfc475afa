#pragma once
// Compares what stands outside the blanks, and finds what replaced the underscores.
#include <utility>
#include <vector>

#include "judge/task/cuda_lexer.hpp"

namespace warpbook::task {

/// Result of comparing one outside part. Offsets are those of the learner's tokens.
struct OutsideMatch {
  bool same = false;
  std::vector<std::pair<std::size_t, std::size_t>> fills;  ///< byte range of each underscore blank's replacement
  std::size_t first_difference = 0;                        ///< when not the same
};

/// Matches the exercise's tokens, underscore blanks among them, with the learner's. Between two blanks the replacement that is an
/// expression and ends first wins: `f(______, ______)` met by `f(min(a, b), c)` is min(a, b) and c.
OutsideMatch match_outside(const std::vector<Token>& exercise, const std::vector<Token>& learner);

}  // namespace warpbook::task
