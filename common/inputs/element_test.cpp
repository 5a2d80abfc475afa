#include "common/inputs/element.hpp"

#include <cmath>
#include <limits>

#include "judge/tests/catch.hpp"

using namespace warpbook::inputs;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

/// Every finite value of a 16-bit type, its neighbour's midpoint and the doubles beside that midpoint are rounded as they should.
void check_rounding(DType type, std::uint32_t infinity) {
  for (std::uint32_t bits = 0; bits < infinity; ++bits) {
    const double value = decode(type, bits);
    const std::uint32_t next = bits + 1;
    // The step to infinity is as long as the one before it: half of it is where overflow begins.
    const double step = next == infinity ? value - decode(type, bits - 1) : decode(type, next) - value;
    const double middle = value + step / 2;
    REQUIRE(encode(type, value) == bits);
    REQUIRE(encode(type, -value) == (bits | 0x8000));
    REQUIRE(encode(type, middle) == ((bits & 1) != 0 ? next : bits));
    REQUIRE(encode(type, std::nextafter(middle, 0.0)) == bits);
    REQUIRE(encode(type, std::nextafter(middle, kInf)) == next);
  }
}

}  // namespace

TEST_CASE("half and bfloat16 round to nearest even over their whole range") {
  check_rounding(DType::kF16, 0x7c00);
  check_rounding(DType::kBF16, 0x7f80);
}

TEST_CASE("rounding happens once: by way of float it would differ") {
  const double x = 1 + 0x1p-11 + 0x1p-30;
  CHECK(encode(DType::kF16, x) == 0x3c01);
  CHECK(encode(DType::kF16, static_cast<float>(x)) == 0x3c00);
}

TEST_CASE("known values of each type") {
  CHECK(encode(DType::kF32, 0.1) == 0x3dcccccd);
  CHECK(encode(DType::kF32, -0.0) == 0x80000000);
  CHECK(encode(DType::kF32, 1e39) == 0x7f800000);
  CHECK(encode(DType::kF32, 1e-45) == 1);
  CHECK(encode(DType::kF16, 65504) == 0x7bff);
  CHECK(encode(DType::kF16, 65519.999) == 0x7bff);
  CHECK(encode(DType::kF16, 65520) == 0x7c00);
  CHECK(encode(DType::kF16, 1e-12) == 0);
  CHECK(encode(DType::kBF16, -kInf) == 0xff80);
  CHECK(decode(DType::kF16, 0x3555) == Approx(1.0 / 3).epsilon(1e-3));
  for (const DType type : {DType::kF32, DType::kF16, DType::kBF16}) {
    CHECK(std::isnan(decode(type, encode(type, std::numeric_limits<double>::quiet_NaN()))));
    CHECK(encode(type, -std::numeric_limits<double>::quiet_NaN()) == encode(type, std::numeric_limits<double>::quiet_NaN()));
    CHECK(std::isnan(decode(type, unwritten_bits(type))));
    CHECK(decode(type, encode(type, -kInf)) == -kInf);
  }
}

TEST_CASE("integers take the floor and keep to their range") {
  CHECK(encode(DType::kI32, 3.99) == 3);
  CHECK(encode(DType::kI32, -100) == static_cast<std::uint32_t>(-100));
  CHECK(decode(DType::kI32, encode(DType::kI32, -0.5)) == -1);
  CHECK(encode(DType::kI32, 1e30) == 0x7fffffff);
  CHECK(encode(DType::kI32, -kInf) == 0x80000000);
  CHECK(encode(DType::kI32, std::numeric_limits<double>::quiet_NaN()) == 0);
}

TEST_CASE("bits are stored little-endian, elements one after another") {
  std::vector<std::byte> dense = unwritten(DType::kBF16, 3);
  store_bits(DType::kBF16, dense, 1, 0x3f80);
  CHECK(dense[2] == std::byte{0x80});
  CHECK(dense[3] == std::byte{0x3f});
  CHECK(load_bits(DType::kBF16, dense, 0) == unwritten_bits(DType::kBF16));
  CHECK(to_values(DType::kBF16, dense)[1] == 1);
}

TEST_CASE("the distance to what rounds to a number is the interval test of 16-bit outputs") {
  for (const DType type : {DType::kF16, DType::kBF16}) {
    const auto rounded = [&](double v) { return decode(type, encode(type, v)); };
    for (const double scale : {0x1p-26, 1e-6, 0.7, -1.0, 300.0, -65000.0, 1e5}) {
      for (int i = 0; i < 64; ++i) {
        const double value = scale * (1 + i * 0x1.3p-9);
        for (int step = -3; step <= 3; ++step) {
          const double stored = rounded(value * (1 + step * 0x1p-8));
          for (const double e : {0x1p-30, 1e-4, 2e-3, 6e-3, 0.02}) {
            const double bound = e * std::fabs(value);
            const bool inside = rounded(value - bound) <= stored && stored <= rounded(value + bound);
            INFO("value " << value << ", stored " << stored << ", bound " << bound);
            REQUIRE((rounding_distance(type, value, stored) <= bound) == inside);
          }
        }
      }
    }
  }
}

TEST_CASE("distances to what rounds to a number, by hand") {
  // bfloat16 has steps of 2^-7 from 1 to 2
  CHECK(rounding_distance(DType::kBF16, 1.003, 1) == 0);
  CHECK(rounding_distance(DType::kBF16, 1.003, 1 + 0x1p-7) == Approx(1 + 0x1p-8 - 1.003));
  CHECK(rounding_distance(DType::kBF16, -1.003, -1 - 0x1p-6) == Approx(1 + 1.5 * 0x1p-7 - 1.003));
  CHECK(rounding_distance(DType::kBF16, 0, 0x1p-133) == 0x1p-134);  // the smallest denormal
  CHECK(rounding_distance(DType::kF16, 65000, kInf) == 520);
  CHECK(rounding_distance(DType::kF16, 70000, 65504) == 70000 - 65520);
  CHECK(rounding_distance(DType::kF16, -70000, -kInf) == 0);
  // a tie belongs to the even neighbour only
  CHECK(rounding_distance(DType::kBF16, 1 + 0x1p-8, 1) == 0);
  CHECK(rounding_distance(DType::kBF16, 1 + 0x1p-8, 1 + 0x1p-7) > 0);
  CHECK(rounding_distance(DType::kF32, 1, 1.5) == 0.5);
  CHECK(std::isnan(rounding_distance(DType::kF16, 1, std::numeric_limits<double>::quiet_NaN())));
}
