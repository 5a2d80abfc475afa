#include <algorithm>
#include <cmath>
#include <limits>

#include "common/operators/emulation/emulated_cases.hpp"
#include "common/operators/emulation/rmsnorm_kernels.hpp"
#include "common/operators/registry.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook::operators;
using namespace warpbook::operators::emulation;
using warpbook::inputs::DType;
using warpbook::inputs::PokeAt;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr float kEps = 1e-6f;  // the default, which the cases below use

const std::vector<CaseData>& cases() {
  static const std::vector<CaseData> all = {
      {"[1e-3]", 1, 1, {}, {1e-3}, {{"weight", constant(2)}}},
      {"[1,1]", 1, 2, {}, {1, 1}, {{"weight", constant(2)}}},
      {"zero row", 3, 33, poked(normal(0, 1), {.at = PokeAt::kPrefix, .row = 1, .count = 33, .value = 0})},
      {"tiny", 8, 1024, normal(0, 1e-3)},
      {"spike", 7, 257, poked(normal(0, 1), {.at = PokeAt::kLast, .value = 300})},
      {"at 100", 3, 1023, normal(100, 1)},
      {"constant", 2, 4096, constant(0.1)},
      {"long", 1, 50257, normal(0, 1)},
      // constant terms whose sums all round one way; 32 large squares, one a lane, after which each small one is lost
      {"constants", 8, 50257, constant(0.1, 0.37)},
      {"large first", 1, 4096, poked(constant(1), {.at = PokeAt::kPrefix, .count = 32, .value = 0x1p12f})},
  };
  return all;
}

std::vector<Mode> modes() {
  std::vector<Mode> list;
  for (const int threads : {32, 256, 1024}) {
    for (const bool fused : {false, true}) {
      for (const bool reciprocal : {false, true}) {
        for (const int ulps : {-2, 0, 2}) list.push_back({threads, fused, reciprocal, ulps});
      }
    }
  }
  return list;
}

double run(const Arguments& arguments, const Expected& expected, const Mode& mode, RmsMistake mistake = RmsMistake::kNone) {
  const std::vector<float> x = floats(arguments, "x"), weight = floats(arguments, "weight");
  std::vector<float> y(x.size());
  const auto cols = static_cast<std::size_t>(arguments.cols);
  for (std::size_t at = 0; at < x.size(); at += cols) {
    rmsnorm_row(std::span(x).subspan(at, cols), weight, kEps, DType::kF32, mode, mistake, std::span(y).subspan(at, cols));
  }
  return worst_ratio(expected, y);
}

Expected expect_row(std::vector<double> x, double weight = 1) {
  const auto cols = static_cast<std::int64_t>(x.size());
  Arguments arguments{1, cols, {{"x", {1, cols, std::move(x)}}}, {{"eps", 1e-5}}};
  if (weight != 1) arguments.tensors["weight"] = {1, cols, std::vector<double>(static_cast<std::size_t>(cols), weight)};
  return rmsnorm().expect(arguments, "").at(0);
}

}  // namespace

TEST_CASE("rmsnorm: the reference, worked by hand") {
  const double eps = static_cast<double>(1e-5f);
  const Expected y = expect_row({3, -4}, 2);
  CHECK(y.value[0] == Approx(2 * 3 / std::sqrt(12.5 + eps)).epsilon(1e-14));
  CHECK(y.value[1] == Approx(-2 * 4 / std::sqrt(12.5 + eps)).epsilon(1e-14));
  const double scale = 1 / std::sqrt(12.5 + eps);
  CHECK(y.bound[1] == Approx(std::fabs(y.value[1]) * 0x1p-24 * (24 + 2.0 / 64) + 0x1p-126 * (1 + 2 * (1 + scale))).epsilon(1e-12));
  CHECK(expect_row({1e-3}).value[0] == Approx(1e-3 / std::sqrt(1e-6 + eps)).epsilon(1e-7));  // 0.3015, where eps outside gives 0.99
  const Expected zeros = expect_row({0, 0, 0});
  CHECK(zeros.value == std::vector<double>{0, 0, 0});
  CHECK(zeros.bound[0] < 1e-34);
}

TEST_CASE("rmsnorm: rows that are not numbers, and calls that are incomplete") {
  const Expected nan = expect_row({1, kNan});
  CHECK((std::isnan(nan.value[0]) && !nan.is_open(0) && !nan.is_open(1)));
  CHECK(expect_row({1, kInfinity}).is_open(0));
  CHECK(expect_row({1.9e19}).is_open(0));
  CHECK_FALSE(expect_row({1e19}).is_open(0));
  CHECK(std::isnan(expect_row({kInfinity, kNan}).value[0]));
  CHECK(rmsnorm().expect({2, 2, {{"x", {1, 2, {1, 2}}}}, {}}, "").empty());
  CHECK(rmsnorm().expect({1, 1, {{"x", {1, 1, {1}}}}, {}}, "two-pass").empty());
  CHECK(rmsnorm().expect({0, 5, {{"x", {}}}, {}}, "").at(0).value.empty());
}

TEST_CASE("rmsnorm: right kernels stay below the bound in every mode") {
  double worst = 0;
  for (const CaseData& data : cases()) {
    const Arguments arguments = arguments_of(rmsnorm(), data);
    const Expected expected = rmsnorm().expect(arguments, "").at(0);
    for (const Mode& mode : modes()) {
      INFO(data.name << ", " << mode.threads << " threads, fused " << mode.fused << ", ulps " << mode.ulps);
      const double r = run(arguments, expected, mode);
      REQUIRE(r <= 1);
      worst = std::max(worst, r);
    }
  }
  CHECK(worst > 0.4);  // the rows that round as badly as they can come near it
}

TEST_CASE("rmsnorm: one thread a row is right too, up to 4096 columns") {
  for (const int cols : {257, 1024, 4096}) {
    for (const double mean : {0, 10, 1000}) {
      const Arguments arguments = arguments_of(rmsnorm(), {"", 4, cols, normal(mean, 1)});
      const Expected expected = rmsnorm().expect(arguments, "").at(0);
      for (const bool fused : {false, true}) {
        INFO(cols << " columns around " << mean << ", fused " << fused);
        REQUIRE(run(arguments, expected, {1, fused}) <= 1);
      }
    }
  }
}

TEST_CASE("rmsnorm: wrong kernels go beyond twice the bound where they should show") {
  struct Wrong {
    const char* name;
    RmsMistake mistake;
    std::vector<const char*> cases;
  };
  using enum RmsMistake;
  const std::vector<Wrong> wrong = {
      {"eps outside", kEpsOutside, {"[1e-3]", "tiny"}},
      {"no eps", kNoEps, {"[1e-3]", "zero row", "tiny"}},
      {"divides by the block", kBlockDim, {"[1e-3]", "[1,1]", "zero row", "tiny", "spike", "at 100", "constant", "long"}},
      {"mean missing", kNoMean, {"[1,1]", "zero row", "tiny", "spike", "at 100", "constant", "long"}},
      {"weight before the sum", kWeightFirst, {"[1e-3]", "[1,1]", "zero row", "tiny", "spike", "at 100", "constant"}},
      {"one warp", kOneWarp, {"spike", "tiny", "at 100", "constant", "long"}},
      {"tail dropped", kTailDropped, {"[1e-3]", "[1,1]", "zero row", "spike", "at 100", "long"}},
      {"subtracts the mean", kSubtractsMean, {"[1,1]", "zero row", "tiny", "spike", "at 100", "constant"}},
      {"half output", kHalfOutput, {"zero row", "tiny", "spike", "at 100", "constant", "long"}},
  };
  for (const Wrong& w : wrong) {
    for (const char* name : w.cases) {
      const auto data = std::find_if(cases().begin(), cases().end(), [&](const CaseData& c) { return c.name == name; });
      const Arguments arguments = arguments_of(rmsnorm(), *data);
      const Expected expected = rmsnorm().expect(arguments, "").at(0);
      for (const Mode& mode : modes()) {
        if (w.mistake == kOneWarp && mode.threads == kWarpSize) continue;                          // one warp is all there is
        if (w.mistake == kBlockDim && mode.threads == static_cast<int>(arguments.cols)) continue;  // the same number
        INFO(w.name << " in " << name << ", " << mode.threads << " threads, fused " << mode.fused << ", ulps " << mode.ulps);
        CHECK(run(arguments, expected, mode, w.mistake) > 2);
      }
    }
  }
}
