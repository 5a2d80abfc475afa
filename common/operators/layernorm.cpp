// LayerNorm: y = (x - mean) / sqrt(var + eps) * gamma + beta over each row, with the variance of the population (divided by N)
// and eps > 0 inside the root. gamma and beta may be absent (1 and 0). Promised for |x| <= 1e15: beyond 1.84e19 / sqrt(N) the
// squares of a row overflow. A row with a NaN is NaN throughout; of a row with an infinity and no NaN nothing is promised
// (E[x^2] - E[x]^2 with its clamp gives infinities there, two passes give NaN, and both are right kernels).
//
// How far a right float kernel may be off. u = 2^-24, r = (x - mean) / sqrt(var + eps), R = the largest |r| of the row,
// k = |mean| / sqrt(var + eps): how many standard deviations the row stands away from zero.
//
// *The sums.* A row of N is summed by 32 lanes at the least, so an element passes N/32 additions and 5 to 10 of the tree.
// Each errs by u of what it adds up. A partial sum of like terms grows in a line from nothing to its end, which makes the sum
// of all the roundings half of "every addition at full size": L = 8 + N/64 roundings, and that half is reached when the
// roundings all go one way (constant rows do it). So the mean is off by L u |mean|, in units of r by L u k.
//
// *Two passes or Welford ("two-pass").* What a wrong mean does to an element is L u k directly, and through the variance
// again in proportion to r: L u k (1 + |r|). The sum of squared distances is a sum of like signs, its relative error N/64 u
// and a constant; with the root (approximate, 2 ulp), the products and the subtraction this makes (32 + N/64) u of 3 |r|, and
// of R, because Welford's update of the mean and the rounding of x - mean are as large as the row's largest distance.
// When var is tiny, products may end in the denormals, an absolute 2^-126 before the division by the root. gamma scales all
// of it. The last addition rounds y, and a product that is not fused rounds once more at the size of y and beta: 2u (|y| + |beta|).
//
//   E2 = |gamma| [ (32 + N/64) u (R + 3|r|) + L u k (1 + |r|) + 2^-126 / sqrt(var + eps) ] + 2u (|y| + |beta|)
//
// *Two moments ("two-moment").* E[x^2] - E[x]^2 subtracts two numbers of size mean^2 + var, each off by L u of itself. In units
// of var + eps the difference is off by q = 2 L u (mean^2 + var) / (var + eps), either way. 1/sqrt then errs by the factor f:
// upwards by 1/sqrt(1 - q) - 1, where the clamp at zero stops 1 - q at eps / (var + eps); downwards by 1 - 1/sqrt(1 + q).
// The factor applies to x - mean as the kernel has it, which is r and the error of the mean:
//
//   E3 = E2 + 2 |gamma| (|r| + L u k) f
//
// Tried against right and wrong kernels in layernorm_test.cpp. Rejected: rtol + atol, which knows nothing of k and fails right
// kernels by a factor of 40 while N - 1 in place of N passes from N = 4096 on.
#include <algorithm>
#include <cmath>
#include <limits>

#include "common/operators/description.hpp"
#include "common/operators/normalised_row.hpp"
#include "common/operators/registry.hpp"

namespace warpbook::operators {
namespace {

constexpr double kDefaultEps = 1e-5;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// f of the derivation: the factor by which 1/sqrt errs when two moments lose q of var + eps.
double cancellation(const NormalisedRow& row, double eps) {
  const double whole = row.variance + eps;
  const double q = 2 * row.roundings() * kU * (row.mean * row.mean + row.variance) / whole;
  const double up = 1 / std::sqrt(std::max(1 - q, eps / whole)) - 1;
  const double down = 1 - 1 / std::sqrt(1 + q);
  return std::max(up, down);
}

std::vector<Expected> expect_layernorm(const Arguments& arguments, std::string_view bound) {
  const std::span<const double> x = values_of(arguments, "x");
  const std::span<const double> gamma = values_of(arguments, "gamma");
  const std::span<const double> beta = values_of(arguments, "beta");
  const double eps = float_scalar(arguments, "eps", kDefaultEps);
  const auto cols = static_cast<std::size_t>(arguments.cols);
  const bool two_moments = bound == "two-moment";

  Expected y = blank_expectation("y", arguments.rows, arguments.cols);
  for (std::size_t first = 0; first < y.value.size(); first += cols) {
    const std::span<const double> in = x.subspan(first, cols);
    const bool has_nan = std::any_of(in.begin(), in.end(), [](double v) { return std::isnan(v); });
    const bool has_infinity = std::any_of(in.begin(), in.end(), [](double v) { return std::isinf(v); });
    if (has_nan || has_infinity) {
      std::fill_n(y.value.begin() + static_cast<std::ptrdiff_t>(first), cols, kNan);
      if (has_nan) continue;
      y.open.resize(y.value.size());
      std::fill_n(y.open.begin() + static_cast<std::ptrdiff_t>(first), cols, std::uint8_t{1});
      continue;
    }
    const NormalisedRow row = measure_row(in, eps);
    const double f = two_moments ? cancellation(row, eps) : 0;
    for (std::size_t col = 0; col < cols; ++col) {
      const double weight = gamma.empty() ? 1 : gamma[col];
      const double shift = beta.empty() ? 0 : beta[col];
      const double r = (in[col] - row.mean) * row.scale;
      const double value = r * weight + shift;
      const double lost = 2 * (std::fabs(r) + row.roundings() * kU * row.distance()) * f;
      y.value[first + col] = value;
      y.bound[first + col] = std::fabs(weight) * (row.error(r) + lost) + 2 * kU * (std::fabs(value) + std::fabs(shift));
    }
  }
  return {y};
}

Description describe() {
  using inputs::FillKind;
  return {
      .name = "layernorm",
      .tensors = {{.name = "x",
                   .role = Role::kInput,
                   .default_fill = {.kind = FillKind::kNormal, .mean = 0, .sd = 1},
                   .meaning = "[rows, cols], row stride x_stride"},
                  {.name = "gamma",
                   .role = Role::kInput,
                   .shape = Shape::kRowVector,
                   .optional = true,
                   .default_fill = {.kind = FillKind::kNormal, .mean = 1, .sd = 0.25},
                   .meaning = "[cols], null means 1"},
                  {.name = "beta",
                   .role = Role::kInput,
                   .shape = Shape::kRowVector,
                   .optional = true,
                   .default_fill = {.kind = FillKind::kNormal, .mean = 0, .sd = 0.5},
                   .meaning = "[cols], null means 0"},
                  {.name = "y", .role = Role::kOutput, .meaning = "[rows, cols], row stride y_stride"}},
      .scalars = {{"rows", "int"}, {"cols", "int"}, {"eps", "float", kDefaultEps}, {"x_stride", "long long"}, {"y_stride", "long long"}},
      .default_parameters = {"x", "gamma", "beta", "y", "rows", "cols", "eps"},
      .bounds = {"two-pass", "two-moment"},
      .expect = expect_layernorm,
  };
}

}  // namespace

const Operator& layernorm() {
  static const DescribedOperator instance(describe());
  return instance;
}

}  // namespace warpbook::operators
