#include <algorithm>
#include <cmath>
#include <limits>

#include "common/operators/emulation/emulated_block.hpp"
#include "common/operators/emulation/emulated_cases.hpp"
#include "common/operators/registry.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook::operators;
using namespace warpbook::operators::emulation;
using warpbook::inputs::FillKind;
using warpbook::inputs::PokeAt;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr int kThreads[] = {32, 64, 256, 1024};

std::vector<Expected> expect(const Arguments& arguments) { return row_sum_max().expect(arguments, ""); }

std::vector<Expected> expect_row(std::vector<double> x) {
  const auto cols = static_cast<std::int64_t>(x.size());
  return expect(Arguments{1, cols, {{"x", {1, cols, std::move(x)}}}, {}});
}

/// The mistakes of lessons 01 and 02 that a value shows.
enum class Mistake { kNone, kOneWarp, kLastWarpDropped, kTailDropped };

std::vector<float> sums(const Arguments& arguments, int threads, Mistake mistake = Mistake::kNone) {
  const std::vector<float> x = floats(arguments, "x");
  const int cols = static_cast<int>(arguments.cols);
  const int n = mistake == Mistake::kTailDropped ? cols / 4 * 4 : cols;
  int warps = kWarpSize;
  if (mistake == Mistake::kOneWarp) warps = 1;
  if (mistake == Mistake::kLastWarpDropped) warps = threads / kWarpSize - 1;
  std::vector<float> out;
  for (std::size_t at = 0; at < x.size(); at += static_cast<std::size_t>(cols)) {
    const float* row = x.data() + at;
    out.push_back(sum_block(
        {.threads = threads}, n, [&](float sum, int i) { return sum + row[i]; }, warps));
  }
  return out;
}

const std::vector<CaseData>& cases() {
  // The last two are built to round as badly as they can: constant terms whose partial sums all round the same way, and rows
  // whose first elements, one a lane, are so large that each of the later ones is lost.
  static const std::vector<CaseData> all = {
      {"1x1", 1, 1, constant(-1)},
      {"33 ones", 2, 33, constant(1)},
      {"7x257", 7, 257, normal(0, 1)},
      {"3x1023 at 1000", 3, 1023, normal(1000, 1)},
      {"uniform", 3, 4096, {.kind = FillKind::kUniform, .low = 0, .high = 1}},
      {"lognormal", 3, 5125, {.kind = FillKind::kLognormal, .mean = 0, .sd = 3}},
      {"1x152064", 1, 152064, normal(0, 1)},
      {"constant", 8, 50257, constant(0.1, 0.37)},
      {"large first", 1, 4096, poked(constant(1), {.at = PokeAt::kPrefix, .count = 32, .value = 0x1p24f})},
  };
  return all;
}

}  // namespace

TEST_CASE("row sum and maximum: the reference, worked by hand") {
  const std::vector<Expected> y = expect(Arguments{2, 3, {{"x", {2, 3, {1, 2, 3.5, -4, -2, -3}}}}, {}});
  REQUIRE(y.size() == 2);
  CHECK((y[0].tensor == "sum" && y[0].value == std::vector<double>{6.5, -9}));
  CHECK((y[1].tensor == "max" && y[1].value == std::vector<double>{3.5, -2}));
  CHECK((y[0].rows == 2 && y[0].cols == 1));
  CHECK(y[0].bound[1] == (8 + 3.0 / 32) * 0x1p-24 * 9);
  CHECK(y[1].bound == std::vector<double>{0, 0});
}

TEST_CASE("row sum and maximum: NaN and infinities") {
  const std::vector<Expected> nan = expect_row({kNan, 2, 1});
  CHECK(std::isnan(nan[0].value[0]));
  CHECK((nan[1].value[0] == 2 && !nan[1].is_open(0)));
  CHECK(expect_row({kNan, kNan})[1].is_open(0));
  CHECK(expect_row({kInfinity, 1})[0].value[0] == kInfinity);
  CHECK(std::isnan(expect_row({kInfinity, -kInfinity})[0].value[0]));
  CHECK(expect_row({-kInfinity, -kInfinity})[1].value[0] == -kInfinity);
  CHECK(expect_row({3e38, 3e38, -3e38})[0].is_open(0));  // overflows in one order and not in another
  CHECK_FALSE(expect_row({3e38})[0].is_open(0));
  const std::vector<Expected> empty = expect(Arguments{2, 0, {{"x", {}}}, {}});
  CHECK((empty[0].value == std::vector<double>{0, 0} && empty[1].value[0] == -kInfinity));
}

TEST_CASE("row sum: right sums stay below the bound with every number of threads") {
  double worst = 0;
  for (const CaseData& data : cases()) {
    const Arguments arguments = arguments_of(row_sum_max(), data);
    const Expected expected = expect(arguments)[0];
    for (const int threads : kThreads) {
      INFO(data.name << ", " << threads << " threads");
      const double r = worst_ratio(expected, sums(arguments, threads));
      CHECK(r <= 1);
      worst = std::max(worst, r);
    }
  }
  CHECK(worst > 0.5);  // the bound is reached: half of it would fail a right kernel
}

TEST_CASE("row sum: a warp or a tail left out goes beyond the bound") {
  struct Wrong {
    Mistake mistake;
    int threads;
    std::vector<const char*> cases;
  };
  const std::vector<Wrong> wrong = {
      {Mistake::kOneWarp, 256, {"33 ones", "7x257", "3x1023 at 1000", "uniform", "lognormal", "1x152064", "constant"}},
      {Mistake::kLastWarpDropped, 64, {"33 ones", "7x257", "3x1023 at 1000", "uniform", "lognormal", "1x152064", "constant"}},
      {Mistake::kTailDropped, 256, {"1x1", "33 ones", "7x257", "3x1023 at 1000"}},
  };
  for (const Wrong& w : wrong) {
    for (const CaseData& data : cases()) {
      if (std::find(w.cases.begin(), w.cases.end(), data.name) == w.cases.end()) continue;
      const Arguments arguments = arguments_of(row_sum_max(), data);
      INFO("mistake " << static_cast<int>(w.mistake) << " in " << data.name);
      CHECK(worst_ratio(expect(arguments)[0], sums(arguments, w.threads, w.mistake)) > 1);
    }
  }
}
