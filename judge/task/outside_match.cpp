#include "judge/task/outside_match.hpp"

#include <algorithm>
#include <set>

#include "judge/task/blank_rules.hpp"

namespace warpbook::task {
namespace {

/// Beyond this many tokens between two blanks the search for the second ends; it bounds the time a hostile file can cost.
constexpr std::size_t kLongestFill = 2000;
/// Tokens looked at, over all tries, before the search settles for a split that is no pair of expressions (and is then refused).
constexpr std::size_t kMostLooks = 20'000'000;

using Range = std::pair<std::size_t, std::size_t>;  ///< indices of tokens, half-open

/// The fixed stretches between the underscore blanks of the exercise.
std::vector<Range> fixed_stretches(const std::vector<Token>& exercise) {
  std::vector<Range> stretches;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < exercise.size(); ++i) {
    if (!is_underscore_blank(exercise[i])) continue;
    stretches.emplace_back(begin, i);
    begin = i + 1;
  }
  stretches.emplace_back(begin, exercise.size());
  return stretches;
}

class Matcher {
 public:
  Matcher(const std::vector<Token>& exercise, const std::vector<Token>& learner)
      : exercise_(exercise), learner_(learner), stretches_(fixed_stretches(exercise)) {}

  OutsideMatch run() {
    OutsideMatch match;
    const Range head = stretches_.front(), tail = stretches_.back();
    const std::size_t head_length = head.second - head.first, tail_length = tail.second - tail.first;
    if (stretches_.size() == 1) {
      match.same = exercise_ == learner_;
      if (!match.same) match.first_difference = difference(0, 0);
      return match;
    }
    if (!stands_at(head, 0)) {
      match.first_difference = difference(0, 0);
      return match;
    }
    if (learner_.size() < head_length + tail_length || !stands_at(tail, learner_.size() - tail_length)) {
      match.first_difference = difference_from_end();
      return match;
    }
    end_ = learner_.size() - tail_length;
    for (const bool only_expressions : {true, false}) {
      fills_.clear();
      failed_.clear();
      if (!place(1, head_length, only_expressions)) continue;
      match.same = true;
      for (const Range& fill : fills_) match.fills.push_back(bytes_of(fill));
      return match;
    }
    match.first_difference = offset_of(head_length);
    return match;
  }

 private:
  bool stands_at(Range stretch, std::size_t at) const {
    const std::size_t length = stretch.second - stretch.first;
    if (at + length > learner_.size()) return false;
    return std::equal(exercise_.begin() + static_cast<std::ptrdiff_t>(stretch.first),
                      exercise_.begin() + static_cast<std::ptrdiff_t>(stretch.second), learner_.begin() + static_cast<std::ptrdiff_t>(at));
  }

  /// Fills blank `index` - 1 from token `at` on, then the stretch behind it, then the rest.
  bool place(std::size_t index, std::size_t at, bool only_expressions) {
    const auto is_good = [&](std::size_t end) {
      if (!only_expressions) return true;
      looks_ += end - at;
      return looks_ <= kMostLooks && is_expression(learner_.data() + at, learner_.data() + end);
    };
    if (index + 1 == stretches_.size()) {
      if (!is_good(end_)) return false;
      fills_.emplace_back(at, end_);
      return true;
    }
    if (failed_.count({index, at}) > 0) return false;
    const Range stretch = stretches_[index];
    const std::size_t length = stretch.second - stretch.first;
    for (std::size_t end = at; end + length <= end_ && end - at <= kLongestFill; ++end) {
      if (!stands_at(stretch, end) || !is_good(end)) continue;
      fills_.emplace_back(at, end);
      if (place(index + 1, end + length, only_expressions)) return true;
      fills_.pop_back();
    }
    failed_.insert({index, at});
    return false;
  }

  std::size_t offset_of(std::size_t token) const {
    if (token < learner_.size()) return learner_[token].begin;
    return learner_.empty() ? 0 : learner_.back().end;
  }

  Range bytes_of(Range fill) const {
    if (fill.first < fill.second) return {learner_[fill.first].begin, learner_[fill.second - 1].end};
    return {offset_of(fill.first), offset_of(fill.first)};
  }

  std::size_t difference(std::size_t exercise_at, std::size_t learner_at) const {
    while (exercise_at < exercise_.size() && learner_at < learner_.size() && exercise_[exercise_at] == learner_[learner_at])
      ++exercise_at, ++learner_at;
    return offset_of(learner_at);
  }

  std::size_t difference_from_end() const {
    std::size_t same = 0;
    while (same < exercise_.size() && same < learner_.size() &&
           exercise_[exercise_.size() - 1 - same] == learner_[learner_.size() - 1 - same])
      ++same;
    return same < learner_.size() ? offset_of(learner_.size() - 1 - same) : 0;
  }

  const std::vector<Token>& exercise_;
  const std::vector<Token>& learner_;
  std::vector<Range> stretches_;
  std::size_t end_ = 0, looks_ = 0;
  std::vector<Range> fills_;
  std::set<std::pair<std::size_t, std::size_t>> failed_;
};

}  // namespace

OutsideMatch match_outside(const std::vector<Token>& exercise, const std::vector<Token>& learner) {
  return Matcher(exercise, learner).run();
}

}  // namespace warpbook::task
