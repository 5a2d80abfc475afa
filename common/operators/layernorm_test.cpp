#include <algorithm>
#include <cmath>
#include <limits>

#include "common/operators/emulation/emulated_cases.hpp"
#include "common/operators/emulation/layernorm_kernels.hpp"
#include "common/operators/registry.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook::operators;
using namespace warpbook::operators::emulation;
using Mistake = LayerNormMistake;

namespace {

constexpr float kEps = 1e-5f;

/// The separating cases of lesson 05 and 07.
const std::vector<CaseData>& cases() {
  static const std::vector<CaseData> all = {
      {"4x1", 4, 1, normal(3, 1)},
      {"[0,2]", 1, 2, {}, {0, 2}},
      {"2x3", 2, 3, normal(3, 1)},
      {"4x33", 4, 33, normal(3, 1)},
      {"16x257 at 300", 16, 257, normal(300, 1)},
      {"8x1023", 8, 1023, normal(1, 1)},
      {"32x1024 at 1000", 32, 1024, normal(1000, 1)},
      {"8x1024 tiny", 8, 1024, normal(0, 1e-3)},
      {"64x4096 constant", 64, 4096, constant(1000, 0.37)},
      {"[5793,5794]", 1, 2, {}, {5793, 5794}},
      {"2x257 zeros", 2, 257, constant(0)},
      {"3x257 small gamma",
       3,
       257,
       normal(0, 1),
       {},
       {{"gamma", {.kind = warpbook::inputs::FillKind::kRamp, .step = 1e-3 / 256}}, {"beta", constant(10)}}},
      {"2x50257", 2, 50257, normal(10, 1)},
  };
  return all;
}

std::vector<Mode> modes(bool all_roundings) {
  std::vector<Mode> list;
  for (const int threads : {32, 256}) {
    for (const bool fused : {false, true}) {
      for (const bool reciprocal : {false, true}) {
        if (!all_roundings) {
          list.push_back({threads, fused, reciprocal});
          continue;
        }
        for (const int ulps : {-2, 0, 2}) list.push_back({threads, fused, reciprocal, ulps});
      }
    }
  }
  return list;
}

double run(const Arguments& arguments, const Expected& expected, const Mode& mode, Method method, Mistake mistake = Mistake::kNone) {
  const std::vector<float> x = floats(arguments, "x"), gamma = floats(arguments, "gamma"), beta = floats(arguments, "beta");
  std::vector<float> y(x.size());
  const auto cols = static_cast<std::size_t>(arguments.cols);
  for (std::size_t at = 0; at < x.size(); at += cols) {
    layernorm_row(std::span(x).subspan(at, cols), gamma, beta, kEps, mode, method, mistake, std::span(y).subspan(at, cols));
  }
  return worst_ratio(expected, y);
}

Expected expect(const Arguments& arguments, std::string_view bound) { return layernorm().expect(arguments, bound).at(0); }

/// Whether the kernel is beyond the bound in every mode.
bool shows(const CaseData& data, Method method, Mistake mistake, std::string_view bound) {
  const Arguments arguments = arguments_of(layernorm(), data);
  const Expected expected = expect(arguments, bound);
  const std::vector<Mode> all = modes(false);
  return std::all_of(all.begin(), all.end(), [&](const Mode& mode) {
    const bool whole = mistake == Mistake::kOneWarp && mode.threads == kWarpSize;  // one warp is all there is
    return whole || run(arguments, expected, mode, method, mistake) > 1;
  });
}

const CaseData& case_named(std::string_view name) {
  return *std::find_if(cases().begin(), cases().end(), [&](const CaseData& data) { return data.name == name; });
}

Arguments plain(std::vector<double> x) {
  const auto cols = static_cast<std::int64_t>(x.size());
  return {1, cols, {{"x", {1, cols, std::move(x)}}}, {{"eps", 1e-5}}};
}

}  // namespace

TEST_CASE("layernorm: the reference, worked by hand") {
  const Expected y = expect(plain({0, 2}), "");
  const double scale = 1 / std::sqrt(1 + static_cast<double>(1e-5f));
  CHECK(y.value[0] == Approx(-scale).epsilon(1e-15));
  CHECK(y.value[1] == Approx(scale).epsilon(1e-15));
  // gamma and beta; the variance is divided by N
  Arguments affine = plain({1, 2, 3, 4});
  affine.tensors["gamma"] = {1, 4, {1, 2, 3, 0}};
  affine.tensors["beta"] = {1, 4, {0, 0, 1, 7}};
  const Expected z = expect(affine, "two-pass");
  CHECK(z.value[1] == Approx(2 * -0.5 / std::sqrt(1.25 + 1e-5)).epsilon(1e-9));
  CHECK(z.value[2] == Approx(3 * 0.5 / std::sqrt(1.25 + 1e-5) + 1).epsilon(1e-9));
  CHECK(z.value[3] == 7);
  CHECK(z.bound[3] == 2 * 0x1p-24 * 14);  // gamma 0: only the last addition
  // a constant row is beta exactly
  for (const double v : expect(plain(std::vector<double>(4097, static_cast<double>(1000.37f))), "").value) REQUIRE(v == 0);
}

TEST_CASE("layernorm: the bounds are the formulas of their derivation") {
  const Expected e2 = expect(plain({5793, 5794}), "two-pass");
  const double u = 0x1p-24, whole = 0.25 + static_cast<double>(1e-5f), r = 0.5 / std::sqrt(whole), k = 5793.5 / std::sqrt(whole);
  const double depth = 8 + 2.0 / 64;
  const double two_pass = (32 + 2.0 / 64) * u * (4 * r) + depth * u * k * (1 + r) + 0x1p-126 / std::sqrt(whole) + 2 * u * r;
  CHECK(e2.bound[0] == Approx(two_pass).epsilon(1e-12));
  const Expected e3 = expect(plain({5793, 5794}), "two-moment");
  const double f = 1 / std::sqrt(static_cast<double>(1e-5f) / whole) - 1;  // all of the variance may be lost
  CHECK(e3.bound[1] == Approx(two_pass + 2 * (r + depth * u * k) * f).epsilon(1e-12));
}

TEST_CASE("layernorm: rows that are not numbers, and calls that are incomplete") {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const Expected with_nan = expect(plain({1, nan, 3}), "");
  for (std::size_t i = 0; i < 3; ++i) CHECK((std::isnan(with_nan.value[i]) && !with_nan.is_open(i)));
  const Expected with_inf = expect(plain({1, inf, 3}), "");
  for (std::size_t i = 0; i < 3; ++i) CHECK(with_inf.is_open(i));
  CHECK(layernorm().expect(plain({1, 2}), "no such bound").empty());
  CHECK(layernorm().expect({2, 2, {{"x", {1, 2, {1, 2}}}}, {}}, "").empty());
  CHECK(layernorm().expect({0, 5, {{"x", {}}}, {}}, "").at(0).value.empty());
}

TEST_CASE("layernorm: right kernels stay below their bounds in every mode") {
  for (const CaseData& data : cases()) {
    const Arguments arguments = arguments_of(layernorm(), data);
    const Expected two_pass = expect(arguments, "two-pass"), two_moment = expect(arguments, "two-moment");
    for (const Mode& mode : modes(true)) {
      INFO(data.name << ", " << mode.threads << " threads, fused " << mode.fused << ", reciprocal " << mode.reciprocal << ", ulps "
                     << mode.ulps);
      REQUIRE(run(arguments, two_pass, mode, Method::kTwoPass) <= 1);
      REQUIRE(run(arguments, two_pass, mode, Method::kWelford) <= 1);
      REQUIRE(run(arguments, two_pass, mode, Method::kWelfordWeightedMeans) <= 1);
      REQUIRE(run(arguments, two_moment, mode, Method::kTwoMoments) <= 1);
    }
  }
}

TEST_CASE("layernorm: one thread a row is right too, up to 4096 columns") {
  for (const int cols : {257, 1024, 4096}) {
    for (const double mean : {0, 10, 100, 1000}) {
      const Arguments arguments = arguments_of(layernorm(), {"", 4, cols, normal(mean, 1)});
      const Expected expected = expect(arguments, "two-pass");
      for (const bool fused : {false, true}) {
        INFO(cols << " columns around " << mean << ", fused " << fused);
        REQUIRE(run(arguments, expected, {1, fused}, Method::kTwoPass) <= 1);
      }
    }
  }
}

TEST_CASE("layernorm: wrong kernels go beyond the bound where they should show") {
  struct Wrong {
    const char* name;
    Method method;
    Mistake mistake;
    const char* bound;
    std::vector<const char*> cases;
  };
  using enum Mistake;
  using enum Method;
  const std::vector<Wrong> wrong = {
      {"two moments where two passes are asked", kTwoMoments, kNone, "two-pass", {"16x257 at 300", "32x1024 at 1000", "[5793,5794]"}},
      {"N - 1", kTwoPass, kNMinus1, "two-pass", {"4x1", "[0,2]", "2x3", "4x33", "16x257 at 300", "8x1023", "8x1024 tiny", "[5793,5794]"}},
      {"eps outside", kTwoPass, kEpsOutside, "two-pass", {"8x1024 tiny"}},
      {"no eps", kTwoPass, kNoEps, "two-pass", {"4x1", "8x1024 tiny", "64x4096 constant", "2x257 zeros"}},
      {"one warp", kTwoPass, kOneWarp, "two-pass", {"4x33", "16x257 at 300", "8x1023", "32x1024 at 1000", "8x1024 tiny", "2x50257"}},
      {"padding lanes", kTwoPass, kPaddingLanes, "two-pass", {"[0,2]", "2x3", "4x33", "16x257 at 300", "8x1023", "[5793,5794]", "2x50257"}},
      {"blockDim", kTwoPass, kBlockDim, "two-pass", {"4x1", "[0,2]", "2x3", "4x33", "16x257 at 300", "8x1023", "32x1024 at 1000"}},
      {"tail dropped", kTwoPass, kTailDropped, "two-pass", {"4x1", "[0,2]", "2x3", "4x33", "16x257 at 300", "8x1023", "2x257 zeros"}},
      {"half output", kTwoPass, kHalfOutput, "two-pass", {"2x3", "4x33", "8x1023", "8x1024 tiny", "2x257 zeros", "3x257 small gamma"}},
      {"half mean", kTwoPass, kHalfMean, "two-pass", {"4x1", "2x3", "4x33", "16x257 at 300", "8x1023", "32x1024 at 1000", "[5793,5794]"}},
      {"merge without weight", kWelford, kChanNoWeight, "two-pass", {"[0,2]", "2x3", "4x33", "16x257 at 300", "8x1023", "8x1024 tiny"}},
      {"merge adds means", kWelford, kChanAddsMeans, "two-pass", {"[0,2]", "2x3", "4x33", "64x4096 constant", "2x50257"}},
      {"merge averages means", kWelford, kChanAverages, "two-pass", {"2x3", "4x33", "16x257 at 300", "8x1023"}},
      {"merge without delta", kWelford, kChanNoDelta, "two-pass", {"[0,2]", "2x3", "4x33", "16x257 at 300", "8x1023", "[5793,5794]"}},
      {"merge weights swapped", kWelford, kChanSwapped, "two-pass", {"2x3", "4x33", "16x257 at 300", "8x1023"}},
      {"merge of two empty parts", kWelford, kChanNoGuard, "two-pass", {"4x1", "[0,2]", "4x33", "2x257 zeros"}},
      // the mistakes of lesson 05, under its own wider bound
      {"no clamp", kTwoMoments, kNoClamp, "two-moment", {"64x4096 constant", "[5793,5794]"}},
      {"clamp after eps", kTwoMoments, kClampAfterEps, "two-moment", {"64x4096 constant", "[5793,5794]"}},
      {"sign flipped", kTwoMoments, kSignFlipped, "two-moment", {"[0,2]", "2x3", "4x33", "8x1023", "8x1024 tiny"}},
      {"N - 1 of two moments", kTwoMoments, kNMinus1, "two-moment", {"[0,2]", "2x3", "4x33", "8x1023", "8x1024 tiny"}},
      {"one warp of two moments", kTwoMoments, kOneWarp, "two-moment", {"4x33", "8x1023", "8x1024 tiny", "2x50257"}},
      {"eps outside of two moments", kTwoMoments, kEpsOutside, "two-moment", {"8x1024 tiny"}},
  };
  for (const Wrong& w : wrong) {
    for (const char* name : w.cases) {
      INFO(w.name << " in " << name);
      CHECK(shows(case_named(name), w.method, w.mistake, w.bound));
    }
  }
}
