#pragma once
// For tests only: RMSNorm kernels, right ones and the mistakes people make, on a row of float, half or bfloat16.
#include <span>

#include "common/inputs/element.hpp"
#include "common/operators/emulation/emulated_block.hpp"

namespace warpbook::operators::emulation {

enum class RmsMistake {
  kNone,
  kEpsOutside,
  kNoEps,
  kBlockDim,       ///< divides by the block's size
  kNoMean,         ///< does not divide
  kWeightFirst,    ///< squares of x * weight
  kOneWarp,        ///< the sum of the first warp only
  kTailDropped,    ///< vectors of four, and the rest forgotten
  kSubtractsMean,  ///< LayerNorm's habit
  kHalfOutput,     ///< a float output on its way through half
  kNarrowSum,      ///< squares and sum in the type of x
  kNarrowSquare,   ///< squares in the type of x, their sum in float
  kNarrowProduct,  ///< x * scale rounded to the type, then times weight and rounded again
  kNarrowWeight,   ///< scale * weight rounded to the type first
  kTruncated,      ///< the lower bits of the float cut off
  kPairsOnly,      ///< two elements a load, the last of an odd row forgotten
};

/// A float on its way through a 16-bit type; kF32 leaves it as it is.
inline float through(inputs::DType type, float x) { return static_cast<float>(inputs::decode(type, inputs::encode(type, x))); }

/// Rounded towards zero.
inline float cut(inputs::DType type, float x) {
  const float rounded = through(type, x);
  if (std::fabs(rounded) <= std::fabs(x)) return rounded;
  return static_cast<float>(inputs::decode(type, inputs::encode(type, rounded) - 1));  // one step smaller in size
}

/// One row of y; `type` is that of x, weight and y, whose values are given as floats.
inline void rmsnorm_row(std::span<const float> x, std::span<const float> weight, float eps, inputs::DType type, const Mode& mode,
                        RmsMistake mistake, std::span<float> y) {
  using enum RmsMistake;
  const int cols = static_cast<int>(x.size());
  int n = cols;
  if (mistake == kTailDropped) n = cols / 4 * 4;
  if (mistake == kPairsOnly) n = cols / 2 * 2;
  const auto w = [&](int i) { return weight.empty() ? 1.0f : weight[i]; };
  const auto narrow = [&](float v) { return through(type, v); };
  const auto add = [&](float sum, int i) {
    const float v = mistake == kWeightFirst ? x[i] * w(i) : x[i];
    if (mistake == kNarrowSum) return narrow(sum + narrow(v * v));
    if (mistake == kNarrowSquare) return sum + narrow(v * v);
    return mode.multiply_add(v, v, sum);
  };
  float sum = sum_block(mode, n, add, mistake == kOneWarp ? 1 : kWarpSize);
  if (mistake == kNarrowSum) sum = narrow(sum);
  float mean = mode.divide(sum, static_cast<float>(mistake == kBlockDim ? mode.threads : cols));
  if (mistake == kNoMean) mean = sum;
  float scale = mode.rsqrt(mean + eps);
  if (mistake == kNoEps) scale = mode.rsqrt(mean);
  if (mistake == kEpsOutside) scale = 1.0f / (std::sqrt(mean) + eps);
  float centre = 0;
  if (mistake == kSubtractsMean) centre = sum_block(mode, n, [&](float s, int i) { return s + x[i]; }) / static_cast<float>(cols);
  for (int i = 0; i < n; ++i) {
    float v = (x[i] - centre) * scale * w(i);
    if (mistake == kNarrowProduct) v = narrow((x[i] * scale)) * w(i);
    if (mistake == kNarrowWeight) v = x[i] * narrow(scale * w(i));
    if (mistake == kHalfOutput) v = through(inputs::DType::kF16, v);
    y[i] = mistake == kTruncated ? cut(type, v) : narrow(v);
  }
  for (int i = n; i < cols; ++i) y[i] = std::numeric_limits<float>::quiet_NaN();  // nobody wrote it
}

}  // namespace warpbook::operators::emulation
