#pragma once
// For tests only: float kernels as a GPU computes them, on the host. What decides their last digits is emulated: the order of
// a sum (strided partial sums, a butterfly in each warp, a butterfly over the warps), whether a product is fused into the
// addition that uses it (nvcc and the assembler fuse wherever they may), mean by division or by a reciprocal, and
// approximate functions that err by up to 2 ulp. A bound is right when right kernels stay below it in all of these modes and
// wrong ones do not.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace warpbook::operators::emulation {

inline constexpr int kWarpSize = 32;
inline constexpr float kInf = std::numeric_limits<float>::infinity();

/// One way in which the same source may be computed.
struct Mode {
  int threads = 256;
  bool fused = true;
  bool reciprocal = false;  ///< multiply by 1/n in place of dividing by n
  int ulps = 0;             ///< by which rsqrt and exp are off
  bool fast_exp = false;    ///< exp as exp2 of a rounded product (__expf)

  float multiply_add(float a, float b, float c) const { return fused ? std::fma(a, b, c) : a * b + c; }
  float divide(float a, float b) const { return reciprocal ? a * (1.0f / b) : a / b; }
  float rsqrt(float x) const { return moved(static_cast<float>(1.0 / std::sqrt(static_cast<double>(x)))); }
  float exp2(float x) const { return moved(static_cast<float>(std::exp2(static_cast<double>(x)))); }
  float exp(float x) const { return fast_exp ? exp2(x * kLog2E) : moved(static_cast<float>(std::exp(static_cast<double>(x)))); }

  static constexpr float kLog2E = 1.44269504f;

 private:
  float moved(float x) const {
    if (!std::isfinite(x) || x == 0 || x == 1) return x;  // exp(0) and rsqrt(1) are exact on the device
    for (int i = 0; i < std::abs(ulps); ++i) x = std::nextafter(x, ulps > 0 ? kInf : -kInf);
    return x;
  }
};

/// The value that lane 0 holds after a butterfly over 32 lanes; `combine` gets the lower lane first.
template <class T, class Combine>
T butterfly(std::vector<T> lanes, Combine combine) {
  for (int offset = kWarpSize / 2; offset > 0; offset /= 2) {
    for (int lane = 0; lane < offset; ++lane) lanes[lane] = combine(lanes[lane], lanes[lane + offset]);
  }
  return lanes[0];
}

/// The value of a block after two levels of butterflies, one partial value a thread (fewer than 32 are filled up with the
/// identity, which leaves a single thread's value as it is). `warps` limits how many are collected.
template <class T, class Combine>
T reduce_block(std::vector<T> partials, T identity, Combine combine, int warps = kWarpSize) {
  partials.resize((partials.size() + kWarpSize - 1) / kWarpSize * kWarpSize, identity);
  std::vector<T> collected(kWarpSize, identity);
  const int there = static_cast<int>(partials.size()) / kWarpSize;
  for (int warp = 0; warp < std::min(there, warps); ++warp) {
    const auto first = partials.begin() + warp * kWarpSize;
    collected[warp] = butterfly(std::vector<T>(first, first + kWarpSize), combine);
  }
  return butterfly(collected, combine);
}

/// Sum over i < n of term(i) as a block adds it: thread t takes i = t, t + threads, ... `add(accumulator, i)` returns the new one.
template <class Add>
float sum_block(const Mode& mode, int n, Add add, int warps = kWarpSize) {
  std::vector<float> partials(mode.threads, 0.0f);
  for (int i = 0; i < n; ++i) partials[i % mode.threads] = add(partials[i % mode.threads], i);
  return reduce_block(
      partials, 0.0f, [](float a, float b) { return a + b; }, warps);
}

}  // namespace warpbook::operators::emulation
