// Arithmetic of f16, f16x2, bf16 and bf16x2: add sub mul fma min max neg abs ex2 tanh.
//
// f16 is computed in float and bf16 in double (products of bf16 leave the range of float): both have more than twice the bits of the format
// plus two, so that sums and products may be rounded there and once more to the format, and products are exact. Not so fma: its product can
// be the midpoint between two values of the format, and a term too small for the wider type then decides. There the sum is rounded to
// odd, its last bit set whenever it is inexact, after which rounding to the format is rounding the exact sum. Both halves of an x2
// register are computed by the same functor.
#include <cmath>

#include "judge/vgpu/ops/elementary.hpp"
#include "judge/vgpu/ops/families.hpp"
#include "judge/vgpu/ops/half_format.hpp"
#include "judge/vgpu/ops/lanes.hpp"

namespace warpbook::vgpu::ops {
namespace {

using ptx::Opcode;
using ptx::Type;

/// The wider type in which a format is computed.
template <class Format>
using WideOf = std::conditional_t<std::is_same_v<Format, Half>, float, double>;

template <class Format>
[[gnu::always_inline]] inline WideOf<Format> wide(std::uint16_t half) {
  return float_of_half<Format>(half);
}
/// a + b rounded to odd: the neighbour of the exact sum whose last bit is set, unless the sum is exact. The error is Knuth's TwoSum.
template <class Real>
[[gnu::always_inline]] inline Real sum_to_odd(Real a, Real b) {
  const Real sum = a + b;
  const Real b_part = sum - a;
  const Real error = (a - (sum - b_part)) + (b - b_part);
  const auto bits = std::bit_cast<RowOf<Real>>(sum);
  const bool inexact = (error < 0 || error > 0) && (bits & 1) == 0;  // false for NaN, which the errors of infinities are
  const bool away = (error > 0) == (sum > 0);                        // from zero
  const RowOf<Real> one = inexact ? 1 : 0;                           // (nested selects would not be vectorised)
  return std::bit_cast<Real>(away ? bits + one : bits - one);
}

struct Sum {
  template <class Real>
  [[gnu::always_inline]] Real operator()(Real a, Real b) const {
    return a + b;
  }
};
struct Difference {
  template <class Real>
  [[gnu::always_inline]] Real operator()(Real a, Real b) const {
    return a - b;
  }
};
struct Product {
  template <class Real>
  [[gnu::always_inline]] Real operator()(Real a, Real b) const {
    return a * b;
  }
};
struct FusedProduct {
  template <class Real>
  [[gnu::always_inline]] Real operator()(Real a, Real b, Real c) const {
    return sum_to_odd(a * b, c);
  }
};
// Functions that PTX only bounds: rounded from a double good to 2^-40.
struct Exp2 {
  [[gnu::always_inline]] double operator()(double a) const { return a != a ? a : exp2_of(a); }
};
struct Tanh {
  [[gnu::always_inline]] double operator()(double a) const { return tanh_of(a); }
};

/// Zero of the same sign for a result that .ftz flushes: one that is below the format's normal range when rounded as if the exponent had
/// no end. 2^-14 (1 - 2^-11) is, although rounded as a subnormal it gives 2^-14 (so on an H200).
template <class Format, class Real>
[[gnu::always_inline]] inline Real flushed_below(Real exact) {
  constexpr auto kSmallestNormal = static_cast<Real>(double_of_bits(static_cast<std::uint64_t>(1023 + Format::kMinExponent) << 52));
  constexpr auto kQuarterUnit = Real{1} / static_cast<Real>(4u << Format::kMantissaBits);
  constexpr Real kRoundsUp = kSmallestNormal * (1 - kQuarterUnit);
  const bool below = exact < kRoundsUp && exact > -kRoundsUp;
  return below ? std::copysign(Real{0}, exact) : exact;
}

/// What stands around an exact operation.
struct Finish {
  bool flush = false, saturate = false, relu = false;
};

template <class Format, class Operation, Finish kFinish>
struct Arithmetic {
  [[gnu::always_inline]] std::uint16_t operator()(std::same_as<std::uint16_t> auto... values) const {
    auto exact = Operation{}(wide<Format>(kFinish.flush ? flushed_half<Format>(values) : values)...);
    if constexpr (kFinish.flush) exact = flushed_below<Format>(exact);
    if constexpr (kFinish.saturate) exact = saturated_unit(exact);
    std::uint16_t result;
    if constexpr (std::is_same_v<decltype(exact), double>) {
      result = half_of_double<Format>(exact);
    } else {
      result = half_of_float(exact);
    }
    if constexpr (kFinish.relu) result = (result & kSign16) != 0 ? std::uint16_t{0} : result;
    return result;
  }
};

/// See Extremum in float32.cpp; here on bits, where the order of magnitudes is the order of integers.
template <class Format, bool kMax, bool kNan, bool kFlush, bool kXorsignAbs>
struct Extremum {
  [[gnu::always_inline]] std::uint16_t operator()(std::uint16_t a, std::uint16_t b) const {
    if constexpr (kFlush) {
      a = flushed_half<Format>(a);
      b = flushed_half<Format>(b);
    }
    const auto sign = static_cast<std::uint16_t>(kXorsignAbs ? (a ^ b) & kSign16 : 0);
    if constexpr (kXorsignAbs) {
      a = a & 0x7FFF;
      b = b & 0x7FFF;
    }
    const bool a_nan = is_nan_half<Format>(a), b_nan = is_nan_half<Format>(b);
    const bool first = kMax ? ordered(a) > ordered(b) : ordered(a) < ordered(b);
    const std::uint16_t number = b_nan || (!a_nan && first) ? a : b;
    const bool nan = kNan ? a_nan || b_nan : a_nan && b_nan;
    return nan ? Format::kNan : static_cast<std::uint16_t>(number | sign);
  }
  /// An integer that grows with the value; -0 comes right before +0.
  [[gnu::always_inline]] static std::int16_t ordered(std::uint16_t half) {
    return static_cast<std::int16_t>((half & kSign16) != 0 ? half ^ 0x7FFF : half);
  }
};

template <class Format>
[[gnu::always_inline]] inline std::uint16_t canonical_half(std::uint16_t half) {
  return is_nan_half<Format>(half) ? Format::kNan : half;
}
template <class Format, bool kFlush>
struct Absolute {
  [[gnu::always_inline]] std::uint16_t operator()(std::uint16_t a) const {
    return canonical_half<Format>(static_cast<std::uint16_t>((kFlush ? flushed_half<Format>(a) : a) & 0x7FFF));
  }
};
template <class Format, bool kFlush>
struct Negate {
  [[gnu::always_inline]] std::uint16_t operator()(std::uint16_t a) const {
    return canonical_half<Format>(static_cast<std::uint16_t>((kFlush ? flushed_half<Format>(a) : a) ^ kSign16));
  }
};

/// A functor on halves for each half of a 32-bit register.
template <class Functor>
struct Pair {
  [[gnu::always_inline]] std::uint32_t operator()(std::same_as<std::uint32_t> auto... values) const {
    const std::uint32_t low = Functor{}(static_cast<std::uint16_t>(values)...);
    const std::uint32_t high = Functor{}(static_cast<std::uint16_t>(values >> 16)...);
    return high << 16 | low;
  }
};

/// fma with sources negated as step.flags says (fused mul and sub).
template <class Functor, class Row>
struct NegatedSources {
  Row a_sign, b_sign, c_sign;
  static constexpr Row kSigns = static_cast<Row>(0x80008000u);
  explicit NegatedSources(const Step& step)
      : a_sign((step.flags & 1) != 0 ? kSigns : Row{0}),
        b_sign((step.flags & 2) != 0 ? kSigns : Row{0}),
        c_sign((step.flags & 4) != 0 ? kSigns : Row{0}) {}
  [[gnu::always_inline]] Row operator()(Row a, Row b, Row c) const {
    return Functor{}(static_cast<Row>(a ^ a_sign), static_cast<Row>(b ^ b_sign), static_cast<Row>(c ^ c_sign));
  }
};

/// .oob: zero where a factor is one of the two NaNs that stand for "out of bounds", in f16 and in bf16 (found on an H200 by trying all).
template <class Functor>
struct ZeroOutOfBounds {
  static constexpr std::uint16_t kOutOfBounds = 0x7FF7;
  [[gnu::always_inline]] std::uint16_t operator()(std::uint16_t a, std::uint16_t b, std::uint16_t c) const {
    const std::uint16_t result = Functor{}(a, b, c);
    return (a & 0x7FFF) == kOutOfBounds || (b & 0x7FFF) == kOutOfBounds ? std::uint16_t{0} : result;
  }
};

/// The instruction's shape: one half in a 16-bit register or two in a 32-bit one.
template <class Functor, int kSources>
LaneOperation shaped(bool pair) {
  return pair ? uniform_lanes<Pair<Functor>, std::uint32_t, kSources>() : uniform_lanes<Functor, std::uint16_t, kSources>();
}

bool is_pair(Type type) { return type == Type::kF16x2 || type == Type::kBF16x2; }

template <class Format, class Operation, int kSources>
LaneOperation arithmetic(const ptx::Instruction& instruction) {
  const bool pair = is_pair(first_type(instruction));
  const ptx::Modifiers& mod = instruction.mod;
  if (mod.sat) {
    return mod.ftz ? shaped<Arithmetic<Format, Operation, Finish{true, true, false}>, kSources>(pair)
                   : shaped<Arithmetic<Format, Operation, Finish{false, true, false}>, kSources>(pair);
  }
  return mod.ftz ? shaped<Arithmetic<Format, Operation, Finish{true, false, false}>, kSources>(pair)
                 : shaped<Arithmetic<Format, Operation, Finish{false, false, false}>, kSources>(pair);
}

template <class Format, Finish kFinish>
LaneOperation fused(bool pair, bool negated) {
  using Functor = Arithmetic<Format, FusedProduct, kFinish>;
  if (!negated) return shaped<Functor, 3>(pair);
  return pair ? uniform_lanes<NegatedSources<Pair<Functor>, std::uint32_t>, std::uint32_t, 3>()
              : uniform_lanes<NegatedSources<Functor, std::uint16_t>, std::uint16_t, 3>();
}

template <class Format>
LaneOperation fused(const ptx::Instruction& instruction, Step& step) {
  const ptx::Modifiers& mod = instruction.mod;
  step.flags = negated_sources(instruction);
  const bool pair = is_pair(first_type(instruction)), negated = step.flags != 0;
  if (mod.sat && mod.relu) return nullptr;
  if (!mod.other.empty()) {
    if (mod.other != ".oob" || mod.sat || mod.ftz || negated) return nullptr;
    return mod.relu ? shaped<ZeroOutOfBounds<Arithmetic<Format, FusedProduct, Finish{false, false, true}>>, 3>(pair)
                    : shaped<ZeroOutOfBounds<Arithmetic<Format, FusedProduct, Finish{}>>, 3>(pair);
  }
  if (mod.sat)
    return mod.ftz ? fused<Format, Finish{true, true, false}>(pair, negated) : fused<Format, Finish{false, true, false}>(pair, negated);
  if (mod.relu)
    return mod.ftz ? fused<Format, Finish{true, false, true}>(pair, negated) : fused<Format, Finish{false, false, true}>(pair, negated);
  return mod.ftz ? fused<Format, Finish{true, false, false}>(pair, negated) : fused<Format, Finish{false, false, false}>(pair, negated);
}

template <class Format, bool kMax, bool kNan>
LaneOperation extremum(const ptx::Modifiers& mod, bool pair) {
  if (mod.xorsign != mod.abs) return nullptr;
  if (mod.ftz) {
    return mod.xorsign ? shaped<Extremum<Format, kMax, kNan, true, true>, 2>(pair)
                       : shaped<Extremum<Format, kMax, kNan, true, false>, 2>(pair);
  }
  return mod.xorsign ? shaped<Extremum<Format, kMax, kNan, false, true>, 2>(pair)
                     : shaped<Extremum<Format, kMax, kNan, false, false>, 2>(pair);
}

template <class Format>
LaneOperation operation_of(const ptx::Instruction& instruction, Step& step) {
  constexpr bool kIsHalf = std::is_same_v<Format, Half>;
  const ptx::Modifiers& mod = instruction.mod;
  if (mod.rounding != ptx::Rounding::kNone && mod.rounding != ptx::Rounding::kRn) return nullptr;
  const bool pair = is_pair(first_type(instruction));
  const std::uint32_t finish = kIsHalf ? kFtz | kSat : kPlain;  // bf16 has neither .ftz nor .sat
  const std::uint32_t flush = kIsHalf ? kFtz : kPlain;
  switch (instruction.op) {
    case Opcode::kAdd: return has_only(mod, kRounding | finish) ? arithmetic<Format, Sum, 2>(instruction) : nullptr;
    case Opcode::kSub: return has_only(mod, kRounding | finish) ? arithmetic<Format, Difference, 2>(instruction) : nullptr;
    case Opcode::kMul: return has_only(mod, kRounding | finish) ? arithmetic<Format, Product, 2>(instruction) : nullptr;
    case Opcode::kFma: return has_only(mod, kRounding | finish | kRelu | kOther) ? fused<Format>(instruction, step) : nullptr;
    case Opcode::kMin:
      if (!has_only(mod, flush | kNanModifier | kXorsignAbs)) return nullptr;
      return mod.nan ? extremum<Format, false, true>(mod, pair) : extremum<Format, false, false>(mod, pair);
    case Opcode::kMax:
      if (!has_only(mod, flush | kNanModifier | kXorsignAbs)) return nullptr;
      return mod.nan ? extremum<Format, true, true>(mod, pair) : extremum<Format, true, false>(mod, pair);
    case Opcode::kAbs:
      if (!has_only(mod, flush)) return nullptr;
      return mod.ftz ? shaped<Absolute<Format, true>, 1>(pair) : shaped<Absolute<Format, false>, 1>(pair);
    case Opcode::kNeg:
      if (!has_only(mod, flush)) return nullptr;
      return mod.ftz ? shaped<Negate<Format, true>, 1>(pair) : shaped<Negate<Format, false>, 1>(pair);
    case Opcode::kEx2:  // .approx.f16 keeps subnormals, .approx.ftz.bf16 flushes them
      if (!has_only(mod, kApprox | kFtz) || !mod.approx || mod.ftz == kIsHalf) return nullptr;
      return shaped<Arithmetic<Format, Exp2, Finish{!kIsHalf, false, false}>, 1>(pair);
    case Opcode::kTanh: return has_only(mod, kApprox) && mod.approx ? shaped<Arithmetic<Format, Tanh, Finish{}>, 1>(pair) : nullptr;
    default: return nullptr;
  }
}

}  // namespace

LaneOperation half_operation(const ptx::Instruction& instruction, Step& step) {
  switch (first_type(instruction)) {
    case Type::kF16:
    case Type::kF16x2: return operation_of<Half>(instruction, step);
    case Type::kBF16:
    case Type::kBF16x2: return operation_of<BFloat>(instruction, step);
    default: return nullptr;
  }
}

}  // namespace warpbook::vgpu::ops
