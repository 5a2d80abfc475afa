#pragma once
// The generator behind question variants: the same on every machine and in every version, because a sheet that a learner wrote
// down yesterday is graded today.
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace warpbook::task {

/// splitmix64 (Steele, Lea, Flood 2014): one 64-bit state, any seed is good.
class VariantSeed {
 public:
  /// The stream of one question for one learner.
  VariantSeed(std::string_view task_id, std::string_view question_id, std::uint64_t learner_seed);
  std::uint64_t next();
  /// A whole number in [0, count), count > 0; the bias of the modulus is below 2^-50 for the counts of questions.
  std::uint64_t below(std::uint64_t count) { return next() % count; }

 private:
  std::uint64_t state_;
};

/// Fisher-Yates with that generator.
template <class T>
void shuffle(std::vector<T>& items, VariantSeed& seed) {
  for (std::size_t left = items.size(); left > 1; --left) std::swap(items[left - 1], items[seed.below(left)]);
}

}  // namespace warpbook::task
