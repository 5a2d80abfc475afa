// Single precision, exact: add sub mul fma div rcp sqrt with every rounding, .ftz and .sat, min and max, and the sign operations.
// Rounded operations run on the host's own arithmetic in the rounding mode asked for. (Rejected: computing in double and rounding once
// more. Sums of two floats do not fit a double, so directed rounding would be wrong in rare cases, and it is no faster.)
#include <cmath>
#include <cstring>

#include "judge/vgpu/ops/families.hpp"
#include "judge/vgpu/ops/float_bits.hpp"
#include "judge/vgpu/ops/lanes.hpp"

namespace warpbook::vgpu::ops {
namespace {

using ptx::Opcode;
using ptx::Rounding;

// .ftz flushes what is below 2^-126 when rounded to 24 bits as if the exponent had no end. 2^-126 (1 - 2^-24) is, although rounded as a
// subnormal it gives 2^-126 (so an H200 does; it decides results of --use_fast_math code). Operations that
// can meet this have a second form, `scaled`: 2^64 times the result, which cannot overflow when the result is that small.
constexpr float kScale = 0x1p64f;
constexpr float kSmallestNormal = 0x1p-126f;

struct Sum {
  [[gnu::always_inline]] float operator()(float a, float b) const { return a + b; }
};
struct Difference {
  [[gnu::always_inline]] float operator()(float a, float b) const { return a - b; }
};
struct Product {
  [[gnu::always_inline]] float operator()(float a, float b) const { return a * b; }
  static float scaled(float a, float b) { return a * kScale * b; }
};
struct Quotient {
  [[gnu::always_inline]] float operator()(float a, float b) const { return a / b; }
  static float scaled(float a, float b) { return a * kScale / b; }
};
struct Reciprocal {
  [[gnu::always_inline]] float operator()(float a) const { return 1.0f / a; }
  static float scaled(float a) { return kScale / a; }
};
struct SquareRoot {
  [[gnu::always_inline]] float operator()(float a) const { return std::sqrt(a); }
};
struct FusedProduct {
  [[gnu::always_inline]] float operator()(float a, float b, float c) const { return std::fma(a, b, c); }
  static float scaled(float a, float b, float c) { return std::fma(a * kScale, b, c * kScale); }
};
/// fma whose sources are negated as step.flags says; made by the fusing of mul with sub, never written in PTX.
struct FusedProductNegated {
  std::uint32_t a_sign, b_sign, c_sign;
  explicit FusedProductNegated(const Step& step)
      : a_sign((step.flags & 1) != 0 ? kSign32 : 0),
        b_sign((step.flags & 2) != 0 ? kSign32 : 0),
        c_sign((step.flags & 4) != 0 ? kSign32 : 0) {}
  [[gnu::always_inline]] float operator()(float a, float b, float c) const {
    return std::fma(with_sign_flipped(a, a_sign), with_sign_flipped(b, b_sign), with_sign_flipped(c, c_sign));
  }
  float scaled(float a, float b, float c) const {
    return FusedProduct::scaled(with_sign_flipped(a, a_sign), with_sign_flipped(b, b_sign), with_sign_flipped(c, c_sign));
  }
};

/// An exact operation with PTX's treatment of subnormals, NaN and range around it.
template <class Operation, bool kFlush, bool kSaturate>
struct Finished {
  Operation operation;
  explicit Finished(const Step& step) : operation(functor_of<Operation>(step)) {}
  template <class... Values>
  [[gnu::always_inline]] float operator()(Values... values) const {
    float result;
    if constexpr (kFlush) {
      result = flushed(operation(flushed(values)...));
    } else {
      result = operation(values...);
    }
    return kSaturate ? saturated_unit(result) : canonical(result);
  }
};

template <Rounding kMode, class Functor, class... S>
void rounded_lanes(const Registers& registers, const Step& step, LaneMask active) {
  const RoundingScope<kMode> scope;
  apply_step<float, S...>(registers, step, active, functor_of<Functor>(step), std::index_sequence_for<S...>{});
}

/// Zeroes the results of magnitude 2^-126 that .ftz should have flushed. There is hardly ever one, so the row is scanned first.
template <class Operation, class... Sources>
[[gnu::always_inline]] inline void flush_rounded_up(const Operation& operation, std::uint32_t* result, const Sources*... source) {
  const std::uint32_t smallest = bits_of_float(kSmallestNormal);
  std::uint32_t found = 0;
  for (int lane = 0; lane < kWarpSize; ++lane) found |= (result[lane] & ~kSign32) == smallest ? 1u : 0u;
  if (found == 0) return;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if ((result[lane] & ~kSign32) != smallest) continue;
    const float scaled = operation.scaled(flushed(float_of_bits(source[lane]))...);
    if (std::fabs(scaled) < kSmallestNormal * kScale) result[lane] &= kSign32;
  }
}

template <class Operation>
concept CanRoundUp = requires(const Operation& operation) {
  operation.scaled(0.0f);
}
|| requires(const Operation& operation) { operation.scaled(0.0f, 0.0f); }
|| requires(const Operation& operation) { operation.scaled(0.0f, 0.0f, 0.0f); };

template <Rounding kMode, class Operation, bool kSaturate, class... S, std::size_t... kIndex>
[[gnu::always_inline]] inline void flushing_step(const Registers& registers, const Step& step, LaneMask active,
                                                 std::index_sequence<kIndex...>) {
  alignas(64) std::uint32_t aside[kWarpSize];  // the sources are looked at again after, so a row in place would be too early
  {
    const RoundingScope<kMode> scope;
    apply<float, S...>(aside, kAllLanes, Finished<Operation, true, kSaturate>(step), registers.row<std::uint32_t>(step.src[kIndex])...);
    flush_rounded_up(functor_of<Operation>(step), aside, registers.row<std::uint32_t>(step.src[kIndex])...);
  }
  std::uint32_t* destination = registers.row<std::uint32_t>(step.dst[0]);
  if (active == kAllLanes) {
    std::memcpy(destination, aside, sizeof aside);
  } else {
    blend(destination, aside, active);
  }
}
template <Rounding kMode, class Operation, bool kSaturate, class... S>
void flushing_lanes(const Registers& registers, const Step& step, LaneMask active) {
  if constexpr (CanRoundUp<Operation>) {
    flushing_step<kMode, Operation, kSaturate, S...>(registers, step, active, std::index_sequence_for<S...>{});
  } else {
    rounded_lanes<kMode, Finished<Operation, true, kSaturate>, S...>(registers, step, active);
  }
}

template <class Operation, class... S>
LaneOperation rounded(const ptx::Modifiers& mod) {
  return for_rounding(mod.rounding, [&]<Rounding kMode>() -> LaneOperation {
    if (mod.ftz) return mod.sat ? flushing_lanes<kMode, Operation, true, S...> : flushing_lanes<kMode, Operation, false, S...>;
    return mod.sat ? rounded_lanes<kMode, Finished<Operation, false, true>, S...>
                   : rounded_lanes<kMode, Finished<Operation, false, false>, S...>;
  });
}

/// min and max: a NaN loses against a number (or wins, with .NaN), and -0 is smaller than +0. Equal values differ in the sign
/// of zero at most, so joining (min) or intersecting (max) their bits settles it.
template <bool kMax, bool kNan, bool kFlush, bool kXorsignAbs>
struct Extremum {
  [[gnu::always_inline]] float operator()(float a, float b) const {
    if constexpr (kFlush) {
      a = flushed(a);
      b = flushed(b);
    }
    const std::uint32_t sign = (bits_of_float(a) ^ bits_of_float(b)) & kSign32;
    if constexpr (kXorsignAbs) {
      a = float_of_bits(bits_of_float(a) & ~kSign32);
      b = float_of_bits(bits_of_float(b) & ~kSign32);
    }
    const bool first = kMax ? a > b : a < b;
    const std::uint32_t a_bits = bits_of_float(a), b_bits = bits_of_float(b);
    const std::uint32_t equal = kMax ? a_bits & b_bits : a_bits | b_bits;
    std::uint32_t result = a == b ? equal : first ? a_bits : b_bits;
    if constexpr (kXorsignAbs) result |= sign;
    const bool a_nan = a != a, b_nan = b != b;
    if constexpr (kNan) {
      result = (a_nan || b_nan) ? kNan32 : result;
    } else {
      const std::uint32_t signed_a = kXorsignAbs ? a_bits | sign : a_bits;
      const std::uint32_t signed_b = kXorsignAbs ? b_bits | sign : b_bits;
      result = b_nan ? (a_nan ? kNan32 : signed_a) : (a_nan ? signed_b : result);
    }
    return float_of_bits(result);
  }
};

template <bool kMax, bool kNan>
LaneOperation extremum(const ptx::Modifiers& mod) {
  if (mod.xorsign != mod.abs) return nullptr;
  if (mod.ftz) {
    return mod.xorsign ? uniform_lanes<Extremum<kMax, kNan, true, true>, float, 2>()
                       : uniform_lanes<Extremum<kMax, kNan, true, false>, float, 2>();
  }
  return mod.xorsign ? uniform_lanes<Extremum<kMax, kNan, false, true>, float, 2>()
                     : uniform_lanes<Extremum<kMax, kNan, false, false>, float, 2>();
}

template <bool kFlush>
struct Absolute {
  [[gnu::always_inline]] float operator()(float a) const {
    return canonical(float_of_bits(bits_of_float(kFlush ? flushed(a) : a) & ~kSign32));
  }
};
template <bool kFlush>
struct Negate {
  [[gnu::always_inline]] float operator()(float a) const {
    return canonical(float_of_bits(bits_of_float(kFlush ? flushed(a) : a) ^ kSign32));
  }
};
struct CopySign {
  [[gnu::always_inline]] float operator()(float a, float b) const {
    return float_of_bits((bits_of_float(a) & kSign32) | (bits_of_float(b) & ~kSign32));
  }
};

}  // namespace

LaneOperation float32_operation(const ptx::Instruction& instruction, Step& step) {
  const ptx::Modifiers& mod = instruction.mod;
  const bool plain_rounded = has_only(mod, kRounding | kFtz | kSat);
  switch (instruction.op) {
    case Opcode::kAdd: return plain_rounded ? rounded<Sum, float, float>(mod) : nullptr;
    case Opcode::kSub: return plain_rounded ? rounded<Difference, float, float>(mod) : nullptr;
    case Opcode::kMul: return plain_rounded ? rounded<Product, float, float>(mod) : nullptr;
    case Opcode::kFma:
    case Opcode::kMad:
      if (!plain_rounded) return nullptr;
      step.flags = negated_sources(instruction);
      return step.flags != 0 ? rounded<FusedProductNegated, float, float, float>(mod) : rounded<FusedProduct, float, float, float>(mod);
    case Opcode::kTestp: return test_operation(instruction);
    default: break;
  }
  const bool needs_rounding = mod.rounding != Rounding::kNone && has_only(mod, kRounding | kFtz);
  switch (instruction.op) {
    case Opcode::kDiv: return needs_rounding ? rounded<Quotient, float, float>(mod) : nullptr;
    case Opcode::kRcp: return needs_rounding ? rounded<Reciprocal, float>(mod) : nullptr;
    case Opcode::kSqrt: return needs_rounding ? rounded<SquareRoot, float>(mod) : nullptr;
    case Opcode::kMin:
      if (instruction.src.size() != 2 || !has_only(mod, kFtz | kNanModifier | kXorsignAbs)) return nullptr;
      return mod.nan ? extremum<false, true>(mod) : extremum<false, false>(mod);
    case Opcode::kMax:
      if (instruction.src.size() != 2 || !has_only(mod, kFtz | kNanModifier | kXorsignAbs)) return nullptr;
      return mod.nan ? extremum<true, true>(mod) : extremum<true, false>(mod);
    default: break;
  }
  if (!has_only(mod, kFtz)) return nullptr;
  switch (instruction.op) {
    case Opcode::kAbs: return mod.ftz ? uniform_lanes<Absolute<true>, float, 1>() : uniform_lanes<Absolute<false>, float, 1>();
    case Opcode::kNeg: return mod.ftz ? uniform_lanes<Negate<true>, float, 1>() : uniform_lanes<Negate<false>, float, 1>();
    case Opcode::kCopysign: return mod.ftz ? nullptr : uniform_lanes<CopySign, float, 2>();
    default: return nullptr;
  }
}

}  // namespace warpbook::vgpu::ops
