#pragma once
// For tests only: softmax kernels, right ones and the mistakes people make, as float arithmetic on a row.
#include <span>

#include "common/operators/emulation/emulated_block.hpp"

namespace warpbook::operators::emulation {

enum class SoftmaxMethod {
  kThreePass,  ///< maximum, sum, quotient
  kOnline,     ///< maximum and sum in one pass, merged in pairs
  kSplit,      ///< the row in chunks, their maxima and sums merged
  kFolded,     ///< three passes, exp2(x l - m l) in one fused operation
};

enum class SoftmaxMistake {
  kNone,
  kNoMax,
  kMaxFromZero,
  kMaxFromMinus5e4,
  kMaxFromMinus1e10,
  kOneWarpMax,
  kOneWarpSum,
  kTailDropped,
  kGapsZero,  ///< idle lanes bring 0 in place of -inf
  kNoMaskedRow,
  kNoRescale,
  kInverseRescale,
  kMergeAdds,
  kMergeInverse,
  kMergeInfMinusInf,
  kUpdateInfMinusInf,
  kSplitAdds,
  kSplitInfMinusInf,
};

/// Maximum and sum of exp(x - maximum) of a part of a row.
struct MaxSum {
  float m = -kInf, d = 0;
};

/// Two parts become one; `guarded` is what keeps (-inf) - (-inf) out.
inline MaxSum merge(const MaxSum& a, const MaxSum& b, const Mode& mode, bool adds, bool inverse, bool guarded) {
  const float m = std::fmax(a.m, b.m);
  if (guarded && m == -kInf) return {};
  if (adds) return {m, a.d + b.d};
  const auto scaled = [&](const MaxSum& part) {
    return part.d == 0 && guarded ? 0.0f : part.d * mode.exp(inverse ? m - part.m : part.m - m);
  };
  return {m, scaled(a) + scaled(b)};
}

/// Maximum and sum of a part of a row, two passes.
inline MaxSum two_passes(std::span<const float> x, const Mode& mode, SoftmaxMethod method, SoftmaxMistake mistake) {
  using enum SoftmaxMistake;
  const int n = static_cast<int>(x.size());
  float start = -kInf;
  if (mistake == kMaxFromZero) start = 0;
  if (mistake == kMaxFromMinus5e4) start = -5e4f;
  if (mistake == kMaxFromMinus1e10) start = -1e10f;
  std::vector<float> maxima(mode.threads, start);
  // A row held in registers: each thread has the same number of elements, and what lies beyond the row is a gap.
  const int slots = mistake == kGapsZero ? (n + mode.threads - 1) / mode.threads * mode.threads : n;
  const auto element = [&](int i) { return i < n ? x[i] : 0.0f; };
  for (int i = 0; i < slots; ++i) maxima[i % mode.threads] = std::fmax(maxima[i % mode.threads], element(i));
  float m = reduce_block(
      maxima, start, [](float a, float b) { return std::fmax(a, b); }, mistake == kOneWarpMax ? 1 : kWarpSize);
  if (mistake == kNoMax) m = 0;
  const auto add = [&](float sum, int i) {
    if (method != SoftmaxMethod::kFolded) return sum + mode.exp(element(i) - m);
    return sum + mode.exp2(std::fma(element(i), Mode::kLog2E, -(m * Mode::kLog2E)));
  };
  if (m == -kInf && mistake != kSplitInfMinusInf && mistake != kNoMaskedRow) return {};
  return {m, sum_block(mode, slots, add, mistake == kOneWarpSum ? 1 : kWarpSize)};
}

/// Maximum and sum in one pass: each thread over its elements, then the threads merged.
inline MaxSum one_pass(std::span<const float> x, const Mode& mode, SoftmaxMistake mistake) {
  using enum SoftmaxMistake;
  std::vector<MaxSum> partials(mode.threads);
  for (std::size_t i = 0; i < x.size(); ++i) {
    MaxSum& p = partials[i % mode.threads];
    const float m = std::fmax(p.m, x[i]);
    if (m == -kInf && mistake != kUpdateInfMinusInf) continue;
    float rescale = mode.exp(p.m - m);
    if (mistake == kNoRescale) rescale = 1;
    if (mistake == kInverseRescale) rescale = p.d == 0 ? 0 : mode.exp(m - p.m);
    p = {m, mode.multiply_add(p.d, rescale, mode.exp(x[i] - m))};
  }
  const auto combine = [&](const MaxSum& a, const MaxSum& b) {
    return merge(a, b, mode, mistake == kMergeAdds, mistake == kMergeInverse, mistake != kMergeInfMinusInf);
  };
  return reduce_block(partials, MaxSum{}, combine);
}

/// The row in chunks, as several blocks take it, and their parts merged in order.
inline MaxSum in_chunks(std::span<const float> x, const Mode& mode, SoftmaxMistake mistake) {
  constexpr std::size_t kChunks = 4;
  const std::size_t length = (x.size() + kChunks - 1) / kChunks;
  MaxSum all;
  for (std::size_t from = 0; from < x.size(); from += length) {
    const MaxSum part = two_passes(x.subspan(from, std::min(length, x.size() - from)), mode, SoftmaxMethod::kThreePass, mistake);
    all = from == 0 ? part
                    : merge(all, part, mode, mistake == SoftmaxMistake::kSplitAdds, false, mistake != SoftmaxMistake::kSplitInfMinusInf);
  }
  return all;
}

/// One row of y.
inline void softmax_row(std::span<const float> x, const Mode& mode, SoftmaxMethod method, SoftmaxMistake mistake, std::span<float> y) {
  const std::size_t n = mistake == SoftmaxMistake::kTailDropped ? x.size() / 4 * 4 : x.size();
  MaxSum all;
  switch (method) {
    case SoftmaxMethod::kOnline: all = one_pass(x.first(n), mode, mistake); break;
    case SoftmaxMethod::kSplit: all = in_chunks(x.first(n), mode, mistake); break;
    default: all = two_passes(x.first(n), mode, method, mistake);
  }
  const bool guarded = mistake == SoftmaxMistake::kNone || mistake >= SoftmaxMistake::kOneWarpMax;
  const bool masked = all.m == -kInf && guarded && mistake != SoftmaxMistake::kNoMaskedRow;
  for (std::size_t i = 0; i < n; ++i) {
    const float e =
        method == SoftmaxMethod::kFolded ? mode.exp2(std::fma(x[i], Mode::kLog2E, -(all.m * Mode::kLog2E))) : mode.exp(x[i] - all.m);
    y[i] = masked ? 0.0f : mode.divide(e, all.d);
  }
  for (std::size_t i = n; i < x.size(); ++i) y[i] = std::numeric_limits<float>::quiet_NaN();  // nobody wrote it
}

}  // namespace warpbook::operators::emulation
