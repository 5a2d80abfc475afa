#pragma once
// The two 16-bit floats, f16 and bf16, as bits in a uint16_t, and their exact conversions from and to double. Arithmetic on them is done in
// double and rounded once (half.cpp says why that is exact). (Rejected: the compiler's _Float16, which rounds sums and products twice
// through float unless the processor has it, and the F16C instructions, which not every host has and which know no bf16.)
#include "judge/vgpu/ops/float_bits.hpp"

namespace warpbook::vgpu::ops {

struct Half {
  static constexpr int kMantissaBits = 10, kMinExponent = -14, kMaxExponent = 15;
  static constexpr std::uint16_t kInfinity = 0x7C00, kNan = 0x7FFF, kOne = 0x3C00;
};
struct BFloat {
  static constexpr int kMantissaBits = 7, kMinExponent = -126, kMaxExponent = 127;
  static constexpr std::uint16_t kInfinity = 0x7F80, kNan = 0x7FFF, kOne = 0x3F80;
};
inline constexpr std::uint16_t kSign16 = 0x8000;

/// The same number as a float; NaN keeps its payload.
template <class Format>
[[gnu::always_inline]] inline float float_of_half(std::uint16_t half) {
  const std::uint32_t wide = half;
  if constexpr (std::is_same_v<Format, BFloat>) {
    return float_of_bits(wide << 16);
  } else {
    // Shifted into a float's place, exponent and mantissa give a value that is 2^112 too small, also when subnormal.
    constexpr int kShift = 13;
    const float magnitude = float_of_bits((wide & 0x7FFFu) << kShift) * 0x1p112f;
    const std::uint32_t top = (wide & Half::kInfinity) == Half::kInfinity ? kExponent32 : 0;
    return float_of_bits(bits_of_float(magnitude) | top | (wide & kSign16) << 16);
  }
}

template <class Format>
[[gnu::always_inline]] inline bool is_nan_half(std::uint16_t half) {
  return (half & 0x7FFF) > Format::kInfinity;
}

template <class Format>
[[gnu::always_inline]] inline std::uint16_t flushed_half(std::uint16_t half) {
  return (half & Format::kInfinity) == 0 ? static_cast<std::uint16_t>(half & kSign16) : half;
}

/// Rounds to nearest even, once; NaN becomes Format::kNan. The host must be rounding to nearest.
/// Adding and subtracting 2^(e + 52 - mantissa bits) rounds the magnitude at the format's last place; the product with a power of two then
/// puts its exponent where the format's stands, so that its bits, also of subnormals, are those of the format.
template <class Format>
[[gnu::always_inline]] inline std::uint16_t half_of_double(double value) {
  constexpr int kDropped = 52 - Format::kMantissaBits;
  constexpr double kSmallestNormal = double_of_bits(static_cast<std::uint64_t>(1023 + Format::kMinExponent) << 52);
  constexpr double kTooLarge = double_of_bits(static_cast<std::uint64_t>(1023 + Format::kMaxExponent + 1) << 52);
  constexpr double kRebias = double_of_bits(static_cast<std::uint64_t>(Format::kMaxExponent) << 52);  // 2^(max exponent - 1023)
  const std::uint64_t bits = bits_of_double(value);
  const double magnitude = double_of_bits(bits & ~kSign64);
  const double scale = magnitude < kSmallestNormal ? kSmallestNormal : magnitude < kTooLarge ? magnitude : kTooLarge;
  const double rounder = double_of_bits((bits_of_double(scale) & kExponent64) + (static_cast<std::uint64_t>(kDropped) << 52));
  const double rounded = (magnitude + rounder) - rounder;
  const std::uint64_t finite = bits_of_double(rounded * kRebias) >> kDropped;
  std::uint64_t result = rounded < kTooLarge ? finite : std::uint64_t{Format::kInfinity};
  result |= bits >> 48 & kSign16;
  return static_cast<std::uint16_t>(magnitude != magnitude ? std::uint64_t{Format::kNan} : result);
}

/// half_of_double<Half> for a float: the same steps in single precision, twice as many lanes at a time.
[[gnu::always_inline]] inline std::uint16_t half_of_float(float value) {
  constexpr int kDropped = 23 - Half::kMantissaBits;
  constexpr float kSmallestNormal = 0x1p-14f, kTooLarge = 0x1p16f, kRebias = 0x1p-112f;
  const std::uint32_t bits = bits_of_float(value);
  const float magnitude = float_of_bits(bits & ~kSign32);
  const float scale = magnitude < kSmallestNormal ? kSmallestNormal : magnitude < kTooLarge ? magnitude : kTooLarge;
  const float rounder = float_of_bits((bits_of_float(scale) & kExponent32) + (static_cast<std::uint32_t>(kDropped) << 23));
  const float rounded = (magnitude + rounder) - rounder;
  const std::uint32_t finite = bits_of_float(rounded * kRebias) >> kDropped;
  std::uint32_t result = rounded < kTooLarge ? finite : std::uint32_t{Half::kInfinity};
  result |= bits >> 16 & kSign16;
  return static_cast<std::uint16_t>(magnitude != magnitude ? std::uint32_t{Half::kNan} : result);
}

/// Rounds in any mode, once, by integer arithmetic; slower than half_of_double, which it agrees with for kRn.
template <class Format>
std::uint16_t half_of_double(double value, ptx::Rounding mode) {
  constexpr int kDropped = 52 - Format::kMantissaBits;
  constexpr std::uint64_t kHidden = std::uint64_t{1} << 52;
  const std::uint64_t bits = bits_of_double(value);
  const bool negative = bits >> 63 != 0;
  const auto sign = static_cast<std::uint16_t>(negative ? kSign16 : 0);
  if (value != value) return Format::kNan;
  const int exponent = static_cast<int>(bits >> 52 & 0x7FF) - 1023;
  if (exponent == 1024) return static_cast<std::uint16_t>(Format::kInfinity | sign);
  // Subnormal doubles are below every format's range and round like their smallest neighbours: only their being nonzero counts.
  const std::uint64_t significand = (bits & (kHidden - 1)) | (exponent == -1023 ? 0 : kHidden);
  const int below = Format::kMinExponent - exponent;  // how far into the subnormal range
  const int drop = kDropped + (below > 0 ? below : 0);
  std::uint64_t kept = drop > 63 ? 0 : significand >> drop;
  const std::uint64_t rest = drop > 63 ? significand : significand & ((std::uint64_t{1} << drop) - 1);
  const std::uint64_t middle = drop > 63 ? ~std::uint64_t{0} : std::uint64_t{1} << (drop - 1);
  bool up = false;
  switch (mode) {
    case ptx::Rounding::kRz: break;
    case ptx::Rounding::kRm: up = negative && rest != 0; break;
    case ptx::Rounding::kRp: up = !negative && rest != 0; break;
    case ptx::Rounding::kRna: up = rest >= middle; break;
    default: up = rest > middle || (rest == middle && (kept & 1) != 0); break;
  }
  if (up) ++kept;
  // `kept` carries the hidden bit, which adds the last unit of the exponent; a carry out of the mantissa does the same.
  const std::uint64_t biased = below > 0 ? 0 : static_cast<std::uint64_t>(exponent - Format::kMinExponent);
  const std::uint64_t result = kept + (biased << Format::kMantissaBits);
  if (result < Format::kInfinity) return static_cast<std::uint16_t>(result | sign);
  const bool to_infinity = mode == ptx::Rounding::kRn || mode == ptx::Rounding::kRna || (mode == ptx::Rounding::kRm && negative) ||
                           (mode == ptx::Rounding::kRp && !negative);
  return static_cast<std::uint16_t>((to_infinity ? Format::kInfinity : Format::kInfinity - 1) | sign);
}

}  // namespace warpbook::vgpu::ops
