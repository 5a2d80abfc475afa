#pragma once
// 2^x, log2 x and tanh x in double, for the instructions that PTX only bounds (ex2.approx and its kin). The hardware's tables are not
// public, so the virtual GPU returns the correctly rounded float, which is the centre of every bound. For that a double good to 2^-45 is
// enough: rounding it to float goes wrong only when the true value lies within 2^-45 (relative) of a midpoint, about once in 2^20 inputs,
// and then by the last bit. The C library is exact to the last bit of the double but scalar, and ten times slower on a row; these have no
// branch and no table, so they vectorise.
#include <cmath>

#include "judge/vgpu/ops/float_bits.hpp"

namespace warpbook::vgpu::ops {

/// 2^x with relative error below 2^-45; x beyond +-1020 is taken as +-1020 (far outside float); NaN gives anything.
/// 2^x = 2^n 2^r with n = round(x), |r| <= 1/2, and the Taylor series of 2^r up to r^11: its remainder is below ln(2)^12/12! 2^-12.
[[gnu::always_inline]] inline double exp2_of(double x) {
  constexpr double kLimit = 1020.0;
  constexpr double kRoundsToInteger = 0x1.8p52;  // the integer then stands in the low bits
  constexpr int kMantissaBits = 52;
  constexpr std::uint64_t kBias = 1023;
  x = x > kLimit ? kLimit : x;
  x = x < -kLimit ? -kLimit : x;
  const double shifted = x + kRoundsToInteger;
  const double r = x - (shifted - kRoundsToInteger);
  const double r2 = r * r, r4 = r2 * r2;
  // ln(2)^k / k!
  constexpr double c1 = 0x1.62e42fefa39efp-1, c2 = 0x1.ebfbdff82c58fp-3, c3 = 0x1.c6b08d704a0c0p-5, c4 = 0x1.3b2ab6fba4e77p-7,
                   c5 = 0x1.5d87fe78a6731p-10, c6 = 0x1.430912f86c787p-13, c7 = 0x1.ffcbfc588b0c7p-17, c8 = 0x1.62c0223a5c824p-20,
                   c9 = 0x1.b5253d395e7c4p-24, c10 = 0x1.e4cf5158b8ecap-28, c11 = 0x1.e8cac7351bb25p-32;
  const double low = (1.0 + c1 * r) + (c2 + c3 * r) * r2;
  const double middle = (c4 + c5 * r) + (c6 + c7 * r) * r2;
  const double high = (c8 + c9 * r) + (c10 + c11 * r) * r2;
  const double power = low + (middle + high * r4) * r4;
  return power * double_of_bits((bits_of_double(shifted) + kBias) << kMantissaBits);
}

/// log2 x for positive normal x, with relative error below 2^-45 (also next to 1); other x give anything.
/// x = 2^k m with m in [sqrt(1/2), sqrt(2)); log2 m = 2/ln(2) atanh(s), s = (m-1)/(m+1), |s| < 0.1716, by its series up to s^17.
[[gnu::always_inline]] inline double log2_of(double x) {
  constexpr std::uint64_t kRootHalf = 0x3FE6A09E667F3BCDu;  // sqrt(1/2)
  constexpr std::uint64_t kOffset = std::uint64_t{1024} << 52;
  constexpr std::uint64_t kMantissaBits = 52, kIntegerBits = 0x4330000000000000u;           // 2^52: an integer in its low bits
  const std::uint64_t biased = (bits_of_double(x) - kRootHalf + kOffset) >> kMantissaBits;  // k + 1024
  const double k = double_of_bits(kIntegerBits | biased) - (0x1p52 + 1024.0);
  const double m = double_of_bits(bits_of_double(x) - (biased << kMantissaBits) + kOffset);
  const double s = (m - 1.0) / (m + 1.0);
  const double t = s * s, t2 = t * t, t4 = t2 * t2;
  constexpr double kScale = 0x1.71547652b82fep+1;  // 2 / ln 2
  const double low = (1.0 + t * (1.0 / 3)) + (1.0 / 5 + t * (1.0 / 7)) * t2;
  const double high = (1.0 / 9 + t * (1.0 / 11)) + (1.0 / 13 + t * (1.0 / 15)) * t2;
  const double series = low + (high + t4 * (1.0 / 17)) * t4;
  return k + kScale * s * series;
}

/// tanh x with relative error below 2^-40; NaN gives NaN. (e^2x - 1) / (e^2x + 1), whose cancellation next to zero costs no more than 7 of
/// the 52 bits down to 2^-6; below that the series up to x^7.
[[gnu::always_inline]] inline double tanh_of(double x) {
  constexpr double kTwoLog2E = 0x1.71547652b82fep+1;
  constexpr double kSeriesBelow = 0x1p-6;
  const double square = x * x;
  const double series = x * (1.0 + square * (-1.0 / 3 + square * (2.0 / 15 - square * (17.0 / 315))));
  const double power = exp2_of(x * kTwoLog2E);
  const double ratio = (power - 1.0) / (power + 1.0);
  const bool small = x < kSeriesBelow && x > -kSeriesBelow;
  return small ? series : x != x ? x : ratio;
}

}  // namespace warpbook::vgpu::ops
