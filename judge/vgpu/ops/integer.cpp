// Integer arithmetic. Everything wraps (PTX has no undefined overflow), so sums and products are computed on unsigned values. Two things
// that would stop an x86 program do not stop a GPU: division by zero, which PTX leaves unspecified and an H200 answers with all ones
// (quotient and remainder), and INT_MIN / -1. Quotients of 32 bits are taken in double, which vectorises: a / b and its neighbouring
// integers are at least 1/b apart, far more than a double's error, so truncation is exact.
#include <algorithm>
#include <cmath>
#include <limits>

#include "judge/vgpu/ops/families.hpp"
#include "judge/vgpu/ops/lanes.hpp"

namespace warpbook::vgpu::ops {
namespace {

using ptx::Opcode;
using ptx::Type;

template <class T>
using Unsigned = std::make_unsigned_t<T>;

/// Twice as wide as T, with T's sign.
template <class T>
struct WiderOf;
template <>
struct WiderOf<std::uint16_t> {
  using type = std::uint32_t;
};
template <>
struct WiderOf<std::int16_t> {
  using type = std::int32_t;
};
template <>
struct WiderOf<std::uint32_t> {
  using type = std::uint64_t;
};
template <>
struct WiderOf<std::int32_t> {
  using type = std::int64_t;
};
__extension__ using Unsigned128 = unsigned __int128;
__extension__ using Signed128 = __int128;
template <>
struct WiderOf<std::uint64_t> {
  using type = Unsigned128;
};
template <>
struct WiderOf<std::int64_t> {
  using type = Signed128;
};
template <class T>
using Wider = typename WiderOf<T>::type;

template <class T>
constexpr int kBits = 8 * static_cast<int>(sizeof(T));

template <class T>
T wrapping_add(T a, T b) {
  return static_cast<T>(static_cast<Unsigned<T>>(static_cast<Unsigned<T>>(a) + static_cast<Unsigned<T>>(b)));
}
template <class T>
T wrapping_subtract(T a, T b) {
  return static_cast<T>(static_cast<Unsigned<T>>(static_cast<Unsigned<T>>(a) - static_cast<Unsigned<T>>(b)));
}
template <class T>
Wider<T> full_product(T a, T b) {
  return static_cast<Wider<T>>(static_cast<Wider<T>>(a) * static_cast<Wider<T>>(b));
}
/// Low half of a product. The factor 1u keeps 16-bit values from being promoted to int, where 65535 * 65535 overflows.
template <class T>
T low_product(T a, T b) {
  return static_cast<T>(1u * static_cast<Unsigned<T>>(a) * static_cast<Unsigned<T>>(b));
}
template <class T>
T high_product(T a, T b) {
  return static_cast<T>(full_product(a, b) >> kBits<T>);
}
std::int32_t saturated(std::int64_t value) {
  constexpr std::int64_t kLow = std::numeric_limits<std::int32_t>::min();
  constexpr std::int64_t kHigh = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(value < kLow ? kLow : value > kHigh ? kHigh : value);
}

template <class T>
struct Add {
  T operator()(T a, T b) const { return wrapping_add(a, b); }
};
template <class T>
struct Subtract {
  T operator()(T a, T b) const { return wrapping_subtract(a, b); }
};
struct AddSaturated {
  std::int32_t operator()(std::int32_t a, std::int32_t b) const { return saturated(std::int64_t{a} + b); }
};
struct SubtractSaturated {
  std::int32_t operator()(std::int32_t a, std::int32_t b) const { return saturated(std::int64_t{a} - b); }
};
template <class T>
struct MultiplyLow {
  T operator()(T a, T b) const { return low_product(a, b); }
};
template <class T>
struct MultiplyHigh {
  T operator()(T a, T b) const { return high_product(a, b); }
};
template <class T>
struct MultiplyWide {
  Wider<T> operator()(T a, T b) const { return full_product(a, b); }
};
template <class T>
struct MultiplyAddLow {
  T operator()(T a, T b, T c) const { return wrapping_add(low_product(a, b), c); }
};
template <class T>
struct MultiplyAddHigh {
  T operator()(T a, T b, T c) const { return wrapping_add(high_product(a, b), c); }
};
struct MultiplyAddHighSaturated {
  std::int32_t operator()(std::int32_t a, std::int32_t b, std::int32_t c) const { return saturated(std::int64_t{high_product(a, b)} + c); }
};
template <class T>
struct MultiplyAddWide {
  Wider<T> operator()(T a, T b, Wider<T> c) const { return wrapping_add(full_product(a, b), c); }
};

/// What mad24 and mul24 see of a 32-bit register: its low 24 bits, extended with T's sign.
template <class T>
std::int64_t low24(T value) {
  constexpr int kUnused = 8;
  return static_cast<T>(static_cast<T>(static_cast<std::uint32_t>(value) << kUnused) >> kUnused);
}
template <class T, bool kHigh>
struct Multiply24 {
  T operator()(T a, T b) const {
    constexpr int kHighShift = 16;
    const std::int64_t product = low24(a) * low24(b);
    return static_cast<T>(kHigh ? product >> kHighShift : product);
  }
};
template <class T, bool kHigh>
struct MultiplyAdd24 {
  T operator()(T a, T b, T c) const { return wrapping_add(Multiply24<T, kHigh>{}(a, b), c); }
};
struct MultiplyAdd24HighSaturated {
  std::int32_t operator()(std::int32_t a, std::int32_t b, std::int32_t c) const {
    return saturated(std::int64_t{Multiply24<std::int32_t, true>{}(a, b)} + c);
  }
};

/// trunc(a / b) for 32-bit values; b must not be zero. The sum with 1.5 * 2^52 leaves the integer in the low bits of the double.
template <class T>
T quotient32(T a, T b) {
  constexpr double kIntegerInLowBits = 0x1.8p52;
  const double quotient = std::trunc(static_cast<double>(a) / static_cast<double>(b));
  return static_cast<T>(static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(quotient + kIntegerInLowBits)));
}
template <class T>
T quotient(T a, T b) {
  if constexpr (sizeof(T) == 4) {
    return quotient32(a, b);
  } else if constexpr (sizeof(T) == 2) {
    return static_cast<T>(quotient32<std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>>(a, b));
  } else if constexpr (std::is_signed_v<T>) {
    return b == -1 ? wrapping_subtract(T{0}, a) : static_cast<T>(a / b);
  } else {
    return a / b;
  }
}
template <class T>
struct Divide {
  T operator()(T a, T b) const { return b == 0 ? static_cast<T>(-1) : quotient(a, static_cast<T>(b == 0 ? T{1} : b)); }
};
template <class T>
struct Remainder {
  T operator()(T a, T b) const {
    const T divisor = b == 0 ? T{1} : b;
    const T remainder = wrapping_subtract(a, low_product(quotient(a, divisor), divisor));
    return b == 0 ? static_cast<T>(-1) : remainder;
  }
};

template <class T>
struct Absolute {
  T operator()(T a) const { return a < 0 ? wrapping_subtract(T{0}, a) : a; }
};
template <class T>
struct Negate {
  T operator()(T a) const { return wrapping_subtract(T{0}, a); }
};
template <class T>
struct Minimum {
  T operator()(T a, T b) const { return a < b ? a : b; }
};
template <class T>
struct Maximum {
  T operator()(T a, T b) const { return a < b ? b : a; }
};
struct MinimumRelu {
  std::int32_t operator()(std::int32_t a, std::int32_t b) const { return std::max(std::min(a, b), 0); }
};
struct MaximumRelu {
  std::int32_t operator()(std::int32_t a, std::int32_t b) const { return std::max(std::max(a, b), 0); }
};
template <class T>
struct SumOfAbsoluteDifferences {
  T operator()(T a, T b, T c) const { return wrapping_add(c, a < b ? wrapping_subtract(b, a) : wrapping_subtract(a, b)); }
};

LaneOperation add_or_subtract(const ptx::Instruction& instruction) {
  const Type type = first_type(instruction);
  if (!has_only(instruction.mod, kSat)) return nullptr;
  const bool add = instruction.op == Opcode::kAdd;
  if (instruction.mod.sat) {
    if (type != Type::kS32) return nullptr;
    return add ? uniform_lanes<AddSaturated, std::int32_t, 2>() : uniform_lanes<SubtractSaturated, std::int32_t, 2>();
  }
  return for_bits(type, [&]<class T>() { return add ? uniform_lanes<Add<T>, T, 2>() : uniform_lanes<Subtract<T>, T, 2>(); });
}

LaneOperation multiply(const ptx::Instruction& instruction) {
  if (!has_only(instruction.mod, kMulMode)) return nullptr;
  return for_integer(first_type(instruction), [&]<class T>() -> LaneOperation {
    switch (instruction.mod.mul) {
      case ptx::MulMode::kLo: return uniform_lanes<MultiplyLow<Unsigned<T>>, Unsigned<T>, 2>();
      case ptx::MulMode::kHi: return uniform_lanes<MultiplyHigh<T>, T, 2>();
      case ptx::MulMode::kWide:
        if constexpr (sizeof(T) < 8) return lanes<MultiplyWide<T>, Wider<T>, T, T>;
        return nullptr;
      default: return nullptr;
    }
  });
}

LaneOperation multiply_add(const ptx::Instruction& instruction) {
  const ptx::Modifiers& mod = instruction.mod;
  if (!has_only(mod, kMulMode | kSat)) return nullptr;
  if (mod.sat) {
    if (first_type(instruction) != Type::kS32 || mod.mul != ptx::MulMode::kHi) return nullptr;
    return uniform_lanes<MultiplyAddHighSaturated, std::int32_t, 3>();
  }
  return for_integer(first_type(instruction), [&]<class T>() -> LaneOperation {
    switch (mod.mul) {
      case ptx::MulMode::kLo: return uniform_lanes<MultiplyAddLow<Unsigned<T>>, Unsigned<T>, 3>();
      case ptx::MulMode::kHi: return uniform_lanes<MultiplyAddHigh<T>, T, 3>();
      case ptx::MulMode::kWide:
        if constexpr (sizeof(T) < 8) return lanes<MultiplyAddWide<T>, Wider<T>, T, T, Wider<T>>;
        return nullptr;
      default: return nullptr;
    }
  });
}

template <class T>
LaneOperation multiply24(Opcode op, bool high) {
  if (op == Opcode::kMul24) return high ? uniform_lanes<Multiply24<T, true>, T, 2>() : uniform_lanes<Multiply24<T, false>, T, 2>();
  return high ? uniform_lanes<MultiplyAdd24<T, true>, T, 3>() : uniform_lanes<MultiplyAdd24<T, false>, T, 3>();
}

LaneOperation multiply24(const ptx::Instruction& instruction) {
  const ptx::Modifiers& mod = instruction.mod;
  const Type type = first_type(instruction);
  const bool high = mod.mul == ptx::MulMode::kHi;
  if (!has_only(mod, kMulMode | kSat) || (!high && mod.mul != ptx::MulMode::kLo)) return nullptr;
  if (mod.sat) {
    if (instruction.op != Opcode::kMad24 || type != Type::kS32 || !high) return nullptr;
    return uniform_lanes<MultiplyAdd24HighSaturated, std::int32_t, 3>();
  }
  if (type == Type::kU32) return multiply24<std::uint32_t>(instruction.op, high);
  if (type == Type::kS32) return multiply24<std::int32_t>(instruction.op, high);
  return nullptr;
}

}  // namespace

LaneOperation integer_operation(const ptx::Instruction& instruction, Step&) {
  const Type type = first_type(instruction);
  switch (instruction.op) {
    case Opcode::kAdd:
    case Opcode::kSub: return add_or_subtract(instruction);
    case Opcode::kMul: return multiply(instruction);
    case Opcode::kMad: return multiply_add(instruction);
    case Opcode::kMul24:
    case Opcode::kMad24: return multiply24(instruction);
    default: break;
  }
  if (instruction.mod.relu && type == Type::kS32 && has_only(instruction.mod, kRelu)) {
    if (instruction.op == Opcode::kMin) return uniform_lanes<MinimumRelu, std::int32_t, 2>();
    if (instruction.op == Opcode::kMax) return uniform_lanes<MaximumRelu, std::int32_t, 2>();
  }
  if (!has_only(instruction.mod, kPlain)) return nullptr;
  switch (instruction.op) {
    case Opcode::kDiv: return for_integer(type, []<class T>() { return uniform_lanes<Divide<T>, T, 2>(); });
    case Opcode::kRem: return for_integer(type, []<class T>() { return uniform_lanes<Remainder<T>, T, 2>(); });
    case Opcode::kMin: return for_integer(type, []<class T>() { return uniform_lanes<Minimum<T>, T, 2>(); });
    case Opcode::kMax: return for_integer(type, []<class T>() { return uniform_lanes<Maximum<T>, T, 2>(); });
    case Opcode::kSad: return for_integer(type, []<class T>() { return uniform_lanes<SumOfAbsoluteDifferences<T>, T, 3>(); });
    case Opcode::kAbs:
      if (!ptx::is_signed(type)) return nullptr;
      return for_integer(type, []<class T>() { return uniform_lanes<Absolute<std::make_signed_t<T>>, std::make_signed_t<T>, 1>(); });
    case Opcode::kNeg: return for_bits(type, []<class T>() { return uniform_lanes<Negate<T>, T, 1>(); });
    default: return nullptr;
  }
}

}  // namespace warpbook::vgpu::ops
