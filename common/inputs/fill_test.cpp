#include "common/inputs/fill.hpp"

#include <cmath>
#include <limits>
#include <string>

#include "common/inputs/element.hpp"
#include "judge/base/hash.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook;
using namespace warpbook::inputs;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

std::string hash_of(const Fill& fill, DType type, std::uint64_t seed, const char* tensor) {
  const std::vector<std::byte> bytes = make(fill, 13, 257, type, {seed, tensor});
  return content_hash({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

std::vector<double> row_of(const Fill& fill, std::int64_t cols, std::int64_t rows = 1) {
  return to_values(DType::kF32, make(fill, rows, cols, DType::kF32, {7, "x"}));
}

Fill constant(double value) { return {.kind = FillKind::kConstant, .value = value}; }

}  // namespace

// The promise of this room. A changed hash means that recorded seeds no longer give the inputs they were recorded with.
TEST_CASE("same seed, same bytes") {
  const Fill normal{.kind = FillKind::kNormal, .mean = 0, .sd = 1};
  CHECK(hash_of(normal, DType::kF32, 1, "x") == "329f68f1ca5218e70546a69ef112d64c");
  CHECK(hash_of(normal, DType::kF32, 2, "x") == "a420335049a6bac9a51e251e9345343a");
  CHECK(hash_of(normal, DType::kF32, 1, "gamma") == "92be0aa7c8b0d7ecbd3aa57a7ba102bd");
  CHECK(hash_of(normal, DType::kF16, 1, "x") == "53f1c07490d8b3feb09846cc0146839c");
  CHECK(hash_of(normal, DType::kBF16, 1, "x") == "bbfb0e7f4fa268e88d3a274c1992c1d8");
  CHECK(hash_of({.kind = FillKind::kUniform, .low = -2, .high = 3}, DType::kF32, 1, "x") == "537db3eddb6c860f7f5dd1f146f87fe6");
  CHECK(hash_of({.kind = FillKind::kUniform, .low = 0, .high = 1000}, DType::kI32, 1, "target") == "df013a7e8621ac34f599376e98078c30");
  CHECK(hash_of({.kind = FillKind::kLognormal, .mean = 0, .sd = 2}, DType::kF32, 1, "x") == "f453467b1f1537f4e5d19a84f0726f79");
  CHECK(hash_of({.kind = FillKind::kRamp, .value = 0.5, .step = 1e-4, .row_step = 0.37}, DType::kF32, 1, "x") ==
        "05893e86e8093f5fe7b9467a7d126ee5");
}

TEST_CASE("an element keeps its value when the shape shrinks") {
  const Fill normal{.kind = FillKind::kNormal, .mean = 3, .sd = 2};
  const std::vector<double> large = row_of(normal, 100, 4), small = row_of(normal, 10, 2);
  CHECK(small[3] == large[3]);
  CHECK(small[10 + 9] == large[100 + 9]);
  CHECK(large[100 + 9] == static_cast<float>(element(normal, {7, "x"}, 1, 9, 100)));
}

TEST_CASE("the distributions have the moments they name") {
  constexpr int kCount = 20000;
  const auto moments = [](const std::vector<double>& values) {
    double sum = 0, squares = 0;
    for (const double v : values) sum += v, squares += v * v;
    const double mean = sum / kCount;
    return std::pair{mean, std::sqrt(squares / kCount - mean * mean)};
  };
  const auto [normal_mean, normal_sd] = moments(row_of({.kind = FillKind::kNormal, .mean = 3, .sd = 2}, kCount));
  CHECK(normal_mean == Approx(3).margin(0.07));
  CHECK(normal_sd == Approx(2).margin(0.05));
  const auto [uniform_mean, uniform_sd] = moments(row_of({.kind = FillKind::kUniform, .low = -1, .high = 5}, kCount));
  CHECK(uniform_mean == Approx(2).margin(0.06));
  CHECK(uniform_sd == Approx(std::sqrt(3.0)).margin(0.04));
  const auto [log_mean, log_sd] = moments(row_of({.kind = FillKind::kLognormal, .mean = 0, .sd = 0.5}, kCount));
  CHECK(log_mean == Approx(std::exp(0.125)).margin(0.03));
  CHECK(log_sd == Approx(0.604).margin(0.04));
}

TEST_CASE("constant rows with a row step are what they say") {
  const std::vector<double> x = row_of({.kind = FillKind::kConstant, .value = 1000, .row_step = 0.37}, 5, 3);
  CHECK(x[0] == 1000);
  CHECK(x[14] == static_cast<float>(1000 + 0.37 * 2));
  CHECK(std::signbit(row_of(constant(-0.0), 1)[0]));
}

TEST_CASE("pokes overwrite, in order, where they say") {
  const auto poked = [](const Poke& poke, std::int64_t cols = 6) {
    Fill fill = constant(1);
    fill.pokes = {poke};
    return row_of(fill, cols);
  };
  CHECK(poked({.at = PokeAt::kElement, .index = 2, .value = 5}) == std::vector<double>{1, 1, 5, 1, 1, 1});
  CHECK(poked({.at = PokeAt::kLast, .value = kInf})[5] == kInf);
  CHECK(poked({.at = PokeAt::kEvery, .index = 1, .period = 2, .value = -kInf}) == std::vector<double>{1, -kInf, 1, -kInf, 1, -kInf});
  CHECK(poked({.at = PokeAt::kPrefix, .count = 2, .value = 0}) == std::vector<double>{0, 0, 1, 1, 1, 1});
  CHECK(poked({.at = PokeAt::kSuffix, .count = 2, .value = 0}) == std::vector<double>{1, 1, 1, 1, 0, 0});
  CHECK(std::signbit(poked({.at = PokeAt::kElement, .value = -0.0f})[0]));
  CHECK(poked({.at = PokeAt::kElement, .value = 1e-45f})[0] == static_cast<double>(1e-45f));
  const std::vector<double> lanes = poked({.at = PokeAt::kLanes, .lanes = 1u << 31 | 1u, .value = 9}, 64);
  for (int i = 0; i < 64; ++i) REQUIRE(lanes[i] == (i % 32 == 0 || i % 32 == 31 ? 9 : 1));

  Fill fill = constant(1);
  fill.row_step = 1;
  fill.pokes = {{.at = PokeAt::kPrefix, .row = 1, .count = 2, .value = 7}, {.at = PokeAt::kElement, .value = 8}};
  CHECK(row_of(fill, 3, 2) == std::vector<double>{8, 1, 1, 8, 7, 2});
}

TEST_CASE("given values stand as they are, row by row, and zeros behind them") {
  Fill fill;
  fill.kind = FillKind::kValues;
  fill.values = {1, -0.0, kInf, 4};
  const std::vector<double> got = row_of(fill, 3, 2);
  CHECK(got == std::vector<double>{1, 0, kInf, 4, 0, 0});
  CHECK(std::signbit(got[1]));
}
