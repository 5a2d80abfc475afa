// cvt with a float on either side. The matrix is 12 by 12 types with up to four roundings, .ftz, .sat and .relu; few of its cells are hot.
// So every cell runs through one pipeline, in which a row of doubles is the middle: every source but a 64-bit integer is exact in
// double, and the last stage rounds once, in the mode asked for. 64-bit integers take their own way (to f32 and f64 the host rounds them
// directly; to halves they pass through a double that keeps a sticky last bit). The cells that kernels live on are direct loops.
#include <cmath>
#include <limits>

#include "judge/vgpu/ops/convert_rows.hpp"
#include "judge/vgpu/ops/families.hpp"
#include "judge/vgpu/ops/half_format.hpp"

namespace warpbook::vgpu::ops {
namespace {

using ptx::Rounding;
using ptx::Type;

/// step.immediate of a conversion that rounds: the mode, and what else the last stage does.
enum ConvertBits : std::int64_t { kModeMask = 0xFF, kFlushBit = 0x100, kSaturateBit = 0x200, kReluBit = 0x400 };
Rounding mode_of(const Step& step) { return static_cast<Rounding>(step.immediate & kModeMask); }

/// Tags for the floats; half formats are their own.
struct Single {};
struct Double {};
template <class Float>
using FloatRow = std::conditional_t<std::is_same_v<Float, Double>, std::uint64_t,
                                    std::conditional_t<std::is_same_v<Float, Single>, std::uint32_t, std::uint16_t>>;

template <class Float>
void to_doubles(bool flush, const FloatRow<Float>* in, double* out) {
  if constexpr (std::is_same_v<Float, Double>) {
    for (int lane = 0; lane < kWarpSize; ++lane) out[lane] = double_of_bits(in[lane]);
  } else if constexpr (std::is_same_v<Float, Single>) {
    if (flush) {
      for (int lane = 0; lane < kWarpSize; ++lane) out[lane] = static_cast<double>(flushed(float_of_bits(in[lane])));
    } else {
      for (int lane = 0; lane < kWarpSize; ++lane) out[lane] = static_cast<double>(float_of_bits(in[lane]));
    }
  } else {
    for (int lane = 0; lane < kWarpSize; ++lane) out[lane] = static_cast<double>(float_of_half<Float>(in[lane]));
  }
}

/// A NaN made quiet, as the rounding instructions of hosts and GPUs do; the library functions that stand in for them do not.
double quiet(double x) { return std::isnan(x) ? x + x : x; }

/// The integer roundings .rni .rzi .rmi .rpi; other modes leave the row alone.
void round_to_integers(Rounding mode, double* row) {
  switch (mode) {
    case Rounding::kRni:
      for (int lane = 0; lane < kWarpSize; ++lane) row[lane] = std::nearbyint(quiet(row[lane]));
      break;
    case Rounding::kRzi:
      for (int lane = 0; lane < kWarpSize; ++lane) row[lane] = std::trunc(quiet(row[lane]));
      break;
    case Rounding::kRmi:
      for (int lane = 0; lane < kWarpSize; ++lane) row[lane] = std::floor(quiet(row[lane]));
      break;
    case Rounding::kRpi:
      for (int lane = 0; lane < kWarpSize; ++lane) row[lane] = std::ceil(quiet(row[lane]));
      break;
    default: break;
  }
}

/// Runs `use` while the host rounds in `mode`. What `use` computes must come from memory and go to memory.
template <class Use>
void in_rounding(Rounding mode, const Use& use) {
  if (mode == Rounding::kRz) {
    const RoundingScope<Rounding::kRz> scope;
    use();
  } else if (mode == Rounding::kRm) {
    const RoundingScope<Rounding::kRm> scope;
    use();
  } else if (mode == Rounding::kRp) {
    const RoundingScope<Rounding::kRp> scope;
    use();
  } else {
    use();
  }
}

/// NaN of a double as NaN of a half: sign and what fits of the payload.
template <class Format>
std::uint16_t half_nan(double nan) {
  constexpr std::uint64_t kMantissa = (std::uint64_t{1} << Format::kMantissaBits) - 1;
  const std::uint64_t bits = bits_of_double(nan) | kQuiet64;
  return static_cast<std::uint16_t>((bits >> 48 & kSign16) | Format::kInfinity | (bits >> (52 - Format::kMantissaBits) & kMantissa));
}

/// The last stage: doubles to the destination format, rounded once. Hardware gives its one NaN where the source was single or half
/// (kOneNan), but keeps sign and payload of a double's. (f64 from a narrower float keeps them too, unless .ftz makes it an f32 sum.)
template <class Float, bool kOneNan>
void from_doubles(const Step& step, double* in, FloatRow<Float>* out) {
  if ((step.immediate & kSaturateBit) != 0) {
    for (int lane = 0; lane < kWarpSize; ++lane) in[lane] = saturated_unit(in[lane]);
  }
  if constexpr (std::is_same_v<Float, Double>) {
    const bool one_nan = kOneNan && (step.immediate & kFlushBit) != 0;
    const double nan = static_cast<double>(float_of_bits(kNan32));
    for (int lane = 0; lane < kWarpSize; ++lane) out[lane] = bits_of_double(one_nan && in[lane] != in[lane] ? nan : in[lane]);
  } else if constexpr (std::is_same_v<Float, Single>) {
    in_rounding(mode_of(step), [&] {
      if ((step.immediate & kFlushBit) != 0) {  // what is below 2^-126 when rounded as if the exponent had no end; see float32.cpp
        for (int lane = 0; lane < kWarpSize; ++lane) {
          const bool below = std::fabs(static_cast<float>(in[lane] * 0x1p64)) < 0x1p-62f;
          in[lane] = below ? double_of_bits(bits_of_double(in[lane]) & kSign64) : in[lane];
        }
      }
      for (int lane = 0; lane < kWarpSize; ++lane) {
        const auto rounded = static_cast<float>(in[lane]);
        out[lane] = bits_of_float(kOneNan ? canonical(rounded) : rounded);
      }
    });
  } else {
    const Rounding mode = mode_of(step);
    if (mode == Rounding::kRz || mode == Rounding::kRm || mode == Rounding::kRp) {
      for (int lane = 0; lane < kWarpSize; ++lane) out[lane] = half_of_double<Float>(in[lane], mode);
    } else {
      for (int lane = 0; lane < kWarpSize; ++lane) out[lane] = half_of_double<Float>(in[lane]);
    }
    if constexpr (!kOneNan) {
      for (int lane = 0; lane < kWarpSize; ++lane) out[lane] = in[lane] != in[lane] ? half_nan<Float>(in[lane]) : out[lane];
    }
    if ((step.immediate & kReluBit) != 0) {
      for (int lane = 0; lane < kWarpSize; ++lane) out[lane] = (out[lane] & kSign16) != 0 ? std::uint16_t{0} : out[lane];
    }
  }
}

template <class From, class To>
struct FloatToFloat {
  using In = FloatRow<From>;
  using Out = FloatRow<To>;
  static constexpr bool kSigned = false;
  static constexpr bool kOneNan = !std::is_same_v<From, Double>;
  static void run(const Step& step, const In* in, Out* out) {
    alignas(64) double row[kWarpSize];
    // An H200 overlooks .ftz of cvt.f16.f32.
    const bool flush = (step.immediate & kFlushBit) != 0 && !std::is_same_v<To, Half>;
    to_doubles<From>(flush, in, row);
    round_to_integers(mode_of(step), row);
    from_doubles<To, kOneNan>(step, row, out);
  }
};

/// Clamps to the range of To. NaN becomes 0, or 1 << (width - 1) when a 64-bit type is involved.
template <class To, bool kNanIsTop>
To integer_of(double value) {
  using Limits = std::numeric_limits<To>;
  constexpr To kNan = kNanIsTop ? static_cast<To>(std::uint64_t{1} << (8 * sizeof(To) - 1)) : To{0};
  if constexpr (sizeof(To) == 8) {
    constexpr double kBeyond = std::is_signed_v<To> ? 0x1p63 : 0x1p64;
    if (value != value) return kNan;
    if (value >= kBeyond) return Limits::max();
    if (value <= static_cast<double>(Limits::min())) return Limits::min();
    return static_cast<To>(value);
  } else {
    constexpr double kIntegerInLowBits = 0x1.8p52;
    constexpr double kLow = Limits::min(), kHigh = Limits::max();
    const double clamped = value < kLow ? kLow : value > kHigh ? kHigh : value;
    const auto low_bits = static_cast<std::uint32_t>(bits_of_double(clamped + kIntegerInLowBits));
    return value != value ? kNan : static_cast<To>(low_bits);
  }
}

template <class From, class To>
struct FloatToInteger {
  using In = FloatRow<From>;
  using Out = RowOf<To>;
  static constexpr bool kSigned = std::is_signed_v<To>;
  static constexpr bool kNanIsTop = std::is_same_v<From, Double> || sizeof(To) == 8;
  static void run(const Step& step, const In* in, Out* out) {
    alignas(64) double row[kWarpSize];
    to_doubles<From>((step.immediate & kFlushBit) != 0, in, row);
    round_to_integers(mode_of(step), row);
    for (int lane = 0; lane < kWarpSize; ++lane) out[lane] = static_cast<Out>(integer_of<To, kNanIsTop>(row[lane]));
  }
};

/// `value` as a double; of a 64-bit integer the 53 upper bits, the last of them set when any below was (rounded to odd).
template <class From>
double sticky_double(From value) {
  if constexpr (sizeof(From) < 8) {
    return static_cast<double>(value);
  } else {
    constexpr int kSpare = 64 - 53;
    const bool negative = std::is_signed_v<From> && value < From{0};
    const std::uint64_t magnitude = negative ? 0u - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    const int drop = kSpare - std::countl_zero(magnitude);
    if (drop <= 0) return negative ? -static_cast<double>(magnitude) : static_cast<double>(magnitude);
    const std::uint64_t lost = magnitude & ((std::uint64_t{1} << drop) - 1);
    const auto kept = static_cast<double>((magnitude >> drop | (lost != 0 ? 1u : 0u)) << drop);
    return negative ? -kept : kept;
  }
}

template <class From, class To>
struct IntegerToFloat {
  using In = RowOf<From>;
  using Out = FloatRow<To>;
  static constexpr bool kSigned = false;
  static void run(const Step& step, const In* in, Out* out) {
    if ((step.immediate & kSaturateBit) != 0) {  // of the integers only 0 and 1 are in [0, 1]
      alignas(64) double row[kWarpSize];
      for (int lane = 0; lane < kWarpSize; ++lane) row[lane] = static_cast<From>(in[lane]) > From{0} ? 1.0 : 0.0;
      from_doubles<To, true>(step, row, out);
    } else if constexpr (std::is_same_v<To, Single> && sizeof(From) == 8) {
      in_rounding(mode_of(step), [&] {
        for (int lane = 0; lane < kWarpSize; ++lane) out[lane] = bits_of_float(static_cast<float>(static_cast<From>(in[lane])));
      });
    } else if constexpr (std::is_same_v<To, Double>) {
      in_rounding(mode_of(step), [&] {
        for (int lane = 0; lane < kWarpSize; ++lane) out[lane] = bits_of_double(static_cast<double>(static_cast<From>(in[lane])));
      });
    } else {
      alignas(64) double row[kWarpSize];
      for (int lane = 0; lane < kWarpSize; ++lane) row[lane] = sticky_double(static_cast<From>(in[lane]));
      from_doubles<To, true>(step, row, out);
    }
  }
};

// Direct loops for the cells that kernels use all the time.

struct SingleToHalf {
  std::uint16_t operator()(float a) const { return half_of_float(a); }
};
/// Round to nearest even at bit 16; a carry moves into the exponent as it should.
struct SingleToBFloat {
  std::uint16_t operator()(float a) const {
    const std::uint32_t bits = bits_of_float(a);
    const std::uint32_t rounded = (bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16;
    return static_cast<std::uint16_t>(a != a ? std::uint32_t{BFloat::kNan} : rounded);
  }
};
struct HalfToSingle {
  float operator()(std::uint16_t a) const { return canonical(float_of_half<Half>(a)); }
};
struct BFloatToSingle {  // a move: NaN stays what it is
  std::uint32_t operator()(std::uint16_t a) const { return static_cast<std::uint32_t>(a) << 16; }
};
struct SameSingle {
  std::uint32_t operator()(std::uint32_t a) const { return a; }
};
struct SingleToDouble {
  double operator()(float a) const { return static_cast<double>(a); }
};
struct DoubleToSingle {
  float operator()(double a) const { return static_cast<float>(a); }
};
template <class From>
struct IntegerToSingle {
  float operator()(From a) const { return static_cast<float>(static_cast<double>(a)); }
};
template <Rounding kMode, bool kFlush>
struct SingleToIntegral {
  float operator()(float a) const {
    a = kFlush ? flushed(a) : a;
    if constexpr (kMode == Rounding::kRni) return canonical(std::nearbyint(a));
    if constexpr (kMode == Rounding::kRzi) return canonical(std::trunc(a));
    if constexpr (kMode == Rounding::kRmi) return canonical(std::floor(a));
    return canonical(std::ceil(a));
  }
};

template <Rounding kMode>
LaneOperation single_to_integral(bool flush) {
  return flush ? convert_lanes<ByFunctor<SingleToIntegral<kMode, true>, float, float>>
               : convert_lanes<ByFunctor<SingleToIntegral<kMode, false>, float, float>>;
}

LaneOperation direct_conversion(Type from, Type to, const ptx::Modifiers& mod) {
  if (mod.sat || mod.relu) return nullptr;
  if (from == Type::kF32 && to == Type::kF32) {
    switch (mod.rounding) {
      case Rounding::kRni: return single_to_integral<Rounding::kRni>(mod.ftz);
      case Rounding::kRzi: return single_to_integral<Rounding::kRzi>(mod.ftz);
      case Rounding::kRmi: return single_to_integral<Rounding::kRmi>(mod.ftz);
      case Rounding::kRpi: return single_to_integral<Rounding::kRpi>(mod.ftz);
      case Rounding::kNone: return mod.ftz ? nullptr : convert_lanes<ByFunctor<SameSingle, std::uint32_t, std::uint32_t>>;
      default: return nullptr;
    }
  }
  if (mod.ftz) return nullptr;
  if (mod.rounding == Rounding::kNone) {
    if (from == Type::kF16 && to == Type::kF32) return convert_lanes<ByFunctor<HalfToSingle, std::uint16_t, float>>;
    if (from == Type::kBF16 && to == Type::kF32) return convert_lanes<ByFunctor<BFloatToSingle, std::uint16_t, std::uint32_t>>;
    if (from == Type::kF32 && to == Type::kF64) return convert_lanes<ByFunctor<SingleToDouble, float, double>>;
  }
  if (mod.rounding == Rounding::kRn) {
    if (from == Type::kF32 && to == Type::kF16) return convert_lanes<ByFunctor<SingleToHalf, float, std::uint16_t>>;
    if (from == Type::kF32 && to == Type::kBF16) return convert_lanes<ByFunctor<SingleToBFloat, float, std::uint16_t>>;
    if (from == Type::kF64 && to == Type::kF32) return convert_lanes<ByFunctor<DoubleToSingle, double, float>>;
    if (from == Type::kS32 && to == Type::kF32) return convert_lanes<ByFunctor<IntegerToSingle<std::int32_t>, std::int32_t, float>>;
    if (from == Type::kU32 && to == Type::kF32) return convert_lanes<ByFunctor<IntegerToSingle<std::uint32_t>, std::uint32_t, float>>;
  }
  return nullptr;
}

/// cvt.f16x2.f32 and cvt.bf16x2.f32: `a` into the upper half, `b` into the lower one.
template <class Format, bool kTowardsZero, bool kRelu>
struct PackPair {
  static std::uint32_t half(float value) {
    std::uint16_t bits;
    if constexpr (kTowardsZero) {
      bits = half_of_double<Format>(static_cast<double>(value), Rounding::kRz);
    } else if constexpr (std::is_same_v<Format, Half>) {
      bits = half_of_float(value);
    } else {
      bits = SingleToBFloat{}(value);
    }
    return kRelu && (bits & kSign16) != 0 ? 0u : bits;
  }
  std::uint32_t operator()(float a, float b) const { return half(a) << 16 | half(b); }
};

template <class Format>
LaneOperation pack_pair(const ptx::Modifiers& mod) {
  if (!has_only(mod, kRounding | kRelu)) return nullptr;
  if (mod.rounding == Rounding::kRn) {
    return mod.relu ? lanes<PackPair<Format, false, true>, std::uint32_t, float, float>
                    : lanes<PackPair<Format, false, false>, std::uint32_t, float, float>;
  }
  if (mod.rounding != Rounding::kRz) return nullptr;
  return mod.relu ? lanes<PackPair<Format, true, true>, std::uint32_t, float, float>
                  : lanes<PackPair<Format, true, false>, std::uint32_t, float, float>;
}

template <class Use>
LaneOperation for_float(Type type, const Use& use) {
  switch (type) {
    case Type::kF16: return use.template operator()<Half>();
    case Type::kBF16: return use.template operator()<BFloat>();
    case Type::kF32: return use.template operator()<Single>();
    case Type::kF64: return use.template operator()<Double>();
    default: return nullptr;
  }
}
template <class Use>
LaneOperation for_cvt_integer(Type type, const Use& use) {
  if (type == Type::kU8) return use.template operator()<std::uint8_t>();
  if (type == Type::kS8) return use.template operator()<std::int8_t>();
  if (type == Type::kB16 || type == Type::kB32 || type == Type::kB64) return nullptr;
  return for_integer(type, use);
}

bool is_integer_rounding(Rounding mode) {
  return mode == Rounding::kRni || mode == Rounding::kRzi || mode == Rounding::kRmi || mode == Rounding::kRpi;
}
bool is_float_rounding(Rounding mode) {
  return mode == Rounding::kRn || mode == Rounding::kRz || mode == Rounding::kRm || mode == Rounding::kRp;
}

/// PTX's rules on which rounding a pair of types takes; what breaks them is refused rather than guessed at.
bool rounding_fits(Type from, Type to, Rounding mode) {
  const bool from_float = ptx::is_float(from), to_float = ptx::is_float(to);
  if (from_float && !to_float) return is_integer_rounding(mode);
  if (!from_float) return is_float_rounding(mode);
  if (from == to) return mode == Rounding::kNone || is_integer_rounding(mode);
  // A wider float, other than between f16 and bf16, neither of which contains the other.
  if (ptx::bits_of(to) > ptx::bits_of(from)) return mode == Rounding::kNone || is_float_rounding(mode);
  return is_float_rounding(mode);
}

/// Bytes of the row in which an operand's register lives; immediates have the natural width of `type`.
int row_bytes(const ptx::Operand& operand, Type type, const ptx::Function& function) {
  const auto index = static_cast<std::size_t>(operand.reg);
  const bool known = operand.kind == ptx::OperandKind::kRegister && operand.reg >= 0 && index < function.registers.size();
  const int bits = ptx::bits_of(known ? function.registers[index].type : type);
  return bits == 64 ? 8 : bits == 32 ? 4 : 2;
}

LaneOperation float_conversion(Type from, Type to, const ptx::Modifiers& mod, Step& step) {
  if (!rounding_fits(from, to, mod.rounding)) return nullptr;
  const bool has_single = from == Type::kF32 || to == Type::kF32;
  const bool to_half = to == Type::kF16 || to == Type::kBF16;
  if ((mod.ftz && !has_single) || (mod.relu && !to_half) || (mod.sat && mod.relu)) return nullptr;
  if (const LaneOperation direct = direct_conversion(from, to, mod)) return direct;
  step.immediate = static_cast<std::int64_t>(mod.rounding);
  if (mod.ftz) step.immediate |= kFlushBit;
  if (mod.relu) step.immediate |= kReluBit;
  if (!ptx::is_float(to)) {  // .sat is the default
    return for_float(from, [&]<class From>() {
      return for_cvt_integer(to, []<class To>() { return LaneOperation{convert_lanes<FloatToInteger<From, To>>}; });
    });
  }
  if (mod.sat) step.immediate |= kSaturateBit;
  if (!ptx::is_float(from)) {
    if (mod.ftz || mod.relu) return nullptr;
    return for_cvt_integer(from, [&]<class From>() {
      return for_float(to, []<class To>() { return LaneOperation{convert_lanes<IntegerToFloat<From, To>>}; });
    });
  }
  return for_float(
      from, [&]<class From>() { return for_float(to, []<class To>() { return LaneOperation{convert_lanes<FloatToFloat<From, To>>}; }); });
}

}  // namespace

LaneOperation convert_operation(const ptx::Instruction& instruction, const ptx::Function& function, Step& step) {
  const ptx::Modifiers& mod = instruction.mod;
  if (instruction.types.empty() || instruction.src.empty() || instruction.dst.empty()) return nullptr;
  if (is_narrow_conversion(instruction)) return narrow_conversion(instruction);
  if (instruction.types.size() != 2 || !has_only(mod, kRounding | kFtz | kSat | kRelu)) return nullptr;
  const Type to = instruction.types[0], from = instruction.types[1];
  if (to == Type::kF16x2 || to == Type::kBF16x2) {
    if (from != Type::kF32 || instruction.src.size() != 2) return nullptr;
    return to == Type::kF16x2 ? pack_pair<Half>(mod) : pack_pair<BFloat>(mod);
  }
  step.flags = width_flags(row_bytes(instruction.src[0], from, function), row_bytes(instruction.dst[0], to, function));
  if (ptx::is_float(from) || ptx::is_float(to)) return float_conversion(from, to, mod, step);
  return mod.rounding == Rounding::kNone && !mod.ftz && !mod.relu ? convert_integer(from, to, mod.sat) : nullptr;
}

}  // namespace warpbook::vgpu::ops
