// Bits counted, found, reversed, extracted and inserted, and the small dot products dp4a and dp2a. Positions and lengths beyond the
// register are defined by PTX, so every shift here is guarded: a C++ shift by the width or more is undefined.
#include <algorithm>

#include "judge/vgpu/ops/families.hpp"
#include "judge/vgpu/ops/lanes.hpp"

namespace warpbook::vgpu::ops {
namespace {

using ptx::Opcode;
using ptx::Type;

constexpr std::uint32_t kNotFound = 0xFFFFFFFFu;
constexpr std::uint32_t kByte = 0xFF;
constexpr std::uint32_t kLaneBits = 0x1F;  // what `.wrap` leaves of a position in 32 bits

template <class T>
constexpr std::uint32_t kBits = 8 * sizeof(T);

template <class T>
T shift_left(T value, std::uint32_t by) {
  return by < kBits<T> ? static_cast<T>(value << by) : T{0};
}
template <class T>
T shift_right(T value, std::uint32_t by) {
  return by < kBits<T> ? static_cast<T>(value >> by) : T{0};
}
/// The `length` lowest bits set; all of them from the width on.
template <class T>
T low_ones(std::uint32_t length) {
  return static_cast<T>(~shift_left(static_cast<T>(~T{0}), length));
}

/// A position or length operand. PTX restricts them to 0..255; outside, an H200 takes the low byte for 32-bit fields and clamps for
/// 64-bit ones.
template <class T>
std::uint32_t field_operand(std::uint32_t value) {
  return sizeof(T) == 8 ? std::min(value, kByte) : value & kByte;
}

template <class T>
struct PopulationCount {
  std::uint32_t operator()(T a) const { return static_cast<std::uint32_t>(std::popcount(a)); }
};
template <class T>
struct LeadingZeros {
  std::uint32_t operator()(T a) const { return static_cast<std::uint32_t>(std::countl_zero(a)); }
};
template <class T, bool kShiftAmount>
struct FindTopBit {
  std::uint32_t operator()(T a) const {
    using U = std::make_unsigned_t<T>;
    const U bits = a < T{0} ? static_cast<U>(~static_cast<U>(a)) : static_cast<U>(a);
    const auto zeros = static_cast<std::uint32_t>(std::countl_zero(bits));
    if (bits == 0) return kNotFound;
    return kShiftAmount ? zeros : kBits<T> - 1 - zeros;
  }
};
template <class T>
struct Reverse {
  T operator()(T a) const {
    T result = 0;
    for (std::uint32_t i = 0; i < kBits<T>; ++i) result = static_cast<T>(result << 1 | (a >> i & 1));
    return result;
  }
};
template <class T>
struct Extract {
  T operator()(T a, std::uint32_t b, std::uint32_t c) const {
    using U = std::make_unsigned_t<T>;
    const std::uint32_t position = field_operand<T>(b), length = field_operand<T>(c);
    const U bits = static_cast<U>(a);
    const std::uint32_t top = position + length == 0 ? 0 : std::min(position + length - 1, kBits<T> - 1);
    const bool negative = std::is_signed_v<T> && length != 0 && (bits >> top & 1) != 0;
    // Bits of the field that lie beyond the register are sign bits too.
    const std::uint32_t present = position >= kBits<T> ? 0 : std::min(length, kBits<T> - position);
    const U field = shift_right(bits, position) & low_ones<U>(present);
    return static_cast<T>(negative ? field | static_cast<U>(~low_ones<U>(present)) : field);
  }
};
template <class T>
struct Insert {
  T operator()(T a, T b, std::uint32_t c, std::uint32_t d) const {
    const std::uint32_t position = field_operand<T>(c), length = field_operand<T>(d);
    const T mask = shift_left(low_ones<T>(length), position);
    return static_cast<T>((b & ~mask) | (shift_left(a, position) & mask));
  }
};

template <bool kSigned>
struct Extend {
  bool clamp;
  explicit Extend(const Step& step) : clamp(step.flags != 0) {}
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
    if (clamp && b > kLaneBits) return a;
    const std::uint32_t width = b & kLaneBits;
    const std::uint32_t kept = a & low_ones<std::uint32_t>(width);
    const bool negative = kSigned && width != 0 && (a >> (width - 1) & 1u) != 0;
    return negative ? kept | ~low_ones<std::uint32_t>(width) : kept;
  }
};
struct BitMask {
  bool clamp;
  explicit BitMask(const Step& step) : clamp(step.flags != 0) {}
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
    const std::uint32_t position = clamp ? a : a & kLaneBits;
    const std::uint32_t width = clamp ? b : b & kLaneBits;
    return shift_left(low_ones<std::uint32_t>(width), position);
  }
};
struct FindNthSet {
  std::uint32_t operator()(std::uint32_t mask, std::uint32_t base, std::int32_t offset) const {
    constexpr int kWidth = 32;
    if (base >= kWidth) return kNotFound;  // undefined in PTX
    if (offset == 0) return (mask >> base & 1u) != 0 ? base : kNotFound;
    const int step = offset > 0 ? 1 : -1;
    std::uint32_t left = offset > 0 ? static_cast<std::uint32_t>(offset) : 0u - static_cast<std::uint32_t>(offset);
    for (int position = static_cast<int>(base); position >= 0 && position < kWidth; position += step) {
      if ((mask >> position & 1u) != 0 && --left == 0) return static_cast<std::uint32_t>(position);
    }
    return kNotFound;
  }
};

/// Element `index` of a register that packs values of `kWidth` bits, extended as `kSigned` says. As unsigned, so that sums may wrap.
template <int kWidth, bool kSigned>
std::uint32_t element(std::uint32_t packed, int index) {
  constexpr int kUnused = 32 - kWidth;
  const std::uint32_t top = packed << (kUnused - kWidth * index);
  return kSigned ? static_cast<std::uint32_t>(static_cast<std::int32_t>(top) >> kUnused) : top >> kUnused;
}
template <bool kSignedA, bool kSignedB>
struct Dot4 {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    for (int i = 0; i < 4; ++i) c += element<8, kSignedA>(a, i) * element<8, kSignedB>(b, i);
    return c;
  }
};
template <bool kSignedA, bool kSignedB, int kFirst>
struct Dot2 {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    for (int i = 0; i < 2; ++i) c += element<16, kSignedA>(a, i) * element<8, kSignedB>(b, kFirst + i);
    return c;
  }
};

template <bool kSignedA, bool kSignedB>
LaneOperation dot(const ptx::Instruction& instruction) {
  if (instruction.op == Opcode::kDp4a) return uniform_lanes<Dot4<kSignedA, kSignedB>, std::uint32_t, 3>();
  if (instruction.mod.mul == ptx::MulMode::kLo) return uniform_lanes<Dot2<kSignedA, kSignedB, 0>, std::uint32_t, 3>();
  if (instruction.mod.mul == ptx::MulMode::kHi) return uniform_lanes<Dot2<kSignedA, kSignedB, 2>, std::uint32_t, 3>();
  return nullptr;
}

LaneOperation dot_product(const ptx::Instruction& instruction) {
  if (!has_only(instruction.mod, instruction.op == Opcode::kDp2a ? kMulMode : kPlain) || instruction.types.size() != 2) return nullptr;
  for (const Type type : instruction.types) {
    if (type != Type::kU32 && type != Type::kS32) return nullptr;
  }
  const bool a = ptx::is_signed(instruction.types[0]), b = ptx::is_signed(instruction.types[1]);
  if (a) return b ? dot<true, true>(instruction) : dot<true, false>(instruction);
  return b ? dot<false, true>(instruction) : dot<false, false>(instruction);
}

bool is_32_or_64(Type type) { return ptx::bits_of(type) == 32 || ptx::bits_of(type) == 64; }

LaneOperation find_top_bit(const ptx::Instruction& instruction) {
  if (!has_only(instruction.mod, kShiftAmount)) return nullptr;
  return for_integer(first_type(instruction), [&]<class T>() -> LaneOperation {
    if (instruction.mod.shiftamt) return lanes<FindTopBit<T, true>, std::uint32_t, T>;
    return lanes<FindTopBit<T, false>, std::uint32_t, T>;
  });
}

LaneOperation clamped_or_wrapped(const ptx::Instruction& instruction, Step& step) {
  const ptx::Modifiers& mod = instruction.mod;
  const Type type = first_type(instruction);
  if (!has_only(mod, kShiftMode) || mod.clamp == mod.wrap || mod.left || mod.right) return nullptr;
  step.flags = mod.clamp ? 1 : 0;
  if (instruction.op == Opcode::kBmsk) return type == Type::kB32 ? uniform_lanes<BitMask, std::uint32_t, 2>() : nullptr;
  if (type == Type::kS32) return uniform_lanes<Extend<true>, std::uint32_t, 2>();
  if (type == Type::kU32) return uniform_lanes<Extend<false>, std::uint32_t, 2>();
  return nullptr;
}

}  // namespace

LaneOperation bit_field_operation(const ptx::Instruction& instruction, Step& step) {
  const Type type = first_type(instruction);
  switch (instruction.op) {
    case Opcode::kDp4a:
    case Opcode::kDp2a: return dot_product(instruction);
    case Opcode::kSzext:
    case Opcode::kBmsk: return clamped_or_wrapped(instruction, step);
    case Opcode::kBfind: return is_32_or_64(type) ? find_top_bit(instruction) : nullptr;
    default: break;
  }
  if (!has_only(instruction.mod, kPlain) || !is_32_or_64(type)) return nullptr;
  switch (instruction.op) {
    case Opcode::kPopc: return for_bits(type, []<class T>() { return LaneOperation{lanes<PopulationCount<T>, std::uint32_t, T>}; });
    case Opcode::kClz: return for_bits(type, []<class T>() { return LaneOperation{lanes<LeadingZeros<T>, std::uint32_t, T>}; });
    case Opcode::kBrev: return for_bits(type, []<class T>() { return uniform_lanes<Reverse<T>, T, 1>(); });
    case Opcode::kBfe:
      return for_integer(type, []<class T>() { return LaneOperation{lanes<Extract<T>, T, T, std::uint32_t, std::uint32_t>}; });
    case Opcode::kBfi:
      return for_bits(type, []<class T>() { return LaneOperation{lanes<Insert<T>, T, T, T, std::uint32_t, std::uint32_t>}; });
    case Opcode::kFns: return lanes<FindNthSet, std::uint32_t, std::uint32_t, std::uint32_t, std::int32_t>;
    default: return nullptr;
  }
}

}  // namespace warpbook::vgpu::ops
