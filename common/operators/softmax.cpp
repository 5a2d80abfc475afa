// Softmax: y = exp(x - m) / sum_j exp(x_j - m) over each row, m the row's maximum. Promised for |x| <= 1e6 and for -inf, which
// marks a masked column: its y is exactly 0, and a row masked throughout is exactly 0 everywhere. A row with a NaN or a +inf is
// NaN in all unmasked columns; of its masked columns nothing is promised (0 divided by NaN is NaN, a select is 0). The limit on
// |x| is there for kernels that fold the base into the exponent, exp2(x l - m l) with l = log2 e: they are right, and below
// about -1e9 their two products round apart by more than the exponent range.
//
// How far a right float kernel may be off, relative to y. u = 2^-24, d = the sum, T = sum_j y_j |x_j - m| over finite x_j.
//
// *An exponential.* x - m rounds by u |x - m|, and the product with log2 e, the constant itself included, by as much again
// and a little; an error of the exponent is a relative error of the power: at most 5 u |x - m| with room for the folded form.
// ex2 is approximate (2 ulp), and an online kernel multiplies by a rescaling factor, another exponential.
// *The sum.* Each term errs as above; weighted by its share y_j of the sum that is 5 T u on the average. Adding up costs
// N/32 u for 32 partial sums of like sign (half of it typical), and what rescaling at each new maximum costs stays below that.
// *The rest.* Tree, division or reciprocal, the last product and the constants of both exponentials: 32 u.
// Values below 2^-126 may be flushed, in the exponential or in y: absolutely 2^-125.
//
//   E = y u (32 + 5 |x - m| + 5 T + N/32) + 2^-125
//
// Tried against right and wrong kernels in softmax_test.cpp.
#include <algorithm>
#include <cmath>
#include <limits>

#include "common/operators/description.hpp"
#include "common/operators/registry.hpp"

namespace warpbook::operators {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

bool is_masked(double x) { return x == -kInf; }
bool poisons(double x) { return std::isnan(x) || x == kInf; }

/// A row with a NaN or +inf: NaN where it is not masked, open where it is.
void expect_poisoned(std::span<const double> x, std::size_t first, Expected& y) {
  y.open.resize(y.value.size());
  for (std::size_t col = 0; col < x.size(); ++col) {
    y.value[first + col] = kNan;
    y.open[first + col] = is_masked(x[col]) ? 1 : 0;
  }
}

/// A row with at least one finite element and no other than finite ones and -inf; masked columns stay exactly 0.
void expect_finite(std::span<const double> x, std::size_t first, Expected& y) {
  const double m = *std::max_element(x.begin(), x.end());
  CompensatedSum sum, distances;
  for (const double v : x) {
    if (is_masked(v)) continue;
    const double e = std::exp(v - m);
    sum.add(e);
    distances.add(e * (m - v));
  }
  const double d = sum.value();
  const double t = distances.value() / d;
  const double row_terms = 32 + 5 * t + static_cast<double>(x.size()) / 32;
  for (std::size_t col = 0; col < x.size(); ++col) {
    if (is_masked(x[col])) continue;
    const double value = std::exp(x[col] - m) / d;
    y.value[first + col] = value;
    y.bound[first + col] = value * kU * (row_terms + 5 * (m - x[col])) + 0x1p-125;
  }
}

std::vector<Expected> expect_softmax(const Arguments& arguments, std::string_view) {
  const std::span<const double> x = values_of(arguments, "x");
  const auto cols = static_cast<std::size_t>(arguments.cols);
  Expected y = blank_expectation("y", arguments.rows, arguments.cols);
  for (std::size_t first = 0; first < y.value.size(); first += cols) {
    const std::span<const double> row = x.subspan(first, cols);
    if (std::any_of(row.begin(), row.end(), poisons)) {
      expect_poisoned(row, first, y);
    } else if (!std::all_of(row.begin(), row.end(), is_masked)) {
      expect_finite(row, first, y);
    }
  }
  return {y};
}

Description describe() {
  return {
      .name = "softmax",
      .tensors = {{.name = "x",
                   .role = Role::kInput,
                   .default_fill = {.kind = inputs::FillKind::kNormal, .mean = 0, .sd = 1},
                   .meaning = "[rows, cols], row stride x_stride; -inf masks a column"},
                  {.name = "y", .role = Role::kOutput, .meaning = "[rows, cols], row stride y_stride"}},
      .scalars = {{"rows", "int"}, {"cols", "int"}, {"x_stride", "long long"}, {"y_stride", "long long"}},
      .default_parameters = {"x", "y", "rows", "cols"},
      .bounds = {"softmax"},
      .expect = expect_softmax,
  };
}

}  // namespace

const Operator& softmax() {
  static const DescribedOperator instance(describe());
  return instance;
}

}  // namespace warpbook::operators
