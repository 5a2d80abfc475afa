// The approximate instructions return the correctly rounded value: of nearly every input exactly, never off by more than the last bit.
#include <cmath>
#include <functional>

#include "judge/tests/catch.hpp"
#include "judge/vgpu/ops/float_bits.hpp"
#include "judge/vgpu/ops/half_format.hpp"
#include "judge/vgpu/ops/trial.hpp"

namespace warpbook::vgpu::ops {
namespace {

/// Sweeps the floats in [first, last] (as bits) and counts results that differ from long double rounded to float.
struct Sweep {
  int values = 0, off_by_one = 0, worse = 0;
};
Sweep sweep(const char* form, std::uint32_t first, std::uint32_t last, std::uint32_t stride,
            const std::function<long double(long double)>& exact) {
  Sweep result;
  const Trial trial(form);
  for (std::uint64_t base = first; base <= last; base += std::uint64_t{stride} * kWarpSize) {
    Lanes sources{};
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) sources[lane] = base + lane * stride;
    const Lanes got = trial.run({sources}).results[0];
    for (std::size_t lane = 0; lane < kWarpSize && sources[lane] <= last; ++lane) {
      const float expected = static_cast<float>(exact(float_of_bits(static_cast<std::uint32_t>(sources[lane]))));
      const auto distance = std::abs(static_cast<std::int64_t>(got[lane]) - static_cast<std::int64_t>(bits_of_float(expected)));
      ++result.values;
      result.off_by_one += distance == 1;
      result.worse += distance > 1;
    }
  }
  return result;
}

void check(const char* form, float first, float last, const std::function<long double(long double)>& exact) {
  constexpr int kValues = 40000;
  const std::uint32_t from = bits_of_float(first), to = bits_of_float(last);
  const Sweep result = sweep(form, from, to, std::max(1u, (to - from) / kValues | 1u), exact);
  INFO(form << " from " << first << " to " << last);
  CHECK(result.values >= kValues / 2);
  CHECK(result.off_by_one <= 1);
  CHECK(result.worse == 0);
}

constexpr float kLargest = 0x1.fffffep127f, kSmallest = 0x1p-149f;

}  // namespace

TEST_CASE("ex2, lg2, tanh and the roots are correctly rounded") {
  const auto exp2 = [](long double x) { return std::exp2(x); };
  check("ex2.approx.f32", 0x1p-30f, 128.0f, exp2);
  check("ex2.approx.f32", -0x1p-30f, -151.0f, exp2);  // down to results that are zero, through subnormals
  const auto log2 = [](long double x) { return std::log2(x); };
  check("lg2.approx.f32", kSmallest, 0.999f, log2);
  check("lg2.approx.f32", 0.999f, 1.001f, log2);
  check("lg2.approx.f32", 1.001f, kLargest, log2);
  check("tanh.approx.f32", kSmallest, 30.0f, [](long double x) { return std::tanh(x); });
  check("rsqrt.approx.f32", kSmallest, kLargest, [](long double x) { return 1 / std::sqrt(x); });
  check("sqrt.approx.f32", kSmallest, kLargest, [](long double x) { return std::sqrt(x); });
  check("rcp.approx.f32", 0x1p-127f, kLargest, [](long double x) { return 1 / x; });
}

TEST_CASE("sin and cos stay within what PTX promises") {
  constexpr double kTwoPi = 6.283185307179586;
  for (int i = -4000; i <= 4000; ++i) {
    const auto x = static_cast<float>(kTwoPi * i / 4000);
    for (const auto& [angle, bound] : {std::pair{x, std::exp2(-20.5)}, std::pair{x * 50, std::exp2(-14.7)}}) {
      const double sine = float_of_bits(static_cast<std::uint32_t>(one("sin.approx.f32", {bits_of_float(angle)})));
      const double cosine = float_of_bits(static_cast<std::uint32_t>(one("cos.approx.f32", {bits_of_float(angle)})));
      REQUIRE(std::fabs(sine - std::sin(static_cast<double>(angle))) <= bound);
      REQUIRE(std::fabs(cosine - std::cos(static_cast<double>(angle))) <= bound);
    }
  }
}

TEST_CASE("special values of the approximate instructions") {
  const std::uint64_t infinity = kExponent32, minus_infinity = kExponent32 | kSign32, minus_zero = kSign32, one_bits = 0x3F800000;
  for (const char* form : {"ex2.approx.f32", "lg2.approx.f32", "rsqrt.approx.f32", "sqrt.approx.f32", "rcp.approx.f32", "sin.approx.f32",
                           "cos.approx.f32", "tanh.approx.f32"}) {
    INFO(form);
    CHECK(one(form, {0xFFC00001}) == kNan32);
  }
  CHECK(one("ex2.approx.f32", {minus_infinity}) == 0);
  CHECK(one("ex2.approx.f32", {infinity}) == infinity);
  CHECK(one("ex2.approx.f32", {minus_zero}) == one_bits);
  CHECK(one("ex2.approx.f32", {bits_of_float(-140.0f)}) == bits_of_float(0x1p-140f));
  CHECK(one("ex2.approx.ftz.f32", {bits_of_float(-140.0f)}) == 0);
  CHECK(one("lg2.approx.f32", {0}) == minus_infinity);
  CHECK(one("lg2.approx.f32", {minus_zero}) == minus_infinity);
  CHECK(one("lg2.approx.f32", {bits_of_float(-1.0f)}) == kNan32);
  CHECK(one("lg2.approx.f32", {infinity}) == infinity);
  CHECK(one("lg2.approx.f32", {1}) == bits_of_float(-149.0f));
  CHECK(one("lg2.approx.ftz.f32", {1}) == minus_infinity);
  CHECK(one("lg2.approx.f32", {one_bits}) == 0);
  CHECK(one("rsqrt.approx.f32", {minus_zero}) == minus_infinity);
  CHECK(one("rsqrt.approx.f32", {bits_of_float(-2.0f)}) == kNan32);
  CHECK(one("rcp.approx.f32", {minus_infinity}) == minus_zero);
  CHECK(one("rcp.approx.ftz.f32", {bits_of_float(0x1.8p126f)}) == 0);
  CHECK(one("sqrt.approx.f32", {minus_zero}) == minus_zero);
  CHECK(one("tanh.approx.f32", {minus_zero}) == minus_zero);
  CHECK(one("tanh.approx.f32", {minus_infinity}) == bits_of_float(-1.0f));
  CHECK(one("sin.approx.f32", {infinity}) == kNan32);
  CHECK(one("sin.approx.f32", {minus_zero}) == minus_zero);
  CHECK(one("cos.approx.f32", {minus_zero}) == one_bits);
}

TEST_CASE("div.approx by more than 2^126 is zero") {
  CHECK(one("div.approx.f32", {bits_of_float(3.0f), bits_of_float(0x1.8p126f)}) == 0);
  CHECK(one("div.approx.f32", {bits_of_float(-3.0f), bits_of_float(0x1.8p126f)}) == kSign32);
  CHECK(one("div.approx.f32", {kExponent32, bits_of_float(0x1.8p126f)}) == kNan32);
  CHECK(one("div.full.f32", {bits_of_float(0x1.8p127f), bits_of_float(0x1.8p126f)}) == bits_of_float(2.0f));
  CHECK(one("div.approx.f32", {bits_of_float(1.0f), bits_of_float(3.0f)}) == bits_of_float(1.0f / 3.0f));
}

TEST_CASE("half-precision ex2 and tanh over all inputs") {
  int wrong = 0;
  for (std::uint32_t base = 0; base < 0x10000; base += kWarpSize) {
    Lanes sources{};
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) sources[lane] = base + lane;
    const Lanes power = Trial("ex2.approx.f16").run({sources}).results[0], tangent = Trial("tanh.approx.f16").run({sources}).results[0];
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
      const double x = float_of_half<Half>(static_cast<std::uint16_t>(sources[lane]));
      wrong += power[lane] != half_of_double<Half>(std::exp2(x), ptx::Rounding::kRn);
      wrong += tangent[lane] != half_of_double<Half>(std::tanh(x), ptx::Rounding::kRn);
    }
  }
  CHECK(wrong == 0);
}

}  // namespace warpbook::vgpu::ops
