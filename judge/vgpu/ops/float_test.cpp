// Exactness of f32 and f64 against models that share nothing with the implementation: __float128 sums and products rounded by comparing
// with neighbours, in every rounding mode.
#include <cmath>
#include <limits>
#include <random>

#include "judge/tests/catch.hpp"
#include "judge/vgpu/ops/float_bits.hpp"
#include "judge/vgpu/ops/trial.hpp"

namespace warpbook::vgpu::ops {
namespace {

__extension__ using Quad = __float128;

const std::uint64_t kInfinityBits = kExponent32;

/// `exact` rounded to T: of the two neighbours that enclose it, the one that `mode` asks for. Exact must not be zero and not overflow.
template <class T>
T rounded(Quad exact, const std::string& mode) {
  T below = static_cast<T>(exact);
  while (static_cast<Quad>(below) > exact) below = std::nextafter(below, -std::numeric_limits<T>::infinity());
  T above = below;
  if (static_cast<Quad>(below) < exact) above = std::nextafter(below, std::numeric_limits<T>::infinity());
  if (below == above || mode == "rm") return below;
  if (mode == "rp") return above;
  if (mode == "rz") return exact > 0 ? below : above;
  const Quad to_below = exact - static_cast<Quad>(below), to_above = static_cast<Quad>(above) - exact;
  if (to_below != to_above) return to_below < to_above ? below : above;
  return (bits(below) & 1) == 0 ? below : above;
}

/// A float with a random exponent in [-range, range]; few bits set now and then, so that ties occur.
template <class T>
T random_number(std::mt19937_64& generator, int range) {
  const double significand = static_cast<double>(generator() >> 12) * 0x1p-52 + 1.0;
  const double coarse = generator() % 3 == 0 ? std::floor(significand * 4096) / 4096 : significand;
  const int exponent = static_cast<int>(generator() % static_cast<unsigned>(2 * range + 1)) - range;
  return static_cast<T>(std::ldexp(generator() % 2 == 0 ? coarse : -coarse, exponent));
}

template <class T>
void compare_with_quad(const std::string& type) {
  std::mt19937_64 generator(42);
  constexpr int kRange = std::is_same_v<T, float> ? 20 : 24;  // sums and products of three still fit 113 bits, or nearly always
  for (const std::string mode : {"rn", "rz", "rm", "rp"}) {
    for (int round = 0; round < 40; ++round) {
      Lanes a{}, b{}, c{};
      std::array<Quad, kWarpSize> qa{}, qb{}, qc{};
      for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
        const T x = random_number<T>(generator, kRange), y = random_number<T>(generator, kRange);
        T z = random_number<T>(generator, kRange);
        if (generator() % 2 == 0) z = -x * y;  // cancellation
        a[lane] = bits(x), b[lane] = bits(y), c[lane] = bits(z);
        qa[lane] = x, qb[lane] = y, qc[lane] = z;
      }
      const auto run = [&](const std::string& op, std::vector<Lanes> sources) {
        return Trial(op + "." + mode + "." + type).run(sources).results[0];
      };
      const Lanes sum = run("add", {a, b}), difference = run("sub", {a, b}), product = run("mul", {a, b}), fused = run("fma", {a, b, c});
      const Lanes quotient = run("div", {a, b}), reciprocal = run("rcp", {a});
      int wrong = 0;
      for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
        const auto check = [&](std::uint64_t got, Quad exact) { wrong += exact != 0 && got != bits(rounded<T>(exact, mode)); };
        check(sum[lane], qa[lane] + qb[lane]);
        check(difference[lane], qa[lane] - qb[lane]);
        check(product[lane], qa[lane] * qb[lane]);
        if constexpr (std::is_same_v<T, float>) check(fused[lane], qa[lane] * qb[lane] + qc[lane]);
        // 113 bits decide a quotient of 53 bits: it is no tie, and never that close to one without being exact.
        check(quotient[lane], qa[lane] / qb[lane]);
        check(reciprocal[lane], Quad{1} / qa[lane]);
      }
      INFO(type << " " << mode);
      REQUIRE(wrong == 0);
    }
  }
}

}  // namespace

TEST_CASE("f32 arithmetic is exact in every rounding mode") { compare_with_quad<float>("f32"); }
TEST_CASE("f64 arithmetic is exact in every rounding mode") { compare_with_quad<double>("f64"); }

TEST_CASE("f64 fma rounds once") {
  // a * b = 1 - 2^-104: only a fused product tells it from 1.
  const std::uint64_t a = bits(1.0 + 0x1p-52), b = bits(1.0 - 0x1p-52), minus_one = bits(-1.0);
  CHECK(one("fma.rn.f64", {a, b, minus_one}) == bits(-0x1p-104));
  CHECK(one("fma.rz.f64", {a, b, bits(0.0)}) == bits(1.0 - 0x1p-53));
  CHECK(one("fma.rp.f64", {a, b, bits(0.0)}) == bits(1.0));
  CHECK(one("mad.rn.f64", {a, b, minus_one}) == bits(-0x1p-104));
}

TEST_CASE("square roots round as asked") {
  const std::uint64_t two = bits(2.0f);
  CHECK(one("sqrt.rn.f32", {two}) == bits(1.41421354f));
  CHECK(one("sqrt.rp.f32", {two}) == bits(std::nextafter(1.41421354f, 2.0f)));
  CHECK(one("sqrt.rm.f32", {two}) == bits(1.41421354f));
  CHECK(one("sqrt.rn.f32", {bits(-0.0f)}) == bits(-0.0f));
  CHECK(one("sqrt.rn.f32", {bits(-1.0f)}) == kNan32);
  CHECK(one("sqrt.rn.f64", {bits(-1.0)}) == kNan64);
  CHECK(one("sqrt.rz.f64", {bits(4.0)}) == bits(2.0));
}

TEST_CASE("a sum of opposite numbers is -0 only when rounding down") {
  CHECK(one("add.rn.f32", {bits(1.0f), bits(-1.0f)}) == bits(0.0f));
  CHECK(one("add.rm.f32", {bits(1.0f), bits(-1.0f)}) == bits(-0.0f));
  CHECK(one("add.rm.f64", {bits(1.0), bits(-1.0)}) == bits(-0.0));
}

TEST_CASE("overflow follows the rounding mode") {
  const float largest = std::numeric_limits<float>::max();
  CHECK(one("add.rn.f32", {bits(largest), bits(largest)}) == kInfinityBits);
  CHECK(one("add.rz.f32", {bits(largest), bits(largest)}) == bits(largest));
  CHECK(one("mul.rm.f32", {bits(largest), bits(2.0f)}) == bits(largest));
  CHECK(one("mul.rp.f32", {bits(-largest), bits(2.0f)}) == bits(-largest));
}

TEST_CASE("the rounding of one instruction does not leak into the next") {
  const std::uint64_t third = one("div.rp.f32", {bits(1.0f), bits(3.0f)});
  CHECK(one("div.rn.f32", {bits(1.0f), bits(3.0f)}) != one("div.rm.f32", {bits(1.0f), bits(3.0f)}));
  CHECK(third == one("div.rn.f32", {bits(1.0f), bits(3.0f)}));
}

TEST_CASE("f32 arithmetic has one NaN, f64 hands operands on") {
  const std::uint64_t signalling = 0x7F800001, infinity = bits(std::numeric_limits<float>::infinity());
  CHECK(one("add.f32", {signalling, bits(1.0f)}) == kNan32);
  CHECK(one("sub.f32", {infinity, infinity}) == kNan32);
  CHECK(one("mul.f32", {infinity, 0}) == kNan32);
  CHECK(one("fma.rn.f32", {infinity, 0, 0xFFC00001}) == kNan32);
  CHECK(one("abs.f32", {0xFFC00001}) == kNan32);
  CHECK(one("neg.f32", {0x7FC00001}) == kNan32);
  const std::uint64_t first = 0x7FF800000000DEAD, second = 0xFFF0000000000001;
  CHECK(one("add.f64", {first, bits(1.0)}) == first);
  CHECK(one("mul.f64", {bits(1.0), second}) == (second | kQuiet64));
  CHECK(one("add.f64", {first, second}) == (second | kQuiet64));
  CHECK(one("div.rn.f64", {first, second}) == first);
  CHECK(one("fma.rn.f64", {first, bits(1.0), second}) == (second | kQuiet64));
  CHECK(one("sub.f64", {kExponent64, kExponent64}) == kNan64);
  CHECK(one("neg.f64", {first}) == first);
}

TEST_CASE(".ftz flushes sources and results and keeps the sign") {
  const std::uint64_t subnormal = 0x80000001, smallest = 0x00800000;
  CHECK(one("add.f32", {subnormal, subnormal}) == 0x80000002);
  CHECK(one("add.ftz.f32", {subnormal, subnormal}) == 0x80000000);
  CHECK(one("add.ftz.f32", {subnormal, bits(1.0f)}) == bits(1.0f));
  CHECK(one("mul.ftz.f32", {smallest, bits(-0.5f)}) == 0x80000000);
  CHECK(one("mul.f32", {smallest, bits(-0.5f)}) == 0x80400000);
  CHECK(one("div.rn.ftz.f32", {bits(1.0f), subnormal}) == (kExponent32 | kSign32));
  CHECK(one("max.ftz.f32", {subnormal, 0x80000000}) == 0x80000000);
  CHECK(one("neg.ftz.f32", {subnormal}) == 0);
  CHECK(one("neg.f32", {subnormal}) == 1);
}

TEST_CASE(".ftz flushes what is below 2^-126 when rounded without an end of the exponent") {
  const std::uint64_t smallest = 0x00800000, just_below_one = 0x3F7FFFFF;
  CHECK(one("mul.f32", {smallest, just_below_one}) == smallest);  // the tie rounds up
  CHECK(one("mul.ftz.f32", {smallest, just_below_one}) == 0);
  CHECK(one("mul.ftz.f32", {0x00800001, 0x3F7FFFFE}) == smallest);  // 1 - 2^-46 is 1 in 24 bits
  CHECK(one("fma.rn.ftz.f32", {smallest, just_below_one, 0}) == 0);
  CHECK(one("fma.rn.ftz.f32", {0x00800001, 0x3F7FFFFE, 0}) == smallest);
  CHECK(one("fma.rz.ftz.f32", {0x00800001, 0x3F7FFFFE, 0}) == 0);
  CHECK(one("mul.rp.ftz.f32", {smallest, just_below_one}) == 0);
  CHECK(one("cvt.rn.ftz.f32.f64", {bits(0x1p-126 * (1 - 0x1p-24))}) == 0);
  CHECK(one("cvt.rn.ftz.f32.f64", {bits(0x1p-126 * (1 - 0x1p-40))}) == smallest);
  CHECK(one("fma.rn.ftz.f32", {smallest, bits(1.0f), 0}) == smallest);
  CHECK(Trial("fma.rn.ftz.f32").negate(0).one({smallest, just_below_one, 0x80000000}) == 0x80000000);
  CHECK(one("div.rp.ftz.f32", {smallest, bits(std::nextafter(1.0f, 2.0f))}) == 0);
  CHECK(one("rcp.rp.ftz.f32", {bits(std::nextafter(0x1p126f, 0x1p127f))}) == 0);
  CHECK(one("div.rn.ftz.f32", {smallest, bits(1.0f)}) == smallest);
}

TEST_CASE(".sat clamps to [0, 1] and makes NaN and -0 into +0") {
  CHECK(one("add.sat.f32", {bits(0.75f), bits(0.75f)}) == bits(1.0f));
  CHECK(one("sub.sat.f32", {bits(0.25f), bits(0.75f)}) == 0);
  CHECK(one("mul.sat.f32", {bits(-0.0f), bits(1.0f)}) == 0);
  CHECK(one("add.sat.f32", {kNan32, bits(1.0f)}) == 0);
  CHECK(one("fma.rn.sat.f32", {bits(0.5f), bits(0.5f), bits(0.25f)}) == bits(0.5f));
}

TEST_CASE("min and max: NaN loses and -0 is below +0") {
  CHECK(one("min.f32", {kNan32, bits(1.0f)}) == bits(1.0f));
  CHECK(one("max.f32", {bits(1.0f), kNan32}) == bits(1.0f));
  CHECK(one("max.f32", {0xFFC00001, 0x7FC00001}) == kNan32);
  CHECK(one("min.NaN.f32", {bits(1.0f), kNan32}) == kNan32);
  CHECK(one("min.f32", {0, kSign32}) == kSign32);
  CHECK(one("min.f32", {kSign32, 0}) == kSign32);
  CHECK(one("max.f32", {0, kSign32}) == 0);
  CHECK(one("max.f32", {kSign32, 0}) == 0);
  CHECK(one("max.f64", {kSign64, 0}) == 0);
  CHECK(one("min.f64", {bits(-1.0), kNan64}) == bits(-1.0));
  CHECK(one("min.xorsign.abs.f32", {bits(-2.0f), bits(1.0f)}) == bits(-1.0f));
  CHECK(one("max.xorsign.abs.f32", {bits(-2.0f), bits(-1.0f)}) == bits(2.0f));
}

TEST_CASE("fused products take negated sources") {
  const std::uint64_t two = bits(2.0f), three = bits(3.0f), five = bits(5.0f);
  CHECK(Trial("fma.rn.f32").negate(2).one({two, three, five}) == bits(1.0f));
  CHECK(Trial("fma.rn.f32").negate(0).one({two, three, five}) == bits(-1.0f));
  CHECK(Trial("fma.rn.f32").negate(0).negate(2).one({two, three, five}) == bits(-11.0f));
  CHECK(Trial("fma.rn.f64").negate(1).one({bits(2.0), bits(3.0), bits(5.0)}) == bits(-1.0));
  CHECK_FALSE(Trial("add.f32").negate(1).known());
}

TEST_CASE("copysign and testp look at bits") {
  CHECK(one("copysign.f32", {bits(-1.0f), bits(2.0f)}) == bits(-2.0f));
  CHECK(one("copysign.f64", {bits(1.0), bits(-2.0)}) == bits(2.0));
  struct Row {
    std::uint64_t value;
    bool finite, infinite, number, nan, normal, subnormal;
  };
  for (const Row& row : {Row{0, true, false, true, false, true, false}, Row{1, true, false, true, false, false, true},
                         Row{0x80800000, true, false, true, false, true, false}, Row{0xFF800000, false, true, true, false, false, false},
                         Row{0xFFC00000, false, false, false, true, false, false}}) {
    CHECK(one("testp.finite.f32", {row.value}) == row.finite);
    CHECK(one("testp.infinite.f32", {row.value}) == row.infinite);
    CHECK(one("testp.number.f32", {row.value}) == row.number);
    CHECK(one("testp.notanumber.f32", {row.value}) == row.nan);
    CHECK(one("testp.normal.f32", {row.value}) == row.normal);
    CHECK(one("testp.subnormal.f32", {row.value}) == row.subnormal);
  }
  CHECK(one("testp.subnormal.f64", {1}) == 1);
  CHECK(one("testp.normal.f64", {bits(1.0)}) == 1);
}

}  // namespace warpbook::vgpu::ops
