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

namespace {

constexpr float kEps = 1e-6f;  // the default of the operator

/// The names and the type of a group of tensors.
struct Group {
  const Operator& op;
  std::string hidden, residual, weight;
  DType type;
};

Group wide() { return {fused_add_rmsnorm(), "hidden", "residual", "weight", DType::kF32}; }
Group narrow() { return {fused_add_rmsnorm_f32_bf16(), "hidden_bf16", "residual_bf16", "weight_bf16", DType::kBF16}; }

enum class Mistake {
  kNone,
  kResidualNotWritten,
  kOldResidual,       ///< normalises what the residual was
  kHiddenOnly,        ///< normalises hidden
  kAddsAfterwards,    ///< normalises hidden, then adds the residual
  kUnroundedSum,      ///< statistics and output from the sum before it is rounded
  kUnroundedSquares,  ///< statistics from the sum before it is rounded, output from the stored one
};

const std::vector<CaseData>& cases() {
  using warpbook::inputs::FillKind;
  static const auto ordinary = [](const char* name, int rows, int cols, double hidden_mean, double residual_mean) {
    CaseData data{name, rows, cols};
    for (const char* suffix : {"", "_bf16"}) {
      data.others[std::string("hidden") + suffix] = normal(hidden_mean, 1);
      data.others[std::string("residual") + suffix] = normal(residual_mean, 1);
    }
    return data;
  };
  static const std::vector<CaseData> all = {
      ordinary("4x1024", 4, 1024, 0, 0),
      ordinary("3x33", 3, 33, 1, -0.5),
      ordinary("2x1", 2, 1, 3, 3),
      ordinary("large residual", 2, 257, 0, 100),
      // ones and 2^-8: in bfloat16 a tie at every element
      {"ties",
       1,
       1024,
       {},
       {},
       {{"hidden_bf16", constant(0x1p-8)}, {"residual_bf16", constant(1)}, {"hidden", constant(0x1p-24)}, {"residual", constant(1)}}},
      {"zero hidden",
       1,
       1024,
       {},
       {},
       {{"hidden_bf16", constant(0)}, {"residual_bf16", normal(0, 1)}, {"hidden", constant(0)}, {"residual", normal(0, 1)}}},
  };
  return all;
}

struct Ratios {
  double hidden = 0, residual = 0;
};

Ratios run(const Group& group, const Arguments& arguments, const std::vector<Expected>& expected, const Mode& mode, Mistake mistake) {
  const std::vector<float> h = floats(arguments, group.hidden), r = floats(arguments, group.residual), w = floats(arguments, group.weight);
  std::vector<float> sum(h.size()), stored(h.size()), y(h.size());
  for (std::size_t i = 0; i < h.size(); ++i) {
    sum[i] = h[i] + r[i];
    stored[i] = through(group.type, sum[i]);
  }
  std::vector<float> from = stored;
  if (mistake == Mistake::kOldResidual) from = r;
  if (mistake == Mistake::kHiddenOnly || mistake == Mistake::kAddsAfterwards) from = h;
  if (mistake == Mistake::kUnroundedSum || mistake == Mistake::kUnroundedSquares) from = sum;
  const auto cols = static_cast<std::size_t>(arguments.cols);
  for (std::size_t at = 0; at < h.size(); at += cols) {
    const auto out = std::span(y).subspan(at, cols);
    rmsnorm_row(std::span(from).subspan(at, cols), w, kEps, group.type, mode, RmsMistake::kNone, out);
    if (mistake != Mistake::kUnroundedSquares) continue;
    const auto squares = [&](float s, int i) { return mode.multiply_add(sum[at + i], sum[at + i], s); };
    const float scale = mode.rsqrt(mode.divide(sum_block(mode, static_cast<int>(cols), squares), static_cast<float>(cols)) + kEps);
    for (std::size_t col = 0; col < cols; ++col) out[col] = through(group.type, stored[at + col] * scale * w[col]);
  }
  if (mistake == Mistake::kAddsAfterwards) {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = through(group.type, y[i] + r[i]);
  }
  if (mistake == Mistake::kResidualNotWritten) stored = r;
  Ratios ratios;
  for (const Expected& e : expected) {
    if (e.tensor == group.hidden) ratios.hidden = worst_ratio(e, y, group.type);
    if (e.tensor == group.residual) ratios.residual = worst_ratio(e, stored, group.type);
  }
  return ratios;
}

std::vector<Mode> modes() {
  std::vector<Mode> list;
  for (const int threads : {32, 256, 1024}) {
    for (const bool fused : {false, true}) {
      for (const int ulps : {-2, 0, 2}) list.push_back({threads, fused, false, ulps});
    }
  }
  return list;
}

}  // namespace

TEST_CASE("fused add and rmsnorm: the reference, worked by hand") {
  const Arguments arguments{1, 2, {{"hidden", {1, 2, {1, -7}}}, {"residual", {1, 2, {2, 3}}}, {"weight", {1, 2, {1, 2}}}}, {{"eps", 0.5}}};
  const std::vector<Expected> y = fused_add_rmsnorm().expect(arguments, "");
  REQUIRE(y.size() == 2);
  CHECK((y[1].tensor == "residual" && y[1].value == std::vector<double>{3, -4} && y[1].bound == std::vector<double>{0, 0}));
  CHECK(y[0].tensor == "hidden");
  CHECK(y[0].value[0] == Approx(3 / std::sqrt(13)).epsilon(1e-14));
  CHECK(y[0].value[1] == Approx(-8 / std::sqrt(13)).epsilon(1e-14));
}

TEST_CASE("fused add and rmsnorm: the sum is rounded to the type before anything else") {
  // 1 + 2^-8 lies in the middle of two bfloat16 and goes to the even one, 1; 1.0078125 + 2^-8 goes up to 1.015625
  const Arguments arguments{1, 2, {{"hidden_bf16", {1, 2, {0x1p-8, 0x1p-8}}}, {"residual_bf16", {1, 2, {1, 1 + 0x1p-7}}}}, {{"eps", 1e-6}}};
  const std::vector<Expected> y = fused_add_rmsnorm_f32_bf16().expect(arguments, "");
  REQUIRE(y.size() == 4);
  CHECK((y[3].tensor == "residual_bf16" && y[3].value == std::vector<double>{1, 1 + 0x1p-6}));
  const double scale = 1 / std::sqrt((1 + (1 + 0x1p-6) * (1 + 0x1p-6)) / 2 + static_cast<double>(1e-6f));
  CHECK(y[2].value[1] == Approx((1 + 0x1p-6) * scale).epsilon(1e-14));
}

TEST_CASE("fused add and rmsnorm: a group is whole or absent") {
  CHECK(fused_add_rmsnorm().expect({1, 1, {{"hidden", {1, 1, {1}}}}, {}}, "").empty());
  CHECK(fused_add_rmsnorm_f32_bf16().expect({1, 1, {{"hidden_bf16", {1, 1, {1}}}}, {}}, "").empty());
  CHECK(fused_add_rmsnorm_f32_bf16().expect({1, 1, {{"hidden", {1, 1, {1}}}, {"residual", {1, 1, {1}}}}, {}}, "").size() == 4);
}

TEST_CASE("fused add and rmsnorm: right kernels stay below the bound, and their residual is right to the bit") {
  for (const Group& group : {wide(), narrow()}) {
    for (const CaseData& data : cases()) {
      const Arguments arguments = arguments_of(group.op, data);
      const std::vector<Expected> expected = group.op.expect(arguments, "");
      for (const Mode& mode : modes()) {
        INFO(group.hidden << ", " << data.name << ", " << mode.threads << " threads, fused " << mode.fused << ", ulps " << mode.ulps);
        const Ratios ratios = run(group, arguments, expected, mode, Mistake::kNone);
        REQUIRE(ratios.hidden <= 0.5);
        REQUIRE(ratios.residual == 0);
      }
    }
  }
}

TEST_CASE("fused add and rmsnorm: wrong kernels show") {
  struct Wrong {
    Mistake mistake;
    bool in_float;
    std::vector<const char*> cases;
  };
  using enum Mistake;
  const std::vector<Wrong> wrong = {
      {kOldResidual, true, {"4x1024", "3x33", "large residual"}},
      {kHiddenOnly, true, {"4x1024", "3x33", "large residual"}},
      {kAddsAfterwards, true, {"4x1024", "3x33", "2x1", "large residual"}},
      {kUnroundedSum, false, {"4x1024", "large residual"}},
      {kUnroundedSquares, false, {"ties"}},
  };
  for (const Group& group : {wide(), narrow()}) {
    for (const CaseData& data : cases()) {
      const Arguments arguments = arguments_of(group.op, data);
      const std::vector<Expected> expected = group.op.expect(arguments, "");
      for (const Mode& mode : modes()) {
        INFO(group.hidden << ", " << data.name << ", " << mode.threads << " threads");
        if (data.name != "zero hidden")
          CHECK((run(group, arguments, expected, mode, kResidualNotWritten).residual > 2 || data.name == "ties"));
        for (const Wrong& w : wrong) {
          const bool here = std::find(w.cases.begin(), w.cases.end(), data.name) != w.cases.end();
          if (!here || (group.type == DType::kF32 && !w.in_float)) continue;
          INFO("mistake " << static_cast<int>(w.mistake));
          CHECK(run(group, arguments, expected, mode, w.mistake).hidden > 2);
        }
      }
    }
  }
}
