#include <algorithm>
#include <cmath>
#include <limits>

#include "common/operators/emulation/emulated_cases.hpp"
#include "common/operators/emulation/softmax_kernels.hpp"
#include "common/operators/registry.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook::operators;
using namespace warpbook::operators::emulation;
using warpbook::inputs::FillKind;
using warpbook::inputs::PokeAt;
using Mistake = SoftmaxMistake;
using Method = SoftmaxMethod;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// The separating cases of lessons 06, 11 and 15.
const std::vector<CaseData>& cases() {
  static const std::vector<CaseData> all = {
      {"[89]", 1, 1, constant(89)},
      {"1000..1003", 1, 4, {.kind = FillKind::kRamp, .value = 1000, .step = 1}},
      {"[-200]", 1, 1, constant(-200)},
      {"1x64 -1e5", 1, 64, constant(-1e5)},
      {"2x33 last 120", 2, 33, poked(constant(0), {.at = PokeAt::kLast, .value = 120})},
      {"3x1023 sd 1", 3, 1023, normal(0, 1)},
      {"3x1023 sd 10", 3, 1023, normal(0, 10)},
      {"1x1024 all 82", 1, 1024, constant(82)},
      {"first 8 finite", 1, 4096, poked(normal(0, 1), {.at = PokeAt::kSuffix, .count = 4088, .value = -kInf})},
      {"last 8 finite", 1, 4096, poked(normal(0, 1), {.at = PokeAt::kPrefix, .count = 4088, .value = -kInf})},
      {"lane 3 masked", 4, 1023, poked(normal(0, 1), {.at = PokeAt::kLanes, .lanes = 1u << 3, .value = -kInf})},
      {"all masked", 2, 100, constant(-kInfinity)},
      {"ascending", 4, 1023, {.kind = FillKind::kRamp, .step = 1e-4}},
      {"spike 120", 2, 300, poked(constant(0), {.at = PokeAt::kElement, .index = 200, .value = 120})},
      {"1x50257 last 50", 1, 50257, poked(normal(0, 1), {.at = PokeAt::kLast, .value = 50})},
      {"1x152064", 1, 152064, normal(0, 1)},
      {"1x152064 equal", 1, 152064, constant(1)},
  };
  return all;
}

std::vector<Mode> modes(bool all_roundings) {
  std::vector<Mode> list;
  for (const int threads : {32, 256}) {
    for (const bool fast : {false, true}) {
      if (!all_roundings) {
        list.push_back({threads, true, fast, 0, fast});
        continue;
      }
      for (const bool reciprocal : {false, true}) {
        for (const int ulps : {-2, 2}) list.push_back({threads, true, reciprocal, ulps, fast});
      }
    }
  }
  return list;
}

double run(const Arguments& arguments, const Expected& expected, const Mode& mode, Method method, Mistake mistake = Mistake::kNone) {
  const std::vector<float> x = floats(arguments, "x");
  std::vector<float> y(x.size());
  const auto cols = static_cast<std::size_t>(arguments.cols);
  for (std::size_t at = 0; at < x.size(); at += cols) {
    softmax_row(std::span(x).subspan(at, cols), mode, method, mistake, std::span(y).subspan(at, cols));
  }
  return worst_ratio(expected, y);
}

Expected expect(const Arguments& arguments) { return softmax().expect(arguments, "").at(0); }

Arguments plain(std::vector<double> x) {
  const auto cols = static_cast<std::int64_t>(x.size());
  return {1, cols, {{"x", {1, cols, std::move(x)}}}, {}};
}

/// Whether the kernel is beyond the bound in every mode.
bool shows(const CaseData& data, Method method, Mistake mistake) {
  const Arguments arguments = arguments_of(softmax(), data);
  const Expected expected = expect(arguments);
  const std::vector<Mode> all = modes(false);
  return std::all_of(all.begin(), all.end(), [&](const Mode& mode) {
    const bool whole =
        (mistake == Mistake::kOneWarpMax || mistake == Mistake::kOneWarpSum) && mode.threads == kWarpSize;  // one warp is all there is
    return whole || run(arguments, expected, mode, method, mistake) > 1;
  });
}

const CaseData& case_named(std::string_view name) {
  return *std::find_if(cases().begin(), cases().end(), [&](const CaseData& data) { return data.name == name; });
}

}  // namespace

TEST_CASE("softmax: the reference and its bound, worked by hand") {
  const Expected y = expect(plain({1000, 1001, 1002, 1003}));
  const double known[] = {0.0320586, 0.0871443, 0.2368828, 0.6439143};
  for (std::size_t i = 0; i < 4; ++i) CHECK(y.value[i] == Approx(known[i]).epsilon(1e-5));
  const double t = known[0] * 3 + known[1] * 2 + known[2] * 1;
  CHECK(y.bound[1] == Approx(y.value[1] * 0x1p-24 * (32 + 5 * 2 + 5 * t + 4.0 / 32)).epsilon(1e-5));
  CHECK(expect(plain({-3.4028235e38, -3.4028235e38})).value[0] == 0.5);
}

TEST_CASE("softmax: what masks, NaN and infinity mean") {
  const Expected masked = expect(plain({-kInfinity, 2, 2, -kInfinity}));
  CHECK(masked.value == std::vector<double>{0, 0.5, 0.5, 0});
  CHECK(masked.bound[0] == 0);
  const Expected wholly = expect(plain({-kInfinity, -kInfinity}));
  CHECK(wholly.value == std::vector<double>{0, 0});
  CHECK(wholly.bound == std::vector<double>{0, 0});
  for (const double poison : {kNan, kInfinity}) {
    const Expected y = expect(plain({1, poison, -kInfinity}));
    CHECK((std::isnan(y.value[0]) && std::isnan(y.value[1])));
    CHECK((!y.is_open(0) && !y.is_open(1) && y.is_open(2)));
  }
}

TEST_CASE("softmax: right kernels stay below the bound in every mode") {
  for (const CaseData& data : cases()) {
    const Arguments arguments = arguments_of(softmax(), data);
    const Expected expected = expect(arguments);
    for (const Mode& mode : modes(true)) {
      for (const Method method : {Method::kThreePass, Method::kOnline, Method::kSplit, Method::kFolded}) {
        INFO(data.name << ", method " << static_cast<int>(method) << ", " << mode.threads << " threads, reciprocal " << mode.reciprocal
                       << ", ulps " << mode.ulps << ", fast " << mode.fast_exp);
        REQUIRE(run(arguments, expected, mode, method) <= 1);
      }
    }
  }
}

TEST_CASE("softmax: wrong kernels go beyond the bound where they should show") {
  struct Wrong {
    const char* name;
    Method method;
    Mistake mistake;
    std::vector<const char*> cases;
  };
  using enum Mistake;
  using enum Method;
  const std::vector<Wrong> wrong = {
      {"no maximum",
       kThreePass,
       kNoMax,
       {"[89]", "1000..1003", "[-200]", "1x64 -1e5", "2x33 last 120", "1x1024 all 82", "all masked", "spike 120"}},
      {"maximum from 0", kThreePass, kMaxFromZero, {"[-200]", "1x64 -1e5", "all masked"}},
      {"maximum from -5e4", kThreePass, kMaxFromMinus5e4, {"1x64 -1e5", "all masked"}},
      {"maximum from -1e10", kThreePass, kMaxFromMinus1e10, {"all masked"}},
      {"maximum of one warp", kThreePass, kOneWarpMax, {"2x33 last 120", "last 8 finite", "spike 120"}},
      {"sum of one warp",
       kThreePass,
       kOneWarpSum,
       {"1x64 -1e5", "2x33 last 120", "3x1023 sd 1", "last 8 finite", "lane 3 masked", "1x152064"}},
      {"tail dropped", kThreePass, kTailDropped, {"[89]", "[-200]", "2x33 last 120", "3x1023 sd 1", "1x50257 last 50"}},
      {"gaps of 0", kThreePass, kGapsZero, {"[-200]", "3x1023 sd 1", "lane 3 masked", "ascending"}},
      {"NaN on masked rows", kThreePass, kNoMaskedRow, {"all masked"}},
      {"no rescale", kOnline, kNoRescale, {"3x1023 sd 1", "3x1023 sd 10", "lane 3 masked", "ascending", "1x50257 last 50", "1x152064"}},
      {"inverse rescale", kOnline, kInverseRescale, {"3x1023 sd 1", "3x1023 sd 10", "ascending", "1x50257 last 50", "1x152064"}},
      {"merge adds", kOnline, kMergeAdds, {"1000..1003", "2x33 last 120", "first 8 finite", "last 8 finite", "ascending", "spike 120"}},
      {"merge inverse", kOnline, kMergeInverse, {"1000..1003", "2x33 last 120", "first 8 finite", "last 8 finite", "ascending"}},
      {"merge without guard", kOnline, kMergeInfMinusInf, {"[89]", "1000..1003", "[-200]", "first 8 finite", "last 8 finite"}},
      {"update without guard", kOnline, kUpdateInfMinusInf, {"first 8 finite", "last 8 finite"}},
      {"split adds", kSplit, kSplitAdds, {"1000..1003", "2x33 last 120", "3x1023 sd 1", "ascending", "spike 120", "1x152064"}},
      {"split without guard", kSplit, kSplitInfMinusInf, {"last 8 finite"}},
  };
  for (const Wrong& w : wrong) {
    for (const char* name : w.cases) {
      INFO(w.name << " in " << name);
      CHECK(shows(case_named(name), w.method, w.mistake));
    }
  }
}
