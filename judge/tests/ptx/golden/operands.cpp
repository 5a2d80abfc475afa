#include "judge/tests/ptx/golden/operands.hpp"

#include <map>

namespace warpbook::golden {
namespace {

using ptx::Type;

std::vector<std::uint64_t> integer_edges(int bits) {
  const std::uint64_t all = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  const std::uint64_t top = std::uint64_t{1} << (bits - 1);
  std::vector<std::uint64_t> values = {
      0,    1,    all, top,     top - 1, 2,        all - 1,  top + 1,  0x5555555555555555u, 0xAAAAAAAAAAAAAAAAu, 7, 10, 0x7F,
      0x80, 0xFF, 100, all - 6, all / 3, all - 99, top >> 1, top >> 7, 0x0123456789ABCDEFu, 0xFEDCBA9876543210u};
  if (bits >= 32) values.insert(values.end(), {0xFFFF, 0x10000, 0x8000, 0x7FFF, 0x7FFFFF, 0x800000, 0xFFFFFF, 0x01FF00FF, 0x80008000});
  if (bits == 64)
    values.insert(values.end(), {0xFFFFFFFFu, 0x100000000u, 0x7FFFFFFFu, 0x80000000u, 0x8000000080000000u, 0x1FFFFFFFFFFFFFu});
  for (std::uint64_t& value : values) value &= all;
  return values;
}

// A format of floats, and its edges built from its fields.
struct Format {
  int exponent_bits, mantissa_bits;
};

std::vector<std::uint64_t> float_edges(Format f) {
  const std::uint64_t mantissa = (std::uint64_t{1} << f.mantissa_bits) - 1, exponent = (std::uint64_t{1} << f.exponent_bits) - 1;
  const std::uint64_t infinity = exponent << f.mantissa_bits, bias = exponent >> 1, sign = infinity + mantissa + 1;
  const auto power = [&](std::int64_t e) {
    const std::int64_t field = static_cast<std::int64_t>(bias) + e;
    return field <= 0                                     ? std::uint64_t{0}
           : field >= static_cast<std::int64_t>(exponent) ? infinity - 1
                                                          : static_cast<std::uint64_t>(field) << f.mantissa_bits;
  };
  const std::uint64_t half = (mantissa + 1) >> 1, quarter = half >> 1, one = power(0);
  std::vector<std::uint64_t> positive = {0,
                                         1,             // smallest denormal
                                         mantissa,      // largest denormal
                                         half,          // a denormal in the middle
                                         mantissa + 1,  // smallest normal
                                         mantissa + 2,
                                         one,
                                         one + 1,
                                         one - 1,
                                         one | half,  // 1.5
                                         power(-1),
                                         power(1),
                                         power(1) | quarter,                // 2.5
                                         power(1) | half | quarter,         // 3.5
                                         power(1) | half | (quarter >> 1),  // pi, nearly
                                         power(7) - 1,
                                         power(8) | half,
                                         power(15),
                                         power(16),
                                         power(31),
                                         power(32),
                                         power(63),
                                         power(64),
                                         power(-14),
                                         power(-24),
                                         power(-126),
                                         infinity - 1,  // largest
                                         infinity,
                                         infinity | 1,     // a signalling NaN
                                         infinity | half,  // a quiet one
                                         infinity | mantissa};
  std::vector<std::uint64_t> values;
  for (std::uint64_t value : positive) {
    values.push_back(value);
    values.push_back(value | sign);
  }
  return values;
}

std::vector<std::uint64_t> paired(const std::vector<std::uint64_t>& halves) {
  std::vector<std::uint64_t> values;
  for (std::size_t i = 0; i < halves.size(); ++i) values.push_back(halves[i] | halves[(i * 7 + 3) % halves.size()] << 16);
  return values;
}

std::vector<std::uint64_t> edges_of(Type type) {
  switch (type) {
    case Type::kPred: return {0, 1};
    case Type::kF16: return float_edges({5, 10});
    case Type::kBF16: return float_edges({8, 7});
    case Type::kF16x2: return paired(float_edges({5, 10}));
    case Type::kBF16x2: return paired(float_edges({8, 7}));
    case Type::kF32:
    case Type::kTF32: return float_edges({8, 23});
    case Type::kF64: return float_edges({11, 52});
    case Type::kU16x2:
    case Type::kS16x2: return paired(integer_edges(16));
    case Type::kB128: return integer_edges(64);
    default: return integer_edges(ptx::bits_of(type));
  }
}

/// Bits of a float near 1 in every format, else any bits.
std::uint64_t number(Type type, std::uint64_t bits) {
  const auto near_one = [](std::uint64_t random, Format f, int spread) {
    const std::uint64_t bias = (std::uint64_t{1} << (f.exponent_bits - 1)) - 1;
    const std::uint64_t exponent = bias - static_cast<std::uint64_t>(spread) + (random >> 55) % static_cast<std::uint64_t>(2 * spread + 1);
    return (random & ((std::uint64_t{1} << f.mantissa_bits) - 1)) | exponent << f.mantissa_bits |
           (random >> 54 & 1) << (f.mantissa_bits + f.exponent_bits);
  };
  switch (type) {
    case Type::kF16: return near_one(bits, {5, 10}, 6);
    case Type::kBF16: return near_one(bits, {8, 7}, 6);
    case Type::kF16x2: return near_one(bits, {5, 10}, 6) | near_one(mixed(bits), {5, 10}, 6) << 16;
    case Type::kBF16x2: return near_one(bits, {8, 7}, 6) | near_one(mixed(bits), {8, 7}, 6) << 16;
    case Type::kF32: return near_one(bits, {8, 23}, 12);
    case Type::kF64: return near_one(bits, {11, 52}, 40);
    default: return bits;
  }
}

}  // namespace

std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

const std::vector<std::uint64_t>& edges(Type type) {
  static std::map<Type, std::vector<std::uint64_t>> known;
  const auto [at, made] = known.try_emplace(type);
  if (made) at->second = edges_of(type);
  return at->second;
}

const std::vector<std::uint64_t>& amounts() {
  static const std::vector<std::uint64_t> values = {0,  1,  31, 32, 33, 63, 64,  65,  7,   8,   15,   16,         17,         24,
                                                    30, 12, 3,  62, 2,  48, 127, 128, 255, 256, 1000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF};
  return values;
}

std::uint64_t operand(Type type, int slot, int lane, Type first, bool amount) {
  const std::uint64_t random = mixed(static_cast<std::uint64_t>(lane) * 16 + static_cast<std::uint64_t>(slot) + 1);
  const std::vector<std::uint64_t>& list = amount ? amounts() : edges(type);
  const int bits = ptx::bits_of(type);
  // One in six repeats the first operand: equal comparands, x - x, a compare-and-swap that swaps.
  if (slot > 0 && type == first && !amount && random % 6 == 0) return operand(first, 0, lane, first, false);
  constexpr int kEdgesOnly = 64;  // lanes before this one have edges in every operand
  const bool edge = amount || lane < kEdgesOnly || random % 3 == 0;
  // The first operand walks through all its edges, the others stand against it in a mixed order.
  std::uint64_t value;
  if (edge) {
    value = slot == 0 && lane < kEdgesOnly ? list[static_cast<std::size_t>(lane) % list.size()] : list[(random >> 8) % list.size()];
  } else {
    value = number(type, random);
  }
  return bits >= 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}

}  // namespace warpbook::golden
