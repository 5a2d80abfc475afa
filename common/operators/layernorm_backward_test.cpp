#include <algorithm>
#include <cmath>
#include <limits>

#include "common/operators/emulation/emulated_block.hpp"
#include "common/operators/emulation/emulated_cases.hpp"
#include "common/operators/registry.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook::operators;
using namespace warpbook::operators::emulation;

namespace {

enum class Mistake {
  kNone,
  kNoMeanOfG,
  kNoMeanOfGr,
  kGammaForgotten,
  kScaleForgotten,
  kSumForMean,
  kRowLeftOut,
  kXForR,
  kGInDgamma,
  kNMinus1
};

struct Gradients {
  std::vector<float> dx, dgamma, dbeta;
};

Gradients run(const Arguments& a, const Mode& mode, Mistake mistake = Mistake::kNone) {
  const std::vector<float> x = floats(a, "x"), gamma = floats(a, "gamma"), dy = floats(a, "dy");
  const int cols = static_cast<int>(a.cols), rows = static_cast<int>(a.rows);
  const auto n = static_cast<float>(cols);
  Gradients out{std::vector<float>(x.size()), std::vector<float>(static_cast<std::size_t>(cols)),
                std::vector<float>(static_cast<std::size_t>(cols))};
  for (int row = 0; row < rows; ++row) {
    const float* in = x.data() + row * cols;
    const float* back = dy.data() + row * cols;
    const float mean = mode.divide(sum_block(mode, cols, [&](float s, int i) { return s + in[i]; }), n);
    const auto square = [&](float s, int i) { return mode.multiply_add(in[i] - mean, in[i] - mean, s); };
    const float variance = mode.divide(sum_block(mode, cols, square), mistake == Mistake::kNMinus1 ? n - 1 : n);
    const float scale = mode.rsqrt(variance + 1e-5f);
    const auto r = [&](int i) { return mistake == Mistake::kXForR ? in[i] : (in[i] - mean) * scale; };
    const auto g = [&](int i) { return mistake == Mistake::kGammaForgotten ? back[i] : back[i] * gamma[i]; };
    float mean_g = sum_block(mode, cols, [&](float s, int i) { return s + g(i); });
    float mean_gr = sum_block(mode, cols, [&](float s, int i) { return mode.multiply_add(g(i), r(i), s); });
    if (mistake != Mistake::kSumForMean) {
      mean_g = mode.divide(mean_g, n);
      mean_gr = mode.divide(mean_gr, n);
    }
    if (mistake == Mistake::kNoMeanOfG) mean_g = 0;
    if (mistake == Mistake::kNoMeanOfGr) mean_gr = 0;
    for (int i = 0; i < cols; ++i) {
      const float inside = mode.multiply_add(-r(i), mean_gr, g(i) - mean_g);
      out.dx[static_cast<std::size_t>(row * cols + i)] = mistake == Mistake::kScaleForgotten ? inside : inside * scale;
      if (mistake == Mistake::kRowLeftOut && row == rows - 1) continue;
      const auto col = static_cast<std::size_t>(i);
      out.dgamma[col] = mode.multiply_add(mistake == Mistake::kGInDgamma ? g(i) : back[i], r(i), out.dgamma[col]);
      out.dbeta[col] += back[i];
    }
  }
  return out;
}

const std::vector<CaseData>& cases() {
  static const std::vector<CaseData> all = {
      {"4x1", 4, 1, normal(3, 1)},
      {"1x2", 1, 2, {}, {0, 2}},
      {"4x33", 4, 33, normal(3, 1)},
      {"16x257 at 300", 16, 257, normal(300, 1)},
      {"8x1023", 8, 1023, normal(1, 1)},
      {"8x1024 tiny", 8, 1024, normal(0, 1e-3)},
      {"zeros", 3, 257, constant(0)},
      {"constant", 4, 512, constant(1000, 0.37)},
      {"2048 rows, dy alike", 2048, 8, normal(0, 1), {}, {{"dy", constant(0.1)}}},
      {"256 rows", 256, 64, normal(0, 1)},
  };
  return all;
}

/// Errors in units of the bound: dx, dgamma, dbeta.
std::vector<double> ratios(const Arguments& arguments, const Gradients& got) {
  const std::vector<Expected> e = layernorm_backward().expect(arguments, "");
  return {worst_ratio(e.at(0), got.dx), worst_ratio(e.at(1), got.dgamma), worst_ratio(e.at(2), got.dbeta)};
}

}  // namespace

TEST_CASE("layernorm backward: the reference, worked by hand") {
  // mean 1, var 1, eps 0 to within 1e-30: r = -1, 1; g = (2, 1): mean 1.5, mean of g r = -0.5
  const Arguments a{1, 2, {{"x", {1, 2, {0, 2}}}, {"gamma", {1, 2, {1, 0.25}}}, {"dy", {1, 2, {2, 4}}}}, {{"eps", 1e-30}}};
  const std::vector<Expected> e = layernorm_backward().expect(a, "");
  REQUIRE(e.size() == 3);
  CHECK((e[0].tensor == "dx" && e[1].tensor == "dgamma" && e[2].tensor == "dbeta"));
  CHECK(e[0].value[0] == Approx(0).margin(1e-12));  // 2 - 1.5 - 0.5
  CHECK(e[1].value[0] == Approx(-2));
  CHECK(e[1].value[1] == Approx(4));
  CHECK(e[2].value == std::vector<double>{2, 4});
  CHECK(e[2].bound[1] == Approx(8.5 * 0x1p-24 * 4));
}

TEST_CASE("layernorm backward: the reference is the derivative of LayerNorm") {
  const CaseData data{"", 1, 7, normal(1, 2)};
  Arguments a = arguments_of(layernorm_backward(), data);
  const std::vector<Expected> e = layernorm_backward().expect(a, "");
  const auto loss = [&](const Arguments& at) {
    Arguments forward{1, 7, {{"x", at.tensors.at("x")}, {"gamma", at.tensors.at("gamma")}}, {}};
    const Expected y = layernorm().expect(forward, "").at(0);
    double sum = 0;
    for (std::size_t i = 0; i < 7; ++i) sum += y.value[i] * at.tensors.at("dy").data[i];
    return sum;
  };
  const double h = 1e-5;
  for (const auto& [tensor, index] : {std::pair{"x", 0u}, {"gamma", 1u}}) {
    for (std::size_t i = 0; i < 7; ++i) {
      Arguments up = a, down = a;
      up.tensors.at(tensor).data[i] += h;
      down.tensors.at(tensor).data[i] -= h;
      CHECK(e[index].value[i] == Approx((loss(up) - loss(down)) / (2 * h)).epsilon(1e-5).margin(1e-7));
    }
  }
}

TEST_CASE("layernorm backward: what is not finite leaves its row and the sums open") {
  Arguments a = arguments_of(layernorm_backward(), {"", 2, 3, normal(0, 1)});
  a.tensors["dy"].data[4] = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Expected> e = layernorm_backward().expect(a, "");
  CHECK((!e[0].is_open(0) && e[0].is_open(3) && e[1].is_open(0) && e[2].is_open(2)));
}

TEST_CASE("layernorm backward: right kernels stay below the bound in every mode") {
  double worst = 0;
  for (const CaseData& data : cases()) {
    const Arguments arguments = arguments_of(layernorm_backward(), data);
    for (const int threads : {32, 256}) {
      for (const bool fused : {false, true}) {
        for (const int ulps : {-2, 2}) {
          INFO(data.name << ", " << threads << " threads, fused " << fused << ", ulps " << ulps);
          for (const double r : ratios(arguments, run(arguments, {.threads = threads, .fused = fused, .ulps = ulps}))) {
            CHECK(r <= 1);
            worst = std::max(worst, r);
          }
        }
      }
    }
  }
  CHECK(worst > 0.1);
}

TEST_CASE("layernorm backward: wrong kernels go beyond the bound where they should show") {
  struct Wrong {
    const char* name;
    Mistake mistake;
    int output;
    std::vector<const char*> cases;
  };
  using enum Mistake;
  const std::vector<Wrong> wrong = {
      {"mean of g missing", kNoMeanOfG, 0, {"4x33", "16x257 at 300", "8x1023", "8x1024 tiny", "zeros"}},
      {"mean of g r missing", kNoMeanOfGr, 0, {"4x33", "8x1023", "256 rows"}},
      {"gamma forgotten", kGammaForgotten, 0, {"4x33", "16x257 at 300", "8x1023", "zeros"}},
      {"scale forgotten", kScaleForgotten, 0, {"8x1024 tiny", "zeros"}},
      {"sum for mean", kSumForMean, 0, {"4x33", "8x1023", "256 rows"}},
      {"x for r", kXForR, 1, {"4x33", "16x257 at 300", "8x1023"}},
      {"g in dgamma", kGInDgamma, 1, {"4x33", "8x1023", "256 rows"}},
      {"N - 1", kNMinus1, 0, {"1x2", "4x33"}},
      {"row left out of dgamma", kRowLeftOut, 1, {"4x33", "8x1023", "256 rows"}},
      {"row left out of dbeta", kRowLeftOut, 2, {"4x33", "8x1023", "256 rows", "2048 rows, dy alike"}},
  };
  for (const Wrong& w : wrong) {
    for (const CaseData& data : cases()) {
      if (std::find(w.cases.begin(), w.cases.end(), data.name) == w.cases.end()) continue;
      const Arguments arguments = arguments_of(layernorm_backward(), data);
      INFO(w.name << " in " << data.name);
      CHECK(ratios(arguments, run(arguments, {}, w.mistake))[static_cast<std::size_t>(w.output)] > 1);
    }
  }
}
