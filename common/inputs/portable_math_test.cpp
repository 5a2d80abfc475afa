#include "common/inputs/portable_math.hpp"

#include <cmath>
#include <limits>

#include "common/inputs/random.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook::inputs;

namespace {

/// |a - b| in units of double's relative step.
double steps_apart(double a, double b) { return std::fabs(a - b) / (std::fabs(b) * std::numeric_limits<double>::epsilon()); }

}  // namespace

TEST_CASE("the generator is SplitMix64 as published") {
  CHECK(splitmix64(1234567, 0) == 6457827717110365317u);
  CHECK(splitmix64(1234567, 1) == 3203168211198807973u);
  CHECK(splitmix64(1234567, 2) == 9817491932198370423u);
}

TEST_CASE("uniform numbers stay inside (0, 1) and depend on all that names them") {
  const Stream x(1, "x"), other_seed(2, "x"), other_tensor(1, "gamma");
  CHECK(x.bits(3, 4) == Stream(1, "x").bits(3, 4));
  CHECK(x.bits(3, 4) != x.bits(4, 3));
  CHECK(x.bits(3, 4) != other_seed.bits(3, 4));
  CHECK(x.bits(3, 4) != other_tensor.bits(3, 4));
  double sum = 0;
  constexpr int kCount = 10000;
  for (int i = 0; i < kCount; ++i) {
    const double u = x.uniform(0, i);
    REQUIRE((u > 0 && u < 1));
    sum += u;
  }
  CHECK(sum / kCount == Approx(0.5).margin(0.015));  // five standard errors
}

TEST_CASE("logarithm and exponential agree with the C library to a few last places") {
  for (int e = -1000; e <= 1000; e += 7) {
    for (const double m : {1.0, 1.0000001, 1.2, 1.41, 1.4143, 1.7, 1.9999999}) {
      const double x = std::ldexp(m, e);
      REQUIRE(std::fabs(portable_log(x) - std::log(x)) <= 2e-15 * std::max(std::fabs(std::log(x)), 1e-1));
    }
  }
  CHECK(portable_log(1) == 0);
  CHECK(std::isfinite(portable_log(std::numeric_limits<double>::max())));
  for (double x = -700; x < 709; x += 0.37) REQUIRE(steps_apart(portable_exp(x), std::exp(x)) <= 4);
  CHECK(portable_exp(0) == 1);
  CHECK(portable_exp(710) == std::numeric_limits<double>::infinity());
  CHECK(portable_exp(-745) == std::exp(-745.0));
  CHECK(portable_exp(-1e9) == 0);
  CHECK(std::isnan(portable_exp(std::numeric_limits<double>::quiet_NaN())));
}

TEST_CASE("the normal quantile inverts the normal distribution") {
  const auto lower_tail = [](double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); };
  for (double p = 0x1p-53; p <= 0.5; p *= 1.37) {
    const double z = normal_quantile(p);
    REQUIRE(lower_tail(z) == Approx(p).epsilon(1e-13));
    REQUIRE(normal_quantile(1 - p) == Approx(-z).epsilon(p > 1e-3 ? 1e-12 : 1e-1));  // 1 - p itself is rounded
  }
  CHECK(normal_quantile(0.5) == 0);
  CHECK(normal_quantile(0x1p-53) == Approx(-8.2095).epsilon(1e-4));
}
