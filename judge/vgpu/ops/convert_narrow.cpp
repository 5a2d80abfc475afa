// The conversions that stand apart from the matrix of convert.cpp: to tf32, to and from pairs of 8-bit floats, halves clamped to their
// largest number (.satfinite), and integers packed into fields (.pack).
#include <algorithm>
#include <cmath>

#include "judge/vgpu/ops/families.hpp"
#include "judge/vgpu/ops/half_format.hpp"
#include "judge/vgpu/ops/lanes.hpp"

namespace warpbook::vgpu::ops {
namespace {

using ptx::Rounding;
using ptx::Type;

/// The 8-bit floats as half_of_double sees a format: their bits stand in the low byte, the sign in bit 15. "Infinity" is the first pattern
/// behind the largest number; e4m3 has no infinity and only that one NaN.
struct E4M3 {
  static constexpr int kMantissaBits = 3, kMinExponent = -6, kMaxExponent = 8;
  static constexpr std::uint16_t kInfinity = 0x7F, kNan = 0x7F;
};
struct E5M2 {
  static constexpr int kMantissaBits = 2, kMinExponent = -14, kMaxExponent = 15;
  static constexpr std::uint16_t kInfinity = 0x7C, kNan = 0x7F;
};

/// Rounded, and not beyond the largest number of the format.
template <class Format>
std::uint16_t saturated_half(double value, Rounding mode, bool relu) {
  if (value != value) return Format::kNan;
  const std::uint16_t bits = half_of_double<Format>(value, mode);
  const auto magnitude = static_cast<std::uint16_t>(std::min<int>(bits & 0x7FFF, Format::kInfinity - 1));
  const bool negative = (bits & kSign16) != 0;
  if (negative && relu) return 0;
  return static_cast<std::uint16_t>(magnitude | (negative ? kSign16 : 0));
}

template <class Format>
std::uint16_t byte_float(double value, bool relu) {
  const std::uint16_t bits = saturated_half<Format>(value, Rounding::kRn, relu);
  return static_cast<std::uint16_t>((bits & 0x7F) | (bits >> 8 & 0x80));
}

/// An 8-bit float as f16: both 8-bit formats fit into it.
template <class Format>
std::uint16_t half_of_byte(std::uint32_t byte, bool relu) {
  const std::uint32_t magnitude = byte & 0x7F, sign = (byte & 0x80) << 8;
  if constexpr (std::is_same_v<Format, E5M2>) {
    if (magnitude > Format::kInfinity) return Half::kNan;
    return relu && sign != 0 ? std::uint16_t{0} : static_cast<std::uint16_t>(sign | magnitude << 8);
  } else {
    if (magnitude == Format::kNan) return Half::kNan;
    if (relu && sign != 0) return 0;
    const int exponent = static_cast<int>(magnitude >> Format::kMantissaBits);
    const auto digits = static_cast<double>((magnitude & 7) | (exponent == 0 ? 0 : 8));
    const double value = std::ldexp(digits, std::max(exponent, 1) - 1 + Format::kMinExponent - Format::kMantissaBits);
    return static_cast<std::uint16_t>(half_of_double<Half>(value) | sign);
  }
}

template <class Format, bool kRelu>
struct SinglesToBytes {
  std::uint16_t operator()(float a, float b) const {
    return static_cast<std::uint16_t>(byte_float<Format>(static_cast<double>(a), kRelu) << 8 |
                                      byte_float<Format>(static_cast<double>(b), kRelu));
  }
};
template <class Format, bool kRelu>
struct HalvesToBytes {
  std::uint16_t operator()(std::uint32_t a) const {
    const auto byte = [](std::uint32_t half) {
      return byte_float<Format>(static_cast<double>(float_of_half<Half>(static_cast<std::uint16_t>(half))), kRelu);
    };
    return static_cast<std::uint16_t>(byte(a >> 16) << 8 | byte(a & 0xFFFFu));
  }
};
template <class Format, bool kRelu>
struct BytesToHalves {
  std::uint32_t operator()(std::uint16_t a) const {
    return std::uint32_t{half_of_byte<Format>(a >> 8u, kRelu)} << 16 | half_of_byte<Format>(a & 0xFFu, kRelu);
  }
};
template <class Format, Rounding kMode, bool kRelu>
struct SingleToSaturated {
  std::uint16_t operator()(float a) const { return saturated_half<Format>(static_cast<double>(a), kMode, kRelu); }
};
template <class Format, Rounding kMode, bool kRelu>
struct SinglesToSaturated {
  std::uint32_t operator()(float a, float b) const {
    const SingleToSaturated<Format, kMode, kRelu> half;
    return std::uint32_t{half(a)} << 16 | half(b);
  }
};

/// tf32 is f32 with the lower 13 bits zero. .rna lets NaN and infinity pass, cut off; the other roundings give the one NaN.
template <Rounding kMode, bool kRelu, bool kSaturate>
struct SingleToTf32 {
  static constexpr std::uint32_t kUnit = 0x2000, kLower = kUnit - 1;
  std::uint32_t operator()(std::uint32_t a) const {
    const std::uint32_t sign = a & kSign32, magnitude = a & ~kSign32;
    if (kMode != Rounding::kRna && magnitude > kExponent32) return kNan32 & ~kLower;
    if (kRelu && sign != 0) return 0;
    std::uint32_t rounded = magnitude;
    if (magnitude < kExponent32) {
      if constexpr (kMode == Rounding::kRna) rounded += kUnit / 2;
      if constexpr (kMode == Rounding::kRn) rounded += kLower / 2 + (magnitude / kUnit & 1u);
    }
    rounded &= ~kLower;
    if (kSaturate && rounded >= kExponent32) rounded -= kUnit;  // of a NaN too: so an H200
    return sign | rounded;
  }
};

/// a and b clamped to kBits each, above as many bits of c as are left.
template <int kBits, bool kSigned, int kSources>
struct Pack {
  static std::uint32_t clamped(std::int32_t value) {
    constexpr std::int32_t kLow = kSigned ? -(1 << (kBits - 1)) : 0, kHigh = (1 << (kSigned ? kBits - 1 : kBits)) - 1;
    return static_cast<std::uint32_t>(std::clamp(value, kLow, kHigh)) & ((1u << kBits) - 1);
  }
  std::uint32_t operator()(std::int32_t a, std::int32_t b) const { return clamped(a) << kBits | clamped(b); }
  std::uint32_t operator()(std::int32_t a, std::int32_t b, std::uint32_t c) const {
    return c << (2 * kBits) | clamped(a) << kBits | clamped(b);
  }
};

LaneOperation pack(const ptx::Instruction& instruction) {
  const ptx::Modifiers& mod = instruction.mod;
  if (!has_only(mod, kSat | kOther) || !mod.sat) return nullptr;
  if (mod.other == ".pack") {
    const Type type = first_type(instruction);
    if (type == Type::kU16) return lanes<Pack<16, false, 2>, std::uint32_t, std::int32_t, std::int32_t>;
    return type == Type::kS16 ? lanes<Pack<16, true, 2>, std::uint32_t, std::int32_t, std::int32_t> : nullptr;
  }
  const auto with_rest = []<int kBits, bool kSigned>() -> LaneOperation {
    return lanes<Pack<kBits, kSigned, 3>, std::uint32_t, std::int32_t, std::int32_t, std::uint32_t>;
  };
  if (mod.other == ".pack.u8") return with_rest.operator()<8, false>();
  if (mod.other == ".pack.s8") return with_rest.operator()<8, true>();
  if (mod.other == ".pack.u4") return with_rest.operator()<4, false>();
  if (mod.other == ".pack.s4") return with_rest.operator()<4, true>();
  if (mod.other == ".pack.u2") return with_rest.operator()<2, false>();
  if (mod.other == ".pack.s2") return with_rest.operator()<2, true>();
  return nullptr;
}

template <class Format, bool kRelu>
LaneOperation bytes(Type to, Type from) {
  if (to == Type::kF16x2) return lanes<BytesToHalves<Format, kRelu>, std::uint32_t, std::uint16_t>;
  if (from == Type::kF16x2) return lanes<HalvesToBytes<Format, kRelu>, std::uint16_t, std::uint32_t>;
  return from == Type::kF32 ? LaneOperation{lanes<SinglesToBytes<Format, kRelu>, std::uint16_t, float, float>} : nullptr;
}

template <class Format, Rounding kMode, bool kRelu>
LaneOperation saturated(bool pair) {
  return pair ? LaneOperation{lanes<SinglesToSaturated<Format, kMode, kRelu>, std::uint32_t, float, float>}
              : LaneOperation{lanes<SingleToSaturated<Format, kMode, kRelu>, std::uint16_t, float>};
}
template <class Format>
LaneOperation saturated(const ptx::Modifiers& mod, bool pair) {
  if (mod.rounding == Rounding::kRn)
    return mod.relu ? saturated<Format, Rounding::kRn, true>(pair) : saturated<Format, Rounding::kRn, false>(pair);
  if (mod.rounding != Rounding::kRz) return nullptr;
  return mod.relu ? saturated<Format, Rounding::kRz, true>(pair) : saturated<Format, Rounding::kRz, false>(pair);
}

template <Rounding kMode, bool kRelu, bool kSaturate>
LaneOperation tf32() {
  return lanes<SingleToTf32<kMode, kRelu, kSaturate>, std::uint32_t, std::uint32_t>;
}
LaneOperation tf32(const ptx::Modifiers& mod, bool saturate) {
  switch (mod.rounding) {
    case Rounding::kRna:
      if (mod.relu) return nullptr;
      return saturate ? tf32<Rounding::kRna, false, true>() : tf32<Rounding::kRna, false, false>();
    case Rounding::kRn:
      if (saturate) return nullptr;
      return mod.relu ? tf32<Rounding::kRn, true, false>() : tf32<Rounding::kRn, false, false>();
    case Rounding::kRz:
      if (saturate) return nullptr;
      return mod.relu ? tf32<Rounding::kRz, true, false>() : tf32<Rounding::kRz, false, false>();
    default: return nullptr;
  }
}

}  // namespace

bool is_narrow_conversion(const ptx::Instruction& instruction) {
  const auto narrow = [](Type type) { return type == Type::kTF32 || type == Type::kE4M3x2 || type == Type::kE5M2x2; };
  return !instruction.mod.other.empty() || std::any_of(instruction.types.begin(), instruction.types.end(), narrow);
}

LaneOperation narrow_conversion(const ptx::Instruction& instruction) {
  const ptx::Modifiers& mod = instruction.mod;
  if (mod.other.starts_with(".pack")) return pack(instruction);
  const bool saturate = mod.other == ".satfinite";
  if (!has_only(mod, kRounding | kRelu | kOther) || (!saturate && !mod.other.empty()) || instruction.types.size() != 2) return nullptr;
  const Type to = instruction.types[0], from = instruction.types[1];
  if (to == Type::kTF32) return from == Type::kF32 ? tf32(mod, saturate) : nullptr;
  if (to == Type::kE4M3x2 || from == Type::kE4M3x2) return mod.relu ? bytes<E4M3, true>(to, from) : bytes<E4M3, false>(to, from);
  if (to == Type::kE5M2x2 || from == Type::kE5M2x2) return mod.relu ? bytes<E5M2, true>(to, from) : bytes<E5M2, false>(to, from);
  if (from != Type::kF32 || !saturate) return nullptr;
  switch (to) {
    case Type::kF16: return saturated<Half>(mod, false);
    case Type::kF16x2: return saturated<Half>(mod, true);
    case Type::kBF16: return saturated<BFloat>(mod, false);
    case Type::kBF16x2: return saturated<BFloat>(mod, true);
    default: return nullptr;
  }
}

}  // namespace warpbook::vgpu::ops
