#pragma once
// For tests only: samplers, right ones and the mistakes people make, as float arithmetic on a row.
#include <algorithm>
#include <span>

#include "common/operators/emulation/emulated_block.hpp"

namespace warpbook::operators::emulation {

enum class SamplingMethod {
  kChain,   ///< the next best token again and again, running sums in one thread
  kSorted,  ///< all of the row sorted, sums from the smallest end
  kSearch,  ///< no order at all: sums above a threshold, the threshold halved towards the answer
};

enum class SamplingMistake {
  kNone,
  kTieHigherIndex,  ///< >= where > is meant
  kTieStrided,      ///< the lower lane wins a tie, whatever its index
  kNanWins,         ///< !(x <= best) in place of x > best
  kNoneIsZero,      ///< an empty row gives token 0
  kKNotClamped,     ///< draws on beyond the last candidate
  kPKeepsBelow,     ///< drops the token that reaches p
  kPOfWholeRow,     ///< p of the whole row's sum in place of the candidates'
  kPOneRounds,      ///< no special case: p = 1 stops where the float sum no longer grows
  kUOfTotal,        ///< u times the candidates' sum in place of the kept ones'
  kExpWithoutMax,
};

struct Sample {
  int token = -1, kept = 0;
};

inline std::vector<int> ordered(std::span<const float> x, SamplingMistake mistake) {
  using enum SamplingMistake;
  std::vector<int> order;
  for (int i = 0; i < static_cast<int>(x.size()); ++i) {
    if ((mistake == kNanWins || !std::isnan(x[i])) && x[i] != -kInf) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    if (mistake == kNanWins && std::isnan(x[a]) != std::isnan(x[b])) return std::isnan(x[a]);
    if (x[a] != x[b]) return x[a] > x[b];
    if (mistake == kTieHigherIndex) return a > b;
    if (mistake == kTieStrided && a % 256 != b % 256) return a % 256 < b % 256;
    return a < b;
  });
  return order;
}

/// The shortest beginning of `order` whose sum is at least (or, with `above`, above) `target`, found from the values alone: the sums
/// over all logits above a threshold are floats of another order than a chain's.
inline int search(std::span<const float> x, const std::vector<int>& order, int n, float m, float target, bool above, const Mode& mode) {
  int low = 0, high = n;
  while (low + 1 < high) {
    const int middle = (low + high) / 2;
    std::vector<bool> inside(x.size(), false);
    for (int i = 0; i < middle; ++i) inside[order[i]] = true;
    const float sum = sum_block(mode, static_cast<int>(x.size()), [&](float s, int i) { return inside[i] ? s + mode.exp(x[i] - m) : s; });
    (above ? sum > target : sum >= target) ? high = middle : low = middle;
  }
  return high;
}

inline Sample sample_row(std::span<const float> x, int k, float p, float u, const Mode& mode, SamplingMethod method,
                         SamplingMistake mistake) {
  using enum SamplingMistake;
  const std::vector<int> order = ordered(x, mistake);
  if (order.empty()) return {mistake == kNoneIsZero ? 0 : -1, 0};
  const int there = static_cast<int>(order.size());
  if (mistake == kKNotClamped && k > there) return {-1, k};
  const int n = std::min(k, there);
  const float m = mistake == kExpWithoutMax ? 0.0f : x[order[0]];
  const auto weight = [&](int i) { return mode.exp(x[order[i]] - m); };

  if (method == SamplingMethod::kSearch) {
    std::vector<bool> inside(x.size(), false);
    for (int i = 0; i < n; ++i) inside[order[i]] = true;
    const auto sum_of = [&](int count) {
      std::vector<bool> in(x.size(), false);
      for (int i = 0; i < count; ++i) in[order[i]] = true;
      return sum_block(mode, static_cast<int>(x.size()), [&](float s, int i) { return in[i] ? s + mode.exp(x[i] - m) : s; });
    };
    const int kept = p >= 1 ? n : search(x, order, n, m, p * sum_of(n), false, mode);
    return {order[search(x, order, kept, m, u * sum_of(kept), true, mode) - 1], kept};
  }

  float total = 0, whole = 0;
  if (method == SamplingMethod::kSorted) {
    for (int i = n - 1; i >= 0; --i) total += weight(i);
  } else {
    for (int i = 0; i < n; ++i) total += weight(i);
  }
  for (int i = 0; i < there; ++i) whole += weight(i);
  const float wanted = p * (mistake == kPOfWholeRow ? whole : total);
  int kept = 0;
  float mass = 0;
  while (kept < n) {
    mass += weight(kept++);
    if (p >= 1 && mistake != kPOneRounds) continue;
    if (mass >= wanted) break;
  }
  if (mistake == kPKeepsBelow && kept > 0 && p < 1) mass -= weight(--kept);
  const float target = u * (mistake == kUOfTotal ? total : mass);
  float running = 0;
  for (int i = 0; i < kept; ++i) {
    running += weight(i);
    if (running > target) return {order[i], kept};
  }
  return {kept > 0 ? order[kept - 1] : -1, kept};
}

}  // namespace warpbook::operators::emulation
