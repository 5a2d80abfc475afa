#include "judge/vgpu/atomic.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

namespace warpbook::vgpu {

namespace {

using ptx::AtomOp;
using ptx::Type;
using Bits = std::uint64_t;

template <class T>
using UnsignedOf = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>>;

template <class T>
T as(Bits bits) {
  return std::bit_cast<T>(static_cast<UnsignedOf<T>>(bits));
}
template <class T>
Bits bits_of(T value) {
  return std::bit_cast<UnsignedOf<T>>(value);
}

/// The payload that the hardware gives every NaN.
constexpr std::uint32_t kFloatNan = 0x7FFFFFFFu;
constexpr std::uint64_t kDoubleNan = 0xFFF8000000000000ull, kQuietDouble = 0x0008000000000000ull;
constexpr std::uint16_t kHalfNan = 0x7FFFu, kBfloatNan = 0x7FFFu;

float flushed(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; }

template <bool kFlush>
Bits add_float(Bits old, Bits b, Bits) {
  float sum = kFlush ? flushed(as<float>(old)) + flushed(as<float>(b)) : as<float>(old) + as<float>(b);
  if (std::isnan(sum)) return kFloatNan;
  return bits_of(kFlush ? flushed(sum) : sum);
}

/// A NaN operand is handed on: by the adder of global memory the second one as it is, by that of shared memory the first one, quieted.
template <bool kGlobal>
Bits add_double(Bits old, Bits b, Bits) {
  const double sum = as<double>(old) + as<double>(b);
  if (!std::isnan(sum)) return bits_of(sum);
  const bool old_is_nan = std::isnan(as<double>(old)), b_is_nan = std::isnan(as<double>(b));
  if (!old_is_nan && !b_is_nan) return kDoubleNan;
  if (kGlobal) return b_is_nan ? b : old;
  return (old_is_nan ? old : b) | kQuietDouble;
}

// Sums of two halves or bfloat16s, rounded first to float and then to the type, equal the sum rounded once: 24 >= 2 * 11 + 2.
std::uint16_t add_half(std::uint16_t a, std::uint16_t b) {
  const float sum = static_cast<float>(std::bit_cast<_Float16>(a)) + static_cast<float>(std::bit_cast<_Float16>(b));
  return std::isnan(sum) ? kHalfNan : std::bit_cast<std::uint16_t>(static_cast<_Float16>(sum));
}

std::uint16_t add_bfloat(std::uint16_t a, std::uint16_t b) {
  const auto widen = [](std::uint16_t x) { return std::bit_cast<float>(std::uint32_t{x} << 16); };
  const float sum = widen(a) + widen(b);
  if (std::isnan(sum)) return kBfloatNan;
  const auto bits = std::bit_cast<std::uint32_t>(sum);
  return static_cast<std::uint16_t>((bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16);  // to nearest, ties to even
}

template <std::uint16_t (*kCombine)(std::uint16_t, std::uint16_t)>
Bits one_of(Bits old, Bits b, Bits) {
  return kCombine(static_cast<std::uint16_t>(old), static_cast<std::uint16_t>(b));
}
template <std::uint16_t (*kCombine)(std::uint16_t, std::uint16_t)>
Bits each_of_pair(Bits old, Bits b, Bits) {
  const std::uint32_t low = kCombine(static_cast<std::uint16_t>(old), static_cast<std::uint16_t>(b));
  const std::uint32_t high = kCombine(static_cast<std::uint16_t>(old >> 16), static_cast<std::uint16_t>(b >> 16));
  return low | high << 16;
}

template <class T>
Bits add_integer(Bits old, Bits b, Bits) {
  return bits_of(static_cast<T>(as<UnsignedOf<T>>(old) + as<UnsignedOf<T>>(b)));
}
template <class T>
Bits smaller(Bits old, Bits b, Bits) {
  return as<T>(b) < as<T>(old) ? b : old;
}
template <class T>
Bits larger(Bits old, Bits b, Bits) {
  return as<T>(b) > as<T>(old) ? b : old;
}
Bits bit_and(Bits old, Bits b, Bits) { return old & b; }
Bits bit_or(Bits old, Bits b, Bits) { return old | b; }
Bits bit_xor(Bits old, Bits b, Bits) { return old ^ b; }
Bits exchange(Bits, Bits b, Bits) { return b; }
Bits compare_and_swap(Bits old, Bits b, Bits c) { return old == b ? c : old; }
Bits increment(Bits old, Bits b, Bits) { return old >= b ? 0 : old + 1; }
Bits decrement(Bits old, Bits b, Bits) { return old == 0 || old > b ? b : old - 1; }

AtomicOperation add_operation(Type type, bool flush) {
  switch (type) {
    case Type::kU32:
    case Type::kS32: return add_integer<std::uint32_t>;
    case Type::kU64:
    case Type::kS64: return add_integer<std::uint64_t>;
    case Type::kF32: return flush ? add_float<true> : add_float<false>;
    case Type::kF64: return flush ? add_double<true> : add_double<false>;
    case Type::kF16: return one_of<add_half>;
    case Type::kBF16: return one_of<add_bfloat>;
    case Type::kF16x2: return each_of_pair<add_half>;
    case Type::kBF16x2: return each_of_pair<add_bfloat>;
    default: return nullptr;
  }
}

float widen_half(std::uint16_t x) { return static_cast<float>(std::bit_cast<_Float16>(x)); }
float widen_bfloat(std::uint16_t x) { return std::bit_cast<float>(std::uint32_t{x} << 16); }

/// The smaller or larger of two 16-bit floats: -0 is below +0, a number wins over a NaN, two NaNs give the canonical one.
template <float (*kWiden)(std::uint16_t), bool kMinimum>
std::uint16_t extreme_of(std::uint16_t a, std::uint16_t b) {
  constexpr std::uint16_t kCanonical = 0x7FFFu;
  const float x = kWiden(a), y = kWiden(b);
  if (std::isnan(x)) return std::isnan(y) ? kCanonical : b;
  if (std::isnan(y)) return a;
  const bool below = x < y || (x == y && std::signbit(x));
  return below == kMinimum ? a : b;
}

template <float (*kWiden)(std::uint16_t)>
AtomicOperation extreme_float(bool pair, bool minimum) {
  if (pair) return minimum ? each_of_pair<extreme_of<kWiden, true>> : each_of_pair<extreme_of<kWiden, false>>;
  return minimum ? one_of<extreme_of<kWiden, true>> : one_of<extreme_of<kWiden, false>>;
}

AtomicOperation extreme_operation(Type type, bool minimum) {
  switch (type) {
    case Type::kF16: return extreme_float<widen_half>(false, minimum);
    case Type::kF16x2: return extreme_float<widen_half>(true, minimum);
    case Type::kBF16: return extreme_float<widen_bfloat>(false, minimum);
    case Type::kBF16x2: return extreme_float<widen_bfloat>(true, minimum);
    case Type::kU32: return minimum ? smaller<std::uint32_t> : larger<std::uint32_t>;
    case Type::kS32: return minimum ? smaller<std::int32_t> : larger<std::int32_t>;
    case Type::kU64: return minimum ? smaller<std::uint64_t> : larger<std::uint64_t>;
    case Type::kS64: return minimum ? smaller<std::int64_t> : larger<std::int64_t>;
    default: return nullptr;
  }
}

}  // namespace

AtomicOperation atomic_operation(AtomOp op, Type type, bool flush) {
  if (ptx::bits_of(type) > 64) return nullptr;
  switch (op) {
    case AtomOp::kAdd: return add_operation(type, flush);
    case AtomOp::kMin: return extreme_operation(type, true);
    case AtomOp::kMax: return extreme_operation(type, false);
    case AtomOp::kAnd: return bit_and;
    case AtomOp::kOr: return bit_or;
    case AtomOp::kXor: return bit_xor;
    case AtomOp::kExch: return exchange;
    case AtomOp::kCas: return compare_and_swap;
    case AtomOp::kInc: return type == Type::kU32 ? increment : nullptr;
    case AtomOp::kDec: return type == Type::kU32 ? decrement : nullptr;
    case AtomOp::kNone: return nullptr;
  }
  return nullptr;
}

}  // namespace warpbook::vgpu
