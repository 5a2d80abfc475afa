// f16 and bf16 arithmetic against exact integers: every finite value is an integer times a power of two, so sums and products of three are
// integers of a few hundred bits, and rounding is comparing remainders.
#include <cmath>
#include <random>

#include "judge/tests/catch.hpp"
#include "judge/vgpu/ops/half_format.hpp"
#include "judge/vgpu/ops/trial.hpp"

namespace warpbook::vgpu::ops {
namespace {

/// A non-negative integer of 640 bits: enough for products of bf16 in units of 2^-266 and sums with them.
class Wide {
 public:
  static constexpr int kWords = 20;
  static Wide shifted(std::uint64_t value, int by) {
    Wide result;
    for (int bit = 0; bit < 64; ++bit) {
      if ((value >> bit & 1) != 0) result.words_[static_cast<std::size_t>((by + bit) / 32)] |= 1u << (by + bit) % 32;
    }
    return result;
  }
  Wide plus(const Wide& other) const {
    Wide result;
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < kWords; ++i) {
      carry += std::uint64_t{words_[i]} + other.words_[i];
      result.words_[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    return result;
  }
  Wide minus(const Wide& smaller) const {
    Wide result;
    std::int64_t borrow = 0;
    for (std::size_t i = 0; i < kWords; ++i) {
      const std::int64_t difference = std::int64_t{words_[i]} - smaller.words_[i] + borrow;
      result.words_[i] = static_cast<std::uint32_t>(difference);
      borrow = difference < 0 ? -1 : 0;
    }
    return result;
  }
  bool less(const Wide& other) const {
    for (std::size_t i = kWords; i-- > 0;) {
      if (words_[i] != other.words_[i]) return words_[i] < other.words_[i];
    }
    return false;
  }
  bool zero() const { return top() < 0; }
  int top() const {
    for (int bit = 32 * kWords - 1; bit >= 0; --bit) {
      if (bit_at(bit)) return bit;
    }
    return -1;
  }
  bool bit_at(int bit) const { return (words_[static_cast<std::size_t>(bit / 32)] >> bit % 32 & 1) != 0; }
  bool any_below(int bit) const {
    for (int i = 0; i < bit; ++i) {
      if (bit_at(i)) return true;
    }
    return false;
  }

 private:
  std::array<std::uint32_t, kWords> words_{};
};

struct Signed {
  Wide magnitude;
  bool negative = false;
};

/// Exponent of the unit in which a product of two values is an integer.
template <class Format>
constexpr int kUnit = 2 * (Format::kMinExponent - Format::kMantissaBits);

template <class Format>
std::uint64_t significand(std::uint16_t half) {
  const std::uint64_t mantissa = half & ((1u << Format::kMantissaBits) - 1);
  return (half & Format::kInfinity) == 0 ? mantissa : mantissa | 1u << Format::kMantissaBits;
}
/// Exponent of the last place.
template <class Format>
int place(std::uint16_t half) {
  const int field = (half & Format::kInfinity) >> Format::kMantissaBits;
  return std::max(field, 1) - 1 + Format::kMinExponent - Format::kMantissaBits;
}

template <class Format>
std::uint16_t rounded(const Signed& exact) {
  const auto sign = static_cast<std::uint16_t>(exact.negative ? kSign16 : 0);
  const int top = exact.magnitude.top();
  const int last = std::max(top - Format::kMantissaBits, Format::kMinExponent - Format::kMantissaBits - kUnit<Format>);
  std::uint32_t kept = 0;
  for (int bit = Format::kMantissaBits + 1; bit >= 0; --bit) kept = kept << 1 | (exact.magnitude.bit_at(last + bit) ? 1u : 0u);
  const bool half = exact.magnitude.bit_at(last - 1);
  if (half && (exact.magnitude.any_below(last - 1) || (kept & 1) != 0)) ++kept;
  const int field = last + kUnit<Format> - (Format::kMinExponent - Format::kMantissaBits);  // 0 for subnormals and the first binade
  const std::uint32_t bits = kept + (static_cast<std::uint32_t>(field) << Format::kMantissaBits);
  return static_cast<std::uint16_t>(std::min<std::uint32_t>(bits, Format::kInfinity) | sign);
}

/// a * b + c, exactly, in kUnit.
template <class Format>
Signed fused(std::uint16_t a, std::uint16_t b, std::uint16_t c) {
  const Wide product = Wide::shifted(significand<Format>(a) * significand<Format>(b), place<Format>(a) + place<Format>(b) - kUnit<Format>);
  const Wide addend = Wide::shifted(significand<Format>(c), place<Format>(c) - kUnit<Format>);
  const bool product_negative = ((a ^ b) & kSign16) != 0, addend_negative = (c & kSign16) != 0;
  if (product_negative == addend_negative) return {product.plus(addend), product_negative};
  return product.less(addend) ? Signed{addend.minus(product), addend_negative} : Signed{product.minus(addend), product_negative};
}

template <class Format>
std::uint16_t random_finite(std::mt19937_64& generator) {
  while (true) {
    auto bits = static_cast<std::uint16_t>(generator());
    if (generator() % 3 == 0) bits &= static_cast<std::uint16_t>(~((1u << (Format::kMantissaBits - 2)) - 1));  // few bits: ties
    if ((bits & Format::kInfinity) != Format::kInfinity) return bits;
  }
}

template <class Format>
void compare_with_integers(const std::string& type) {
  std::mt19937_64 generator(99);
  int wrong = 0, compared = 0;
  for (int round = 0; round < 300; ++round) {
    Lanes a{}, b{}, c{};
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
      a[lane] = random_finite<Format>(generator);
      b[lane] = random_finite<Format>(generator);
      c[lane] = random_finite<Format>(generator);
      if (generator() % 4 == 0) {  // c near -a * b
        const float product =
            float_of_half<Format>(static_cast<std::uint16_t>(a[lane])) * float_of_half<Format>(static_cast<std::uint16_t>(b[lane]));
        const std::uint16_t near = half_of_double<Format>(-static_cast<double>(product), ptx::Rounding::kRz);
        if ((near & Format::kInfinity) != Format::kInfinity) c[lane] = near;
      }
    }
    const Lanes sum = Trial("add." + type).run({a, c}).results[0], difference = Trial("sub." + type).run({a, c}).results[0];
    const Lanes product = Trial("mul." + type).run({a, b}).results[0], all = Trial("fma.rn." + type).run({a, b, c}).results[0];
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
      const auto x = static_cast<std::uint16_t>(a[lane]), y = static_cast<std::uint16_t>(b[lane]), z = static_cast<std::uint16_t>(c[lane]);
      const auto check = [&](std::uint64_t got, const Signed& exact) {
        if (exact.magnitude.zero()) return;  // signs of zero have their own test
        ++compared;
        wrong += got != rounded<Format>(exact);
      };
      check(sum[lane], fused<Format>(x, Format::kOne, z));
      check(difference[lane], fused<Format>(x, Format::kOne, static_cast<std::uint16_t>(z ^ kSign16)));
      check(product[lane], fused<Format>(x, y, 0));
      check(all[lane], fused<Format>(x, y, z));
    }
  }
  CHECK(compared > 30000);
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("f16 arithmetic rounds the exact result once") { compare_with_integers<Half>("f16"); }
TEST_CASE("bf16 arithmetic rounds the exact result once") { compare_with_integers<BFloat>("bf16"); }

TEST_CASE("a midpoint product is decided by the smallest addend") {
  // (1 + 2^-7) * (1 + 2^-1) = 1.5 + 2^-7 + 2^-8: in bf16 exactly half way; 2^-120 above or below decides, though no double holds the sum.
  const std::uint64_t a = 0x3F81, b = 0x3FC0, tiny = 0x0380, minus_tiny = 0x8380;
  CHECK(one("fma.rn.bf16", {a, b, 0}) == 0x3FC2);
  CHECK(one("fma.rn.bf16", {a, b, tiny}) == 0x3FC2);
  CHECK(one("fma.rn.bf16", {a, b, minus_tiny}) == 0x3FC1);
}

TEST_CASE("special values of halves") {
  CHECK(one("add.f16", {0x7C00, 0xFC00}) == Half::kNan);
  CHECK(one("add.f16", {0x7BFF, 0x7BFF}) == Half::kInfinity);
  CHECK(one("mul.f16", {0x8000, 0x3C00}) == 0x8000);
  CHECK(one("add.f16", {0x3C00, 0xBC00}) == 0);
  CHECK(one("fma.rn.f16", {0x8000, 0x3C00, 0x8000}) == 0x8000);
  CHECK(one("fma.rn.bf16", {0x7F80, 0, 0x3F80}) == BFloat::kNan);
  CHECK(one("add.f16", {1, 1}) == 2);
  CHECK(one("add.ftz.f16", {1, 0x3C00}) == 0x3C00);
  CHECK(one("mul.ftz.f16", {0x0400, 0x3800}) == 0);
  CHECK(one("mul.ftz.f16", {0x0400, 0x3BFF}) == 0);  // 2^-14 (1 - 2^-11)
  CHECK(one("mul.f16", {0x0400, 0x3BFF}) == 0x0400);
  CHECK(one("mul.ftz.f16", {0x0401, 0x3BFE}) == 0x0400);  // rounds to 2^-14 also with more exponent
  CHECK(one("add.sat.f16", {0x3C00, 0x3C00}) == 0x3C00);
  CHECK(one("add.sat.f16", {Half::kNan, 0x3C00}) == 0);
  CHECK(one("fma.rn.relu.f16", {0xBC00, 0x3C00, 0}) == 0);
  CHECK(one("fma.rn.relu.bf16", {BFloat::kNan, 0, 0}) == BFloat::kNan);
  CHECK(one("neg.f16", {0x3C00}) == 0xBC00);
  CHECK(one("abs.bf16", {0xBF80}) == 0x3F80);
  CHECK(one("neg.f16", {0x7E00}) == Half::kNan);
}

TEST_CASE("min and max of halves") {
  CHECK(one("min.f16", {0x8000, 0}) == 0x8000);
  CHECK(one("max.f16", {0x8000, 0}) == 0);
  CHECK(one("min.f16", {0x7E00, 0x3C00}) == 0x3C00);
  CHECK(one("max.NaN.f16", {0x7E00, 0x3C00}) == Half::kNan);
  CHECK(one("max.bf16", {0xC000, 0xBF80}) == 0xBF80);
  CHECK(one("min.xorsign.abs.bf16", {0xC000, 0x3F80}) == 0xBF80);
}

TEST_CASE("both halves of a pair are computed") {
  CHECK(one("add.f16x2", {0x3C004000, 0x3C003C00}) == 0x40004200);
  CHECK(one("fma.rn.f16x2", {0x40004200, 0x40003C00, 0x3C003C00}) == 0x45004400);
  CHECK(one("max.bf16x2", {0x3F804000, 0x40003F80}) == 0x40004000);
  CHECK(one("neg.bf16x2", {0x3F80BF80}) == 0xBF803F80);
  CHECK(Trial("fma.rn.f16x2").negate(2).one({0x40004200, 0x40003C00, 0x3C003C00}) == 0x42004000);
  CHECK(Trial("fma.rn.f16").negate(0).one({0x4000, 0x4200, 0x3C00}) == 0xC500);
}

TEST_CASE("the fast rounding of halves is the slow one, and every half comes back") {
  std::mt19937_64 generator(5);
  int wrong = 0;
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const double value = float_of_half<Half>(half), brain = float_of_half<BFloat>(half);
    wrong += half_of_double<Half>(value) != (is_nan_half<Half>(half) ? Half::kNan : half);
    wrong += half_of_double<BFloat>(brain) != (is_nan_half<BFloat>(half) ? BFloat::kNan : half);
    for (const double around : {value, brain}) {
      const double near = std::nextafter(around * (1 + 0x1p-9), generator() % 2 == 0 ? 0.0 : 1e300), tie = around * (1 + 0x1p-11),
                   tie8 = around * (1 + 0x1p-8);
      for (const double x : {near, tie, tie8}) {
        wrong += half_of_double<Half>(x) != half_of_double<Half>(x, ptx::Rounding::kRn);
        wrong += half_of_double<BFloat>(x) != half_of_double<BFloat>(x, ptx::Rounding::kRn);
      }
    }
  }
  CHECK(wrong == 0);
  for (std::uint64_t value = 0; value < (std::uint64_t{1} << 32); value += 0x1FFF) {  // floats
    const float single = float_of_bits(static_cast<std::uint32_t>(value));
    wrong += half_of_float(single) != half_of_double<Half>(static_cast<double>(single));
  }
  CHECK(wrong == 0);
}

}  // namespace warpbook::vgpu::ops
