// Double precision, exact: add sub mul fma div rcp sqrt with every rounding, min, max and the sign operations, and the two gross
// approximations .approx.ftz.f64, which look at the upper 32 bits only.
#include <cmath>

#include "judge/vgpu/ops/families.hpp"
#include "judge/vgpu/ops/float_bits.hpp"
#include "judge/vgpu/ops/lanes.hpp"

namespace warpbook::vgpu::ops {
namespace {

using ptx::Opcode;
using ptx::Rounding;

struct Sum {
  [[gnu::always_inline]] double operator()(double a, double b) const { return a + b; }
};
struct Difference {
  [[gnu::always_inline]] double operator()(double a, double b) const { return a - b; }
};
struct Product {
  [[gnu::always_inline]] double operator()(double a, double b) const { return a * b; }
};
struct Quotient {
  [[gnu::always_inline]] double operator()(double a, double b) const { return a / b; }
};
struct Reciprocal {
  [[gnu::always_inline]] double operator()(double a) const { return 1.0 / a; }
};
struct SquareRoot {
  [[gnu::always_inline]] double operator()(double a) const { return std::sqrt(a); }
};
struct FusedProduct {
  [[gnu::always_inline]] double operator()(double a, double b, double c) const { return std::fma(a, b, c); }
};
struct FusedProductNegated {
  std::uint64_t a_sign, b_sign, c_sign;
  explicit FusedProductNegated(const Step& step)
      : a_sign((step.flags & 1) != 0 ? kSign64 : 0),
        b_sign((step.flags & 2) != 0 ? kSign64 : 0),
        c_sign((step.flags & 4) != 0 ? kSign64 : 0) {}
  [[gnu::always_inline]] double operator()(double a, double b, double c) const {
    return std::fma(with_sign_flipped(a, a_sign), with_sign_flipped(b, b_sign), with_sign_flipped(c, c_sign));
  }
};

[[gnu::always_inline]] inline double quieted(double nan) { return double_of_bits(bits_of_double(nan) | kQuiet64); }

/// Unlike single precision, f64 hands a NaN operand on, quieted; which of several is chosen here as an H200 does (what x86 would
/// hand on depends on how the compiler ordered the operands).
[[gnu::always_inline]] inline double with_nan(double result, double a) {
  const double number = result != result ? double_of_bits(kNan64) : result;
  return a != a ? quieted(a) : number;
}
[[gnu::always_inline]] inline double with_nan(double result, double a, double b) {
  const double number = with_nan(result, a);
  return b != b ? quieted(b) : number;
}
[[gnu::always_inline]] inline double with_nan(double result, double a, double b, double c) {
  const double number = with_nan(result, a, c);
  return b != b ? quieted(b) : number;
}

template <class Operation>
struct Finished {
  Operation operation;
  explicit Finished(const Step& step) : operation(functor_of<Operation>(step)) {}
  [[gnu::always_inline]] double operator()(std::same_as<double> auto... values) const { return with_nan(operation(values...), values...); }
};
/// Division is a routine, not an instruction, of the hardware: there the dividend's NaN comes first.
template <>
struct Finished<Quotient> {
  [[gnu::always_inline]] double operator()(double a, double b) const { return with_nan(a / b, b, a); }
};

template <Rounding kMode, class Functor, class... S>
void rounded_lanes(const Registers& registers, const Step& step, LaneMask active) {
  const RoundingScope<kMode> scope;
  apply_step<double, S...>(registers, step, active, functor_of<Finished<Functor>>(step), std::index_sequence_for<S...>{});
}
template <class Functor, class... S>
LaneOperation rounded(const ptx::Modifiers& mod) {
  return for_rounding(mod.rounding, []<Rounding kMode>() -> LaneOperation { return rounded_lanes<kMode, Functor, S...>; });
}

/// See Extremum in float32.cpp.
template <bool kMax>
struct Extremum {
  [[gnu::always_inline]] double operator()(double a, double b) const {
    const std::uint64_t a_bits = bits_of_double(a), b_bits = bits_of_double(b);
    const std::uint64_t equal = kMax ? a_bits & b_bits : a_bits | b_bits;
    const bool first = kMax ? a > b : a < b;
    const std::uint64_t number = a == b ? equal : first ? a_bits : b_bits;
    const bool a_nan = a != a, b_nan = b != b;
    return double_of_bits(b_nan ? (a_nan ? b_bits | kQuiet64 : a_bits) : (a_nan ? b_bits : number));
  }
};

struct Absolute {
  [[gnu::always_inline]] double operator()(double a) const { return a != a ? quieted(a) : double_of_bits(bits_of_double(a) & ~kSign64); }
};
struct Negate {
  [[gnu::always_inline]] double operator()(double a) const { return a != a ? quieted(a) : double_of_bits(bits_of_double(a) ^ kSign64); }
};
struct CopySign {
  [[gnu::always_inline]] double operator()(double a, double b) const {
    return double_of_bits((bits_of_double(a) & kSign64) | (bits_of_double(b) & ~kSign64));
  }
};

/// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64: upper half in, upper half out, the lower half zero.
template <bool kRoot>
struct Gross {
  [[gnu::always_inline]] double operator()(double a) const {
    constexpr std::uint64_t kUpper = 0xFFFFFFFF00000000u, kNanUpper = 0x7FFFFFFF00000000u;
    std::uint64_t bits = bits_of_double(a) & kUpper;
    if ((bits & kExponent64) == 0) bits &= kSign64;
    const double value = double_of_bits(bits);
    double result;
    if constexpr (kRoot) {
      result = 1.0 / std::sqrt(value);
    } else {
      result = 1.0 / value;
    }
    if (result != result) return double_of_bits(kNanUpper);
    std::uint64_t out = bits_of_double(result) & kUpper;
    if ((out & kExponent64) == 0) out &= kSign64;
    return double_of_bits(out);
  }
};
struct ReciprocalRoot {
  [[gnu::always_inline]] double operator()(double a) const {
    const double estimate = 1.0 / std::sqrt(a);
    // Rounded twice, the estimate can be off by a unit; one Newton step on its exact error mends that.
    const double product = a * estimate, rest = std::fma(a, estimate, -product);
    const double error = std::fma(-product, estimate, 1.0) - rest * estimate;
    const double better = estimate + 0.5 * estimate * error;
    return with_nan(better - better == 0.0 && product > 0.5 ? better : estimate, a);
  }
};

}  // namespace

LaneOperation float64_operation(const ptx::Instruction& instruction, Step& step) {
  const ptx::Modifiers& mod = instruction.mod;
  const bool may_round = has_only(mod, kRounding);
  const bool must_round = may_round && mod.rounding != Rounding::kNone;
  const bool approximate = has_only(mod, kApprox | kFtz) && mod.approx;
  const bool plain = has_only(mod, kPlain);
  switch (instruction.op) {
    case Opcode::kAdd: return may_round ? rounded<Sum, double, double>(mod) : nullptr;
    case Opcode::kSub: return may_round ? rounded<Difference, double, double>(mod) : nullptr;
    case Opcode::kMul: return may_round ? rounded<Product, double, double>(mod) : nullptr;
    case Opcode::kFma:
    case Opcode::kMad:
      if (!may_round) return nullptr;
      step.flags = negated_sources(instruction);
      return step.flags != 0 ? rounded<FusedProductNegated, double, double, double>(mod)
                             : rounded<FusedProduct, double, double, double>(mod);
    case Opcode::kDiv: return must_round ? rounded<Quotient, double, double>(mod) : nullptr;
    case Opcode::kRcp:
      if (approximate) return mod.ftz ? uniform_lanes<Gross<false>, double, 1>() : nullptr;
      return must_round ? rounded<Reciprocal, double>(mod) : nullptr;
    case Opcode::kRsqrt:
      if (!approximate) return nullptr;
      return mod.ftz ? uniform_lanes<Gross<true>, double, 1>() : uniform_lanes<ReciprocalRoot, double, 1>();
    case Opcode::kSqrt: return must_round ? rounded<SquareRoot, double>(mod) : nullptr;
    case Opcode::kTestp: return test_operation(instruction);
    case Opcode::kMin: return plain ? uniform_lanes<Extremum<false>, double, 2>() : nullptr;
    case Opcode::kMax: return plain ? uniform_lanes<Extremum<true>, double, 2>() : nullptr;
    case Opcode::kAbs: return plain ? uniform_lanes<Absolute, double, 1>() : nullptr;
    case Opcode::kNeg: return plain ? uniform_lanes<Negate, double, 1>() : nullptr;
    case Opcode::kCopysign: return plain ? uniform_lanes<CopySign, double, 2>() : nullptr;
    default: return nullptr;
  }
}

}  // namespace warpbook::vgpu::ops
