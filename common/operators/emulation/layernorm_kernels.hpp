#pragma once
// For tests only: LayerNorm kernels, right ones and the mistakes people make, as float arithmetic on a row.
#include <span>

#include "common/inputs/element.hpp"
#include "common/operators/emulation/emulated_block.hpp"

namespace warpbook::operators::emulation {

enum class Method { kTwoPass, kWelford, kWelfordWeightedMeans, kTwoMoments };

enum class LayerNormMistake {
  kNone,
  kNMinus1,
  kEpsOutside,
  kNoEps,
  kOneWarp,       ///< the variance of the first warp only
  kPaddingLanes,  ///< idle lanes add (0 - mean)^2
  kBlockDim,      ///< divides by the block's size
  kTailDropped,   ///< vectors of four, and the rest forgotten
  kHalfOutput,
  kHalfMean,
  kNoClamp,
  kClampAfterEps,
  kSignFlipped,  ///< E[x]^2 - E[x^2]
  kChanNoWeight,
  kChanAddsMeans,
  kChanAverages,
  kChanNoDelta,
  kChanSwapped,
  kChanNoGuard,  ///< 0/0 where both parts are empty
};

inline float through_half(float x) {
  return static_cast<float>(inputs::decode(inputs::DType::kF16, inputs::encode(inputs::DType::kF16, x)));
}

/// Count, mean and sum of squared distances of a part of a row.
struct Moments {
  float n = 0, mean = 0, m2 = 0;
};

/// Chan, Golub and LeVeque's update of two parts, with its mistakes.
inline Moments merge(const Moments& a, const Moments& b, const Mode& mode, Method method, LayerNormMistake mistake) {
  const float n = a.n + b.n;
  if (n == 0 && mistake != LayerNormMistake::kChanNoGuard) return {};
  const float delta = b.mean - a.mean;
  float mean = mode.multiply_add(delta, b.n / n, a.mean);
  if (method == Method::kWelfordWeightedMeans) mean = mode.multiply_add(a.n, a.mean, b.n * b.mean) / n;
  float weight = a.n * b.n / n;
  if (mistake == LayerNormMistake::kChanAddsMeans) mean = a.mean + b.mean;
  if (mistake == LayerNormMistake::kChanAverages && a.n > 0 && b.n > 0) mean = (a.mean + b.mean) / 2;
  if (mistake == LayerNormMistake::kChanSwapped && a.n > 0 && b.n > 0) mean = mode.multiply_add(delta, a.n / n, a.mean);
  if (mistake == LayerNormMistake::kChanNoWeight) weight = 1;
  if (mistake == LayerNormMistake::kChanNoDelta) weight = 0;
  return {n, mean, mode.multiply_add(delta * delta, weight, a.m2 + b.m2)};
}

inline Moments welford(std::span<const float> x, const Mode& mode, Method method, LayerNormMistake mistake) {
  std::vector<Moments> partials(mode.threads);
  for (std::size_t i = 0; i < x.size(); ++i) {
    Moments& p = partials[i % mode.threads];
    p.n += 1;
    const float delta = x[i] - p.mean;
    p.mean += mode.divide(delta, p.n);
    p.m2 = mode.multiply_add(delta, x[i] - p.mean, p.m2);
  }
  const auto combine = [&](const Moments& a, const Moments& b) { return merge(a, b, mode, method, mistake); };
  return reduce_block(partials, Moments{}, combine);
}

/// One row of y.
inline void layernorm_row(std::span<const float> x, std::span<const float> gamma, std::span<const float> beta, float eps, const Mode& mode,
                          Method method, LayerNormMistake mistake, std::span<float> y) {
  using enum LayerNormMistake;
  const int cols = static_cast<int>(x.size());
  const int n = mistake == kTailDropped ? cols / 4 * 4 : cols;
  const auto count = static_cast<float>(mistake == kBlockDim ? mode.threads : cols);
  const int warps = mistake == kOneWarp ? 1 : kWarpSize;

  float mean = 0, variance = 0;
  if (method == Method::kWelford || method == Method::kWelfordWeightedMeans) {
    const Moments all = welford(x.first(n), mode, method, mistake);
    mean = all.mean;
    variance = mode.divide(all.m2, count);
  } else {
    mean = mode.divide(sum_block(mode, n, [&](float sum, int i) { return sum + x[i]; }), count);
    if (mistake == kHalfMean) mean = through_half(mean);
    if (method == Method::kTwoPass) {
      const int to = mistake == kPaddingLanes ? (n + mode.threads - 1) / mode.threads * mode.threads : n;
      const auto add = [&](float sum, int i) {
        const float distance = (i < n ? x[i] : 0.0f) - mean;
        return mode.multiply_add(distance, distance, sum);
      };
      const float m2 = sum_block(mode, to, add, warps);
      variance = mode.divide(m2, mistake == kNMinus1 ? count - 1 : count);
    } else {
      const float squares = sum_block(
          mode, n, [&](float sum, int i) { return mode.multiply_add(x[i], x[i], sum); }, warps);
      // squares * (1/n) - mean * mean has two products: of these the first is fused and the second rounded.
      const float inverse = 1.0f / count;
      if (mode.fused && mode.reciprocal) {
        variance = std::fma(squares, inverse, -(mean * mean));
      } else {
        variance = mode.multiply_add(-mean, mean, mode.divide(squares, count));
      }
      if (mistake == kNMinus1) variance *= count / (count - 1);
      if (mistake == kSignFlipped) variance = -variance;
      if (mistake != kNoClamp && mistake != kClampAfterEps) variance = std::fmax(variance, 0.0f);
    }
  }
  float scale = mode.rsqrt(variance + eps);
  if (mistake == kNoEps) scale = mode.rsqrt(variance);
  if (mistake == kEpsOutside) scale = 1.0f / (std::sqrt(variance) + eps);
  if (mistake == kClampAfterEps) scale = mode.rsqrt(std::fmax(variance + eps, 0.0f));
  for (int i = 0; i < cols; ++i) {
    y[i] = mode.multiply_add((x[i] - mean) * scale, gamma[i], beta[i]);
    if (mistake == kHalfOutput) y[i] = through_half(y[i]);
  }
  for (int i = n; i < cols; ++i) y[i] = std::numeric_limits<float>::quiet_NaN();  // nobody wrote it
}

}  // namespace warpbook::operators::emulation
