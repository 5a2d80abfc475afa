#include "common/inputs/element.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace warpbook::inputs {
namespace {

/// A binary floating-point format of IEEE 754's kind: sign, exponent, fraction.
struct Format {
  int exponent_bits;
  int fraction_bits;
  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr std::uint32_t infinity() const { return ((1u << exponent_bits) - 1) << fraction_bits; }
  constexpr std::uint32_t quiet_nan() const { return infinity() | 1u << (fraction_bits - 1); }
};

constexpr Format kHalf{5, 10};
constexpr Format kBFloat16{8, 7};
constexpr std::uint32_t kFloatQuietNan = 0x7fc00000;

std::uint32_t encode_int(double value) {
  using Limits = std::numeric_limits<std::int32_t>;
  if (std::isnan(value)) return 0;
  const double whole = std::clamp(std::floor(value), static_cast<double>(Limits::min()), static_cast<double>(Limits::max()));
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(whole));
}

std::uint32_t encode_float(const Format& f, double value) {
  if (std::isnan(value)) return f.quiet_nan();
  const std::uint32_t sign = std::signbit(value) ? 1u << (f.exponent_bits + f.fraction_bits) : 0;
  const double size = std::fabs(value);
  if (std::isinf(size)) return sign | f.infinity();
  if (size == 0) return sign;

  // Write the value as a number of steps of the format at its own magnitude; below the smallest normal number the step
  // stays that of the denormals. Scaling by a power of two is exact, so the only rounding is the one below.
  const int exponent = std::max(std::ilogb(size), 1 - f.bias());
  const double steps = std::ldexp(size, f.fraction_bits - exponent);
  const double whole = std::floor(steps);
  auto count = static_cast<std::uint64_t>(whole);
  const double rest = steps - whole;
  if (rest > 0.5 || (rest == 0.5 && (count & 1) != 0)) ++count;

  // A normal number has its leading one at fraction_bits: adding it to the exponent field below also carries a fraction
  // that was rounded up to the next power of two, and a denormal that became normal.
  const std::uint64_t field = static_cast<std::uint64_t>(exponent + f.bias() - 1) << f.fraction_bits;
  return sign | static_cast<std::uint32_t>(std::min<std::uint64_t>(field + count, f.infinity()));
}

double decode_float(const Format& f, std::uint32_t bits) {
  const std::uint32_t fraction = bits & ((1u << f.fraction_bits) - 1);
  const int field = static_cast<int>(bits >> f.fraction_bits & ((1u << f.exponent_bits) - 1));
  const bool negative = (bits >> (f.exponent_bits + f.fraction_bits) & 1) != 0;
  double size = 0;
  if (field == (1 << f.exponent_bits) - 1) {
    size = fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  } else {
    const std::uint32_t leading = field != 0 ? 1u << f.fraction_bits : 0;
    size = std::ldexp(static_cast<double>(fraction | leading), std::max(field, 1) - f.bias() - f.fraction_bits);
  }
  return negative ? -size : size;
}

/// The value of sign and magnitude bits, on a scale where infinity is one more step after the largest finite number.
double position(const Format& f, std::int64_t ordered) {
  const auto magnitude = static_cast<std::uint32_t>(std::abs(ordered));
  const double size = magnitude == f.infinity() ? std::ldexp(1.0, f.bias() + 1) : decode_float(f, magnitude);
  return ordered < 0 ? -size : size;
}

double rounding_distance(const Format& f, double value, double stored) {
  if (std::isnan(value) || std::isnan(stored)) return std::numeric_limits<double>::quiet_NaN();
  if (decode_float(f, encode_float(f, value)) == stored) return 0;
  const auto magnitude = static_cast<std::int64_t>(encode_float(f, std::fabs(stored)));
  const std::int64_t at = stored < 0 ? -magnitude : magnitude;
  const std::int64_t next = value > stored ? at + 1 : at - 1;
  const double distance = std::fabs(value - (position(f, at) + position(f, next)) / 2);
  // A tie that goes to the other neighbour lies on the middle itself: next to nothing, but not 0.
  return std::max(distance, std::numeric_limits<double>::denorm_min());
}

}  // namespace

std::uint32_t encode(DType type, double value) {
  switch (type) {
    case DType::kF32: return std::isnan(value) ? kFloatQuietNan : std::bit_cast<std::uint32_t>(static_cast<float>(value));
    case DType::kF16: return encode_float(kHalf, value);
    case DType::kBF16: return encode_float(kBFloat16, value);
    case DType::kI32: return encode_int(value);
  }
  return 0;
}

double decode(DType type, std::uint32_t bits) {
  switch (type) {
    case DType::kF32: return std::bit_cast<float>(bits);
    case DType::kF16: return decode_float(kHalf, bits);
    case DType::kBF16: return decode_float(kBFloat16, bits);
    case DType::kI32: return static_cast<std::int32_t>(bits);
  }
  return 0;
}

double rounding_distance(DType type, double value, double stored) {
  switch (type) {
    case DType::kF16: return rounding_distance(kHalf, value, stored);
    case DType::kBF16: return rounding_distance(kBFloat16, value, stored);
    default: return std::fabs(stored - value);
  }
}

std::uint32_t load_bits(DType type, std::span<const std::byte> dense, std::size_t index) {
  const auto size = static_cast<std::size_t>(size_of(type));
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < size; ++i) bits |= std::to_integer<std::uint32_t>(dense[index * size + i]) << (8 * i);
  return bits;
}

void store_bits(DType type, std::span<std::byte> dense, std::size_t index, std::uint32_t bits) {
  const auto size = static_cast<std::size_t>(size_of(type));
  for (std::size_t i = 0; i < size; ++i) dense[index * size + i] = static_cast<std::byte>(bits >> (8 * i) & 0xff);
}

std::vector<double> to_values(DType type, std::span<const std::byte> dense) {
  std::vector<double> values(dense.size() / static_cast<std::size_t>(size_of(type)));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = decode(type, load_bits(type, dense, i));
  return values;
}

std::vector<std::byte> unwritten(DType type, std::int64_t count) {
  std::vector<std::byte> dense(static_cast<std::size_t>(count * size_of(type)));
  for (std::int64_t i = 0; i < count; ++i) store_bits(type, dense, static_cast<std::size_t>(i), unwritten_bits(type));
  return dense;
}

}  // namespace warpbook::inputs
