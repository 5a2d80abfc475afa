#pragma once
// For tests only: cross-entropy kernels, right ones and the mistakes people make, as float arithmetic on a row.
#include <span>

#include "common/operators/emulation/softmax_kernels.hpp"

namespace warpbook::operators::emulation {

enum class CrossEntropyMethod {
  kQuotient,    ///< the gradient from exp(x - m) / d
  kFromLogs,    ///< the gradient from exp((x - m) - log d)
  kOnlineLog2,  ///< maximum and sum in one pass, the log as log2 times log 2
};

enum class CrossEntropyMistake {
  kNone,
  kLogOfProbability,  ///< -log(exp(x - m) / d)
  kAddsLogToMax,      ///< (m + log d) - x
  kNoMax,
  kIgnoredCounts,  ///< -100 treated as target 0
  kNoOne,          ///< gradient without - 1 at the target
  kSignFlipped,
  kNoScale,
  kScaleInLoss,
  kOneWarpSum,
  kLogBase2,
  kLabelFromRowZero,  ///< targets[0] for every row
};

struct LossAndGradient {
  float loss = 0;
  std::vector<float> gradient;
};

/// One row; `first_target` is what row 0 has.
inline LossAndGradient cross_entropy_row(std::span<const float> x, int target, int first_target, float scale, const Mode& mode,
                                         CrossEntropyMethod method, CrossEntropyMistake mistake) {
  using enum CrossEntropyMistake;
  LossAndGradient out{0, std::vector<float>(x.size())};
  if (mistake == kLabelFromRowZero) target = first_target;
  if (target == -100 && mistake != kIgnoredCounts) return out;
  if (target == -100) target = 0;
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  if (target < 0 || target >= static_cast<int>(x.size())) return {kNan, std::vector<float>(x.size(), kNan)};

  SoftmaxMistake part_mistake = SoftmaxMistake::kNone;
  if (mistake == kNoMax) part_mistake = SoftmaxMistake::kNoMax;
  if (mistake == kOneWarpSum) part_mistake = SoftmaxMistake::kOneWarpSum;
  const bool online = method == CrossEntropyMethod::kOnlineLog2;
  const MaxSum all = online ? one_pass(x, mode, part_mistake) : two_passes(x, mode, SoftmaxMethod::kThreePass, part_mistake);
  const float log2_d = static_cast<float>(std::log2(static_cast<double>(all.d)));
  float log_d = online ? log2_d * 0.693147182f : static_cast<float>(std::log(static_cast<double>(all.d)));
  if (mistake == kLogBase2) log_d = log2_d;

  out.loss = (all.m - x[target]) + log_d;
  if (mistake == kAddsLogToMax) out.loss = (all.m + log_d) - x[target];
  if (mistake == kLogOfProbability) {
    out.loss = -static_cast<float>(std::log(static_cast<double>(mode.divide(mode.exp(x[target] - all.m), all.d))));
  }
  if (mistake == kScaleInLoss) out.loss *= scale;
  for (int i = 0; i < static_cast<int>(x.size()); ++i) {
    const float y = method == CrossEntropyMethod::kFromLogs ? mode.exp((x[i] - all.m) - log_d) : mode.divide(mode.exp(x[i] - all.m), all.d);
    float g = i == target && mistake != kNoOne ? y - 1.0f : y;
    if (mistake == kSignFlipped) g = -g;
    out.gradient[i] = mistake == kNoScale ? g : g * scale;
  }
  return out;
}

}  // namespace warpbook::operators::emulation
