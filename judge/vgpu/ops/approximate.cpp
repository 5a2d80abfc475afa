// The approximate instructions of single precision: ex2 lg2 sin cos tanh rsqrt, and rcp, sqrt and div with .approx or .full. All return the
// correctly rounded value; hardware differs by no more than the bounds that PTX states (elementary.hpp says why that is the policy). Where
// PTX fixes more than a bound, at the ends of the range of div.approx, that is followed.
#include <cmath>

#include "judge/vgpu/ops/elementary.hpp"
#include "judge/vgpu/ops/families.hpp"
#include "judge/vgpu/ops/lanes.hpp"

namespace warpbook::vgpu::ops {
namespace {

using ptx::Opcode;

struct Exp2 {
  [[gnu::always_inline]] float operator()(float a) const { return a != a ? a : static_cast<float>(exp2_of(static_cast<double>(a))); }
};
struct Log2 {
  [[gnu::always_inline]] float operator()(float a) const {
    constexpr float kInfinity = __builtin_inff();
    const float positive = static_cast<float>(log2_of(static_cast<double>(a)));  // subnormal floats are normal doubles
    const float finite = a == kInfinity ? kInfinity : positive;
    return a > 0.0f ? finite : a == 0.0f ? -kInfinity : float_of_bits(kNan32);
  }
};
struct ReciprocalRoot {
  [[gnu::always_inline]] float operator()(float a) const { return static_cast<float>(1.0 / std::sqrt(static_cast<double>(a))); }
};
struct Reciprocal {
  [[gnu::always_inline]] float operator()(float a) const { return 1.0f / a; }
};
struct SquareRoot {
  [[gnu::always_inline]] float operator()(float a) const { return std::sqrt(a); }
};
/// The angle of sin.approx and cos.approx: hardware first multiplies by 1/2pi in single precision and looks at the fraction only, so that
/// large angles come out as the angle of that product. (PTX bounds the error up to 100 pi, which this meets, and not beyond.)
[[gnu::always_inline]] inline double reduced_angle(float a) {
  constexpr float kTurnsPerRadian = 0x1.45f306p-3f;
  constexpr double kRadiansPerTurn = 0x1.921fb54442d18p+2;
  const float turns = a * kTurnsPerRadian;
  const float fraction = turns - std::trunc(turns);
  return std::copysign(static_cast<double>(fraction) * kRadiansPerTurn, static_cast<double>(a));
}
struct Sine {
  [[gnu::always_inline]] float operator()(float a) const { return static_cast<float>(std::sin(reduced_angle(a))); }
};
struct Cosine {
  [[gnu::always_inline]] float operator()(float a) const { return static_cast<float>(std::cos(reduced_angle(a))); }
};
struct Tanh {
  [[gnu::always_inline]] float operator()(float a) const { return static_cast<float>(tanh_of(static_cast<double>(a))); }
};
struct Quotient {
  [[gnu::always_inline]] float operator()(float a, float b) const { return a / b; }
};
/// a * (1/b): beyond 2^126 the reciprocal is subnormal and counts as zero, so that the quotient is zero, and inf / b NaN.
struct QuotientByReciprocal {
  [[gnu::always_inline]] float operator()(float a, float b) const {
    constexpr float kLargest = 0x1p126f;
    const float magnitude = b < 0.0f ? -b : b;
    const float zero = float_of_bits(bits_of_float(b) & kSign32);
    return magnitude > kLargest ? a * zero : a / b;
  }
};

template <class Operation, bool kFlush>
struct Finished {
  template <class... Values>
  [[gnu::always_inline]] float operator()(Values... values) const {
    if constexpr (kFlush) {
      return canonical(flushed(Operation{}(flushed(values)...)));
    } else {
      return canonical(Operation{}(values...));
    }
  }
};

template <class Operation, int kSources>
LaneOperation finished(const ptx::Modifiers& mod) {
  return mod.ftz ? uniform_lanes<Finished<Operation, true>, float, kSources>()
                 : uniform_lanes<Finished<Operation, false>, float, kSources>();
}

}  // namespace

LaneOperation approximate_operation(const ptx::Instruction& instruction, Step&) {
  const ptx::Modifiers& mod = instruction.mod;
  if (!has_only(mod, kApprox | kFull | kFtz) || mod.approx == mod.full) return nullptr;
  if (instruction.op == Opcode::kDiv) return mod.full ? finished<Quotient, 2>(mod) : finished<QuotientByReciprocal, 2>(mod);
  if (mod.full) return nullptr;
  switch (instruction.op) {
    case Opcode::kEx2: return finished<Exp2, 1>(mod);
    case Opcode::kLg2: return finished<Log2, 1>(mod);
    case Opcode::kRsqrt: return finished<ReciprocalRoot, 1>(mod);
    case Opcode::kRcp: return finished<Reciprocal, 1>(mod);
    case Opcode::kSqrt: return finished<SquareRoot, 1>(mod);
    case Opcode::kSin: return finished<Sine, 1>(mod);
    case Opcode::kCos: return finished<Cosine, 1>(mod);
    case Opcode::kTanh: return mod.ftz ? nullptr : finished<Tanh, 1>(mod);
    default: return nullptr;
  }
}

}  // namespace warpbook::vgpu::ops
