#include <algorithm>
#include <cmath>
#include <limits>

#include "common/operators/emulation/cross_entropy_kernels.hpp"
#include "common/operators/emulation/emulated_cases.hpp"
#include "common/operators/registry.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook::operators;
using namespace warpbook::operators::emulation;
using warpbook::inputs::FillKind;
using warpbook::inputs::PokeAt;
using Mistake = CrossEntropyMistake;
using Method = CrossEntropyMethod;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// A case by its logits; targets as given, or row r has target r modulo the columns.
struct Labelled {
  const char* name;
  int rows, cols;
  warpbook::inputs::Fill logits;
  std::vector<double> targets{};
  double scale = 1;
};

const std::vector<Labelled>& cases() {
  static const std::vector<Labelled> all = {
      {"1e8 1e8", 1, 2, constant(1e8), {1}},
      {"1e4 1e4", 1, 2, constant(1e4), {1}},
      {"[0,-120]", 1, 2, {.kind = FillKind::kRamp, .step = -120}, {1}},
      {"[100,0]", 1, 2, {.kind = FillKind::kRamp, .value = 100, .step = -100}, {1}},
      {"1x1", 1, 1, constant(3), {0}},
      {"3,-100,V-1,0", 4, 1000, normal(0, 1), {3, -100, 999, 0}, 1.0 / 3},
      {"all ignored", 2, 33, normal(0, 1), {-100, -100}},
      {"4x1023 sd 10", 4, 1023, normal(0, 10), {5, 7, 1022, 0}, 0.25},
      {"8x257", 8, 257, normal(2, 1), {}, 0.125},
      {"1x4096 equal", 1, 4096, constant(-200), {17}},
      {"lane 3 masked", 4, 1023, poked(normal(0, 1), {.at = PokeAt::kLanes, .lanes = 1u << 3, .value = -kInf}), {0, 1, 2, 4}},
      {"1x152064", 1, 152064, normal(0, 1), {77777}},
  };
  return all;
}

Arguments arguments_of(const Labelled& c) {
  Arguments arguments{c.rows, c.cols, {}, {{"scale", c.scale}}};
  arguments.tensors["logits"] = {
      c.rows, c.cols,
      warpbook::inputs::to_values(warpbook::inputs::DType::kF32,
                                  warpbook::inputs::make(c.logits, c.rows, c.cols, warpbook::inputs::DType::kF32, {kSeed, "logits"}))};
  std::vector<double> targets = c.targets;
  for (int row = static_cast<int>(targets.size()); row < c.rows; ++row) targets.push_back(row % c.cols);
  arguments.tensors["targets"] = {c.rows, 1, targets};
  return arguments;
}

std::vector<Expected> expect(const Arguments& arguments) { return cross_entropy().expect(arguments, ""); }

std::vector<Expected> expect_row(std::vector<double> logits, double target, double scale = 1) {
  const auto cols = static_cast<std::int64_t>(logits.size());
  return expect({1, cols, {{"logits", {1, cols, std::move(logits)}}, {"targets", {1, 1, {target}}}}, {{"scale", scale}}});
}

/// Error in units of the bound: of the losses, of the gradient.
struct Ratios {
  double loss = 0, gradient = 0;
};

Ratios run(const Arguments& arguments, const std::vector<Expected>& expected, const Mode& mode, Method method,
           Mistake mistake = Mistake::kNone) {
  const std::vector<float> x = floats(arguments, "logits"), targets = floats(arguments, "targets");
  const auto cols = static_cast<std::size_t>(arguments.cols);
  std::vector<float> loss, gradient;
  for (std::size_t row = 0; row < targets.size(); ++row) {
    const LossAndGradient out =
        cross_entropy_row(std::span(x).subspan(row * cols, cols), static_cast<int>(targets[row]), static_cast<int>(targets[0]),
                          static_cast<float>(arguments.scalars.at("scale")), mode, method, mistake);
    loss.push_back(out.loss);
    gradient.insert(gradient.end(), out.gradient.begin(), out.gradient.end());
  }
  return {worst_ratio(expected[0], loss), worst_ratio(expected[1], gradient)};
}

std::vector<Mode> modes() {
  std::vector<Mode> list;
  for (const int threads : {32, 256}) {
    for (const bool fast : {false, true}) {
      for (const bool reciprocal : {false, true}) {
        for (const int ulps : {-2, 0, 2}) list.push_back({threads, true, reciprocal, ulps, fast});
      }
    }
  }
  return list;
}

}  // namespace

TEST_CASE("cross-entropy: the reference, worked by hand") {
  const std::vector<Expected> y = expect_row({0, std::log(3.0)}, 0, 0.5);
  REQUIRE(y.size() == 2);
  CHECK((y[0].tensor == "loss" && y[0].rows == 1 && y[0].cols == 1));
  CHECK(y[0].value[0] == Approx(std::log(4.0)));
  CHECK(y[1].value[0] == Approx(0.5 * (0.25 - 1)));
  CHECK(y[1].value[1] == Approx(0.5 * 0.75));
  CHECK(expect_row({1e8, 1e8}, 1)[0].value[0] == Approx(std::log(2.0)));
  CHECK(expect_row({0, -120}, 1)[0].value[0] == 120);
  // T = log(3) / 4, log d = log(4/3)
  const double terms = 32 + 8 * std::log(4.0 / 3) + 5 * std::log(3.0) / 4 + 2.0 / 32;
  CHECK(y[0].bound[0] == Approx(0x1p-24 * (4 * std::log(3.0) + terms)));
  CHECK(y[1].bound[0] == Approx(0.5 * 0x1p-24 * (0.25 * (terms + 5 * std::log(3.0)) + 2)));
  CHECK(y[1].bound[1] == Approx(0.5 * 0x1p-24 * 0.75 * terms));
}

TEST_CASE("cross-entropy: what targets, masks, NaN and infinity mean") {
  for (const std::vector<double>& row : {std::vector<double>{1, 2}, {kNan, 2}, {kInfinity, -kInfinity}}) {
    const std::vector<Expected> ignored = expect_row(row, -100);
    CHECK((ignored[0].value[0] == 0 && ignored[0].bound[0] == 0 && !ignored[0].is_open(0)));
    CHECK((ignored[1].value == std::vector<double>{0, 0} && ignored[1].bound == std::vector<double>{0, 0} && !ignored[1].is_open(0)));
  }
  for (const double target : {-1.0, -99.0, 2.0, 1e9}) {
    const std::vector<Expected> outside = expect_row({1, 2}, target);
    CHECK((std::isnan(outside[0].value[0]) && !outside[0].is_open(0)));
    CHECK((std::isnan(outside[1].value[1]) && !outside[1].is_open(1)));
  }
  const std::vector<Expected> masked = expect_row({2, -kInfinity, 2}, 0);
  CHECK(masked[0].value[0] == Approx(std::log(2.0)));
  CHECK((masked[1].value[1] == 0 && masked[1].bound[1] == 0));
  const std::vector<Expected> masked_target = expect_row({2, -kInfinity, 2}, 1, 0.5);
  CHECK(masked_target[0].value[0] == kInfinity);
  CHECK((masked_target[1].value == std::vector<double>{0.25, -0.5, 0.25} && masked_target[1].bound[1] == 0));
  for (const double poison : {kNan, kInfinity}) {
    const std::vector<Expected> y = expect_row({1, poison, -kInfinity}, 0);
    CHECK((std::isnan(y[0].value[0]) && !y[0].is_open(0)));
    CHECK((std::isnan(y[1].value[0]) && !y[1].is_open(0) && y[1].is_open(2)));
  }
  const std::vector<Expected> nothing = expect_row({-kInfinity, -kInfinity}, 0);
  CHECK((nothing[0].is_open(0) && nothing[1].is_open(1)));
}

TEST_CASE("cross-entropy: right kernels stay below the bound in every mode") {
  double worst = 0;
  for (const Labelled& c : cases()) {
    const Arguments arguments = arguments_of(c);
    const std::vector<Expected> expected = expect(arguments);
    for (const Mode& mode : modes()) {
      for (const Method method : {Method::kQuotient, Method::kFromLogs, Method::kOnlineLog2}) {
        INFO(c.name << ", method " << static_cast<int>(method) << ", " << mode.threads << " threads, reciprocal " << mode.reciprocal
                    << ", ulps " << mode.ulps << ", fast " << mode.fast_exp);
        const Ratios r = run(arguments, expected, mode, method);
        REQUIRE(r.loss <= 1);
        REQUIRE(r.gradient <= 1);
        worst = std::max({worst, r.loss, r.gradient});
      }
    }
  }
  CHECK(worst > 0.25);  // a quarter of the bound would fail a right kernel
}

TEST_CASE("cross-entropy: wrong kernels go beyond the bound where they should show") {
  struct Wrong {
    const char* name;
    Mistake mistake;
    std::vector<const char*> in_loss, in_gradient;
  };
  using enum Mistake;
  const std::vector<Wrong> wrong = {
      {"log of the probability", kLogOfProbability, {"[0,-120]"}, {}},
      {"log added to the maximum", kAddsLogToMax, {"1e8 1e8", "1e4 1e4"}, {}},
      {"no maximum", kNoMax, {"1e8 1e8", "1e4 1e4", "[100,0]", "1x4096 equal"}, {"1e8 1e8", "1e4 1e4", "1x4096 equal"}},
      {"ignored rows count", kIgnoredCounts, {"3,-100,V-1,0", "all ignored"}, {"3,-100,V-1,0", "all ignored"}},
      {"no - 1", kNoOne, {}, {"1e8 1e8", "[0,-120]", "1x1", "8x257", "4x1023 sd 10", "1x152064"}},
      {"sign", kSignFlipped, {}, {"1e8 1e8", "[0,-120]", "8x257", "1x152064"}},
      {"no scale", kNoScale, {}, {"3,-100,V-1,0", "4x1023 sd 10", "8x257"}},
      {"scale in the loss", kScaleInLoss, {"3,-100,V-1,0", "4x1023 sd 10", "8x257"}, {}},
      {"sum of one warp", kOneWarpSum, {"3,-100,V-1,0", "8x257", "1x4096 equal"}, {"3,-100,V-1,0", "8x257", "1x4096 equal"}},
      {"log2", kLogBase2, {"1e8 1e8", "8x257", "1x4096 equal"}, {}},
      {"target of row 0", kLabelFromRowZero, {"3,-100,V-1,0", "4x1023 sd 10", "8x257"}, {"8x257"}},
  };
  for (const Wrong& w : wrong) {
    for (const Labelled& c : cases()) {
      const auto listed = [&](const std::vector<const char*>& names) {
        return std::find(names.begin(), names.end(), std::string_view(c.name)) != names.end();
      };
      if (!listed(w.in_loss) && !listed(w.in_gradient)) continue;
      const Arguments arguments = arguments_of(c);
      const Ratios r = run(arguments, expect(arguments), {}, Method::kQuotient, w.mistake);
      INFO(w.name << " in " << c.name << ": loss " << r.loss << ", gradient " << r.gradient);
      CHECK((!listed(w.in_loss) || r.loss > 1));
      CHECK((!listed(w.in_gradient) || r.gradient > 1));
    }
  }
}
