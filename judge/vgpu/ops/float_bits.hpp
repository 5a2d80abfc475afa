#pragma once
// What PTX asks of floating-point results beyond IEEE arithmetic, as functions without branches that vectorise: flushing of subnormals
// (per instruction, so the host's own flush-to-zero mode stays off), saturation, the one NaN that a GPU returns, and rounding modes.
#include <bit>
#include <cfenv>
#include <cstdint>

#include "judge/ptx/module.hpp"

namespace warpbook::vgpu::ops {

inline constexpr std::uint32_t kNan32 = 0x7FFFFFFFu;          ///< what f32 arithmetic on a GPU returns for NaN
inline constexpr std::uint64_t kNan64 = 0xFFF8000000000000u;  ///< f64: of inf - inf, sqrt(-1); NaN operands keep their payload
inline constexpr std::uint32_t kSign32 = 0x80000000u, kExponent32 = 0x7F800000u;
inline constexpr std::uint64_t kSign64 = 0x8000000000000000u, kExponent64 = 0x7FF0000000000000u, kQuiet64 = 0x0008000000000000u;

[[gnu::always_inline]] constexpr std::uint32_t bits_of_float(float value) { return std::bit_cast<std::uint32_t>(value); }
[[gnu::always_inline]] constexpr float float_of_bits(std::uint32_t bits) { return std::bit_cast<float>(bits); }
[[gnu::always_inline]] constexpr std::uint64_t bits_of_double(double value) { return std::bit_cast<std::uint64_t>(value); }
[[gnu::always_inline]] constexpr double double_of_bits(std::uint64_t bits) { return std::bit_cast<double>(bits); }

/// A subnormal becomes zero of the same sign; everything else stays.
[[gnu::always_inline]] inline float flushed(float value) {
  const std::uint32_t bits = bits_of_float(value);
  return float_of_bits((bits & kExponent32) == 0 ? bits & kSign32 : bits);
}

/// Any NaN becomes the NaN of GPU arithmetic.
[[gnu::always_inline]] inline float canonical(float value) { return value != value ? float_of_bits(kNan32) : value; }

/// `.sat`: clamps to [0, 1]; NaN and -0 become +0.
template <class T>
[[gnu::always_inline]] inline T saturated_unit(T value) {
  const T low = value > T{0} ? value : T{0};
  return low < T{1} ? low : T{1};
}

[[gnu::always_inline]] inline float with_sign_flipped(float value, std::uint32_t sign) {
  return float_of_bits(bits_of_float(value) ^ sign);
}
[[gnu::always_inline]] inline double with_sign_flipped(double value, std::uint64_t sign) {
  return double_of_bits(bits_of_double(value) ^ sign);
}

/// The host rounds in `kMode` while one lives. Code between construction and destruction must take its operands from memory and
/// leave its results there: that, and the barrier inside, is what keeps the compiler from moving arithmetic out of the scope. (Rejected:
/// -frounding-math, which promises less than that and keeps fma and sqrt from being vectorised. What it would forbid, folding constants
/// and pulling signs out of products, does not happen here: operands are rows, and signs are flipped as bits.)
template <ptx::Rounding kMode>
class RoundingScope {
 public:
  RoundingScope() { set(kMode); }
  ~RoundingScope() { set(ptx::Rounding::kRn); }
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;

 private:
  static void set(ptx::Rounding mode) {
#if defined(__x86_64__)
    // fesetround also writes the x87 control word, which costs more than a row of additions.
    constexpr std::uint32_t kDefault = 0x1F80, kDown = 0x2000, kUp = 0x4000, kZero = 0x6000;  // MXCSR: exceptions masked; rounding
    std::uint32_t control = kDefault;
    if (mode == ptx::Rounding::kRm) control |= kDown;
    if (mode == ptx::Rounding::kRp) control |= kUp;
    if (mode == ptx::Rounding::kRz) control |= kZero;
    asm volatile("ldmxcsr %0" : : "m"(control) : "memory");
#else
    std::fesetround(mode == ptx::Rounding::kRm   ? FE_DOWNWARD
                    : mode == ptx::Rounding::kRp ? FE_UPWARD
                    : mode == ptx::Rounding::kRz ? FE_TOWARDZERO
                                                 : FE_TONEAREST);
    asm volatile("" : : : "memory");
#endif
  }
};
template <>
class RoundingScope<ptx::Rounding::kRn> {
 public:
  RoundingScope() {}  // not defaulted: an unused object of a trivial class draws a warning
};

/// Calls `use.template operator()<mode>()` with the rounding of an instruction as a constant; unqualified means to nearest.
template <class Use>
auto for_rounding(ptx::Rounding mode, const Use& use) -> decltype(use.template operator()<ptx::Rounding::kRn>()) {
  switch (mode) {
    case ptx::Rounding::kNone:
    case ptx::Rounding::kRn: return use.template operator()<ptx::Rounding::kRn>();
    case ptx::Rounding::kRz: return use.template operator()<ptx::Rounding::kRz>();
    case ptx::Rounding::kRm: return use.template operator()<ptx::Rounding::kRm>();
    case ptx::Rounding::kRp: return use.template operator()<ptx::Rounding::kRp>();
    default: return nullptr;
  }
}

}  // namespace warpbook::vgpu::ops
