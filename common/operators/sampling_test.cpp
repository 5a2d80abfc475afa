#include <algorithm>
#include <cmath>
#include <limits>

#include "common/operators/emulation/emulated_cases.hpp"
#include "common/operators/emulation/sampling_kernels.hpp"
#include "common/operators/registry.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook::operators;
using namespace warpbook::operators::emulation;
using warpbook::inputs::DType;
using warpbook::inputs::FillKind;
using Mistake = SamplingMistake;
using Method = SamplingMethod;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Arguments arguments_of(const std::vector<double>& logits, std::int64_t rows, std::vector<double> uniform, double k, double p) {
  const std::int64_t cols = static_cast<std::int64_t>(logits.size()) / rows;
  return {rows, cols, {{"logits", {rows, cols, logits}}, {"uniform", {rows, 1, std::move(uniform)}}}, {{"k", k}, {"p", p}}};
}

struct Answer {
  double token = 0, kept = 0;
  bool token_open = false, kept_open = false;
  bool operator==(const Answer&) const = default;
};

/// The reference of one row.
Answer sample(const std::vector<double>& logits, double k, double p, double u) {
  const std::vector<Expected> e = sampling().expect(arguments_of(logits, 1, {u}, k, p), "");
  REQUIRE(e.size() == 2);
  return {e[0].value[0], e[1].value[0], e[0].is_open(0), e[1].is_open(0)};
}

/// Rows of normal logits; `step` > 0 rounds them to its multiples, which makes ties.
std::vector<double> normal_rows(std::int64_t rows, std::int64_t cols, double sd, double step = 0) {
  std::vector<double> values =
      warpbook::inputs::to_values(DType::kF32, warpbook::inputs::make(normal(0, sd), rows, cols, DType::kF32, {kSeed, "logits"}));
  if (step > 0) {
    for (double& v : values) v = std::round(v / step) * step;
  }
  return values;
}

std::vector<double> uniform_rows(std::int64_t rows) {
  return warpbook::inputs::to_values(
      DType::kF32, warpbook::inputs::make({.kind = FillKind::kUniform, .low = 0, .high = 1}, rows, 1, DType::kF32, {kSeed, "uniform"}));
}

}  // namespace

TEST_CASE("sampling: the reference, worked by hand") {
  const double l2 = std::log(2.0);
  // weights 1, 2, 4, 1 of 8: order 2, 1, 0, 3
  const std::vector<double> row = {0, l2, 2 * l2, 0};
  CHECK(sample(row, 1, 0.01, 0.99) == Answer{2, 1});
  CHECK(sample(row, 4, 1, 0.49) == Answer{2, 4});
  CHECK(sample(row, 4, 1, 0.51) == Answer{1, 4});
  CHECK(sample(row, 4, 1, 0.8) == Answer{0, 4});
  CHECK(sample(row, 4, 1, 0.9) == Answer{3, 4});
  CHECK(sample(row, 2, 1, 0.6) == Answer{2, 2});  // 4 of 6
  CHECK(sample(row, 2, 1, 0.7) == Answer{1, 2});
  CHECK(sample(row, 4, 0.6, 0.7) == Answer{1, 2});  // 4 of 8 is below 0.6, 6 of 8 is not; of 6
  CHECK(sample(row, 4, 0.6, 0.6) == Answer{2, 2});
  CHECK(sample(row, 2, 0.6, 0.99) == Answer{2, 1});  // p counts among the candidates: 4 of 6
  CHECK(sample(row, 4, 0.3, 0.99) == Answer{2, 1});  // p below the first probability
  CHECK(sample(row, 4, 0, 0.99) == Answer{2, 1});
  CHECK(sample(row, 1000, 2, 0.9) == Answer{3, 4});
}

TEST_CASE("sampling: ties, NaN, masks and rows with nothing to draw") {
  CHECK(sample({1, 1}, 1, 1, 0.9) == Answer{0, 1});
  CHECK(sample({-0.0, 0.0}, 1, 1, 0) == Answer{0, 1});
  CHECK(sample({kNan, 1, kNan, 2}, 1, 1, 0) == Answer{3, 1});
  CHECK(sample({kNan, 1, -kInfinity, 1}, 40, 1, 0.7) == Answer{3, 2});
  CHECK(sample({kNan, -kInfinity}, 40, 1, 0.7) == Answer{-1, 0});
  CHECK(sample({1, kInfinity, kInfinity}, 1, 1, 0.7) == Answer{1, 1});
  CHECK(sample({1, kInfinity}, 2, 1, 0.7).token_open);
  CHECK(sample({-3, -3, -3, -3}, 40, 1, 0x1.fffffep-1) == Answer{3, 4});
  CHECK(sample({-3, -3, -3, -3}, 40, 1, 0) == Answer{0, 4});
}

TEST_CASE("sampling: what rounding decides is open, and nothing else") {
  // two alike, p = 1/2: one or two kept; the token hangs on it for u in the upper half only
  CHECK(sample({1, 1}, 2, 0.5, 0.9).kept_open);
  CHECK(sample({1, 1}, 2, 0.5, 0.9).token_open);
  CHECK_FALSE(sample({1, 1}, 2, 0.5, 0.3).token_open);
  CHECK(sample({1, 1}, 2, 1, 0.5).token_open);
  CHECK_FALSE(sample({1, 1}, 2, 1, 0.5001).token_open);
  CHECK_FALSE(sample({1, 1}, 2, 1, 0).token_open);
  // a tail that a float sum does not feel
  CHECK(sample({0, -40, -40}, 3, 1, 0x1.fffffep-1).token_open);
  CHECK_FALSE(sample({0, -40, -40}, 3, 1, 0.999).token_open);
  const std::vector<double> u = uniform_rows(400);
  const std::vector<Expected> e = sampling().expect(arguments_of(normal_rows(400, 257, 2), 400, u, 257, 0.9), "");
  CHECK(std::count(e[0].open.begin(), e[0].open.end(), 1) <= 4);
  CHECK(std::count(e[1].open.begin(), e[1].open.end(), 1) <= 4);
}

namespace {

struct Setting {
  const char* name;
  std::int64_t rows, cols;
  double sd, step, k, p;
};

const std::vector<Setting>& settings() {
  static const std::vector<Setting> all = {
      {"greedy with ties", 60, 300, 1, 0.5, 1, 1}, {"top-k", 60, 300, 2, 0, 8, 1},
      {"top-k with ties", 60, 300, 1, 0.5, 8, 1},  {"top-p", 60, 300, 2, 0, 300, 0.7},
      {"both, ties", 60, 600, 1, 0.25, 40, 0.6},   {"k above N", 60, 5, 1, 0, 40, 1},
      {"p tiny", 60, 64, 1, 0, 64, 1e-6},          {"long", 4, 20000, 3, 0, 20000, 0.95},
      {"p = 1, peaked", 60, 64, 8, 0, 64, 1},
  };
  return all;
}

/// Rows in which a kernel's token or count is not the reference's, open ones aside.
int wrong_rows(const Setting& s, const Mode& mode, Method method, Mistake mistake, bool shift = false) {
  std::vector<double> logits = normal_rows(s.rows, s.cols, s.sd, s.step);
  if (shift) {
    for (double& v : logits) v = static_cast<float>(v + 100);
  }
  const std::vector<double> u = uniform_rows(s.rows);
  const Arguments arguments = arguments_of(logits, s.rows, u, s.k, s.p);
  const std::vector<Expected> e = sampling().expect(arguments, "");
  const std::vector<float> x = floats(arguments, "logits");
  int wrong = 0;
  for (std::size_t row = 0; row < u.size(); ++row) {
    const Sample got = sample_row(std::span(x).subspan(row * static_cast<std::size_t>(s.cols), static_cast<std::size_t>(s.cols)),
                                  static_cast<int>(s.k), static_cast<float>(s.p), static_cast<float>(u[row]), mode, method, mistake);
    const bool token = e[0].is_open(row) || got.token == e[0].value[row];
    const bool kept = e[1].is_open(row) || got.kept == e[1].value[row];
    wrong += !(token && kept);
  }
  return wrong;
}

}  // namespace

TEST_CASE("sampling: right kernels draw the reference's token in every mode") {
  for (const Setting& s : settings()) {
    for (const bool fast : {false, true}) {
      for (const int ulps : {-2, 0, 2}) {
        for (const Method method : {Method::kChain, Method::kSorted, Method::kSearch}) {
          INFO(s.name << ", method " << static_cast<int>(method) << ", fast " << fast << ", ulps " << ulps);
          CHECK(wrong_rows(s, {.ulps = ulps, .fast_exp = fast}, method, Mistake::kNone) == 0);
        }
      }
    }
  }
}

TEST_CASE("sampling: wrong kernels draw another token somewhere") {
  struct Wrong {
    const char* name;
    Mistake mistake;
    const char* setting;
  };
  using enum Mistake;
  const std::vector<Wrong> wrong = {
      {"higher index on ties", kTieHigherIndex, "greedy with ties"},
      {"lower lane on ties", kTieStrided, "greedy with ties"},
      {"k not clamped", kKNotClamped, "k above N"},
      {"drops the token that reaches p", kPKeepsBelow, "top-p"},
      {"p below the first", kPKeepsBelow, "p tiny"},
      {"p of the whole row", kPOfWholeRow, "both, ties"},
      {"p = 1 rounds", kPOneRounds, "p = 1, peaked"},
      {"u of the candidates' sum", kUOfTotal, "top-p"},
      {"ties in top-k", kTieHigherIndex, "top-k with ties"},
  };
  for (const Wrong& w : wrong) {
    const auto s = std::find_if(settings().begin(), settings().end(),
                                [&](const Setting& candidate) { return std::string_view(candidate.name) == w.setting; });
    REQUIRE(s != settings().end());
    INFO(w.name << " in " << w.setting);
    CHECK(wrong_rows(*s, {}, Method::kChain, w.mistake) > 0);
  }
  const std::vector<float> nan_row = {1, std::numeric_limits<float>::quiet_NaN(), 2}, empty = {-kInf, -kInf}, large = {100, 99};
  CHECK(sample_row(nan_row, 1, 1, 0.5f, {}, Method::kChain, kNanWins).token != sample({1, kNan, 2}, 1, 1, 0.5).token);
  CHECK(sample_row(empty, 1, 1, 0.5f, {}, Method::kChain, kNoneIsZero).token != sample({-kInfinity, -kInfinity}, 1, 1, 0.5).token);
  CHECK(sample_row(large, 2, 1, 0.5f, {}, Method::kChain, kExpWithoutMax).token != sample({100, 99}, 2, 1, 0.5).token);
}
