// Cross-entropy of softmax against one target a row, and its gradient:
//
//   loss = -log softmax(x)[t] = (m - x_t) + log d,   gradient_j = scale (softmax(x)_j - [j = t])
//
// with m the row's maximum and d = sum_j exp(x_j - m). A target of -100 says that the row does not count: loss and gradient are
// exactly 0, whatever the logits hold. Any other target outside 0 .. cols - 1 is a mistake of the caller: loss and gradient are NaN
// (an error that shows; nothing outside the row may be read for it). The mean over rows is not taken here: `scale` is what each
// row's loss weighs in it, 1 divided by the number of rows that count. The gradient may be absent.
// -inf masks a column: its gradient is exactly 0, and the loss of a row whose target is masked is +inf (its gradient -scale there).
// A row with a NaN or +inf has a NaN loss and a NaN gradient in all unmasked columns; of its masked columns, and of rows without
// any finite logit, nothing is promised. Finite logits are promised up to |x| <= 1e30: x - m is to be formed before anything else.
//
// How far a right float kernel may be off. u = 2^-24, T = sum_j y_j |x_j - m| over finite x_j, y the softmax.
//
// *The loss.* log turns the relative error of d into an absolute one, and that was derived in softmax.cpp: 5 T u of the terms, N/32 u
// of the sum, 32 u of the rest. The log itself is approximate: of log d up to 2 ulp, and where the kernel multiplies log2 d with
// log 2, as much again; with the rounding of the last sum 8 u log d are room enough. x_t - m rounds, and so does the sum: 2 u |x_t - m|,
// twice that where a kernel goes through log2 e.
//
//   E = u (4 |x_t - m| + 8 log d + 5 T + 32 + N/32)
//
// *The gradient.* A kernel has softmax from a quotient (the bound of softmax.cpp) or from exp((x_j - m) - log d), whose exponent errs
// by u of itself, of |x_j - m| and 8 u log d. At the target 1 is subtracted, which rounds; the product with scale rounds where it is not
// a power of two. Values below 2^-126 may be flushed before and after that product.
//
//   E = |scale| (y u (32 + 5 |x_j - m| + 8 log d + 5 T + N/32) + 2^-125 + 2u [j = t]) + 2^-126
//
// Tried against right and wrong kernels in cross_entropy_test.cpp.
#include <algorithm>
#include <cmath>
#include <limits>

#include "common/operators/description.hpp"
#include "common/operators/registry.hpp"

namespace warpbook::operators {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kIgnored = -100;

bool is_masked(double x) { return x == -kInf; }
bool poisons(double x) { return std::isnan(x) || x == kInf; }

/// Loss and gradient while they are filled in.
struct Answers {
  Expected loss, gradient;

  /// The whole row NaN; what `open` is true for may be anything.
  template <class Open>
  void nan_row(std::span<const double> x, std::size_t row, bool open_loss, Open open) {
    loss.value[row] = kNan;
    loss.open[row] = open_loss;
    for (std::size_t col = 0; col < x.size(); ++col) {
      gradient.value[row * x.size() + col] = kNan;
      gradient.open[row * x.size() + col] = open(x[col]);
    }
  }
};

/// A row with a finite logit and no NaN or +inf, and a target that is one of its columns.
void expect_counted(std::span<const double> x, std::size_t target, double scale, std::size_t row, Answers& answers) {
  const double m = *std::max_element(x.begin(), x.end());
  CompensatedSum sum, distances;
  for (const double v : x) {
    if (is_masked(v)) continue;
    const double e = std::exp(v - m);
    sum.add(e);
    distances.add(e * (m - v));
  }
  const double d = sum.value(), log_d = std::log(d);
  const double row_terms = 32 + 8 * log_d + 5 * distances.value() / d + static_cast<double>(x.size()) / 32;
  const double distance = m - x[target];  // infinite where the target is masked
  answers.loss.value[row] = distance + log_d;
  answers.loss.bound[row] = kU * (4 * distance + row_terms);
  for (std::size_t col = 0; col < x.size(); ++col) {
    const double y = is_masked(x[col]) ? 0 : std::exp(x[col] - m) / d;
    const double hit = col == target ? 1 : 0;
    answers.gradient.value[row * x.size() + col] = scale * (y - hit);
    if (is_masked(x[col])) continue;  // exactly 0, or exactly -scale
    const double bound = y * kU * (row_terms + 5 * (m - x[col])) + 0x1p-125 + 2 * kU * hit;
    answers.gradient.bound[row * x.size() + col] = std::fabs(scale) * bound + 0x1p-126;
  }
}

std::vector<Expected> expect_cross_entropy(const Arguments& arguments, std::string_view) {
  const std::span<const double> logits = values_of(arguments, "logits");
  const std::span<const double> targets = values_of(arguments, "targets");
  const auto cols = static_cast<std::size_t>(arguments.cols);
  const double scale = float_scalar(arguments, "scale", 1);
  Answers answers{blank_expectation("loss", arguments.rows, 1), blank_expectation("gradient", arguments.rows, arguments.cols)};
  answers.loss.open.resize(answers.loss.value.size());
  answers.gradient.open.resize(answers.gradient.value.size());
  for (std::size_t row = 0; row < answers.loss.value.size(); ++row) {
    const std::span<const double> x = logits.subspan(row * cols, cols);
    const double target = targets[row];
    if (target == kIgnored) continue;
    if (target < 0 || target >= static_cast<double>(cols)) {
      answers.nan_row(x, row, false, [](double) { return false; });
    } else if (std::none_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); })) {
      answers.nan_row(x, row, true, [](double) { return true; });
    } else if (std::any_of(x.begin(), x.end(), poisons)) {
      answers.nan_row(x, row, false, is_masked);
    } else {
      expect_counted(x, static_cast<std::size_t>(target), scale, row, answers);
    }
  }
  return {std::move(answers.loss), std::move(answers.gradient)};
}

Description describe() {
  return {
      .name = "cross_entropy",
      .tensors = {{.name = "logits",
                   .role = Role::kInput,
                   .default_fill = {.kind = inputs::FillKind::kNormal, .mean = 0, .sd = 1},
                   .meaning = "[rows, cols], row stride logits_stride; -inf masks a column"},
                  {.name = "targets",
                   .role = Role::kInput,
                   .shape = Shape::kColumnVector,
                   .type = inputs::DType::kI32,
                   .default_fill = {.kind = inputs::FillKind::kConstant, .value = 0},
                   .meaning = "[rows], a column, or -100: the row does not count"},
                  {.name = "loss", .role = Role::kOutput, .shape = Shape::kColumnVector, .meaning = "[rows]"},
                  {.name = "gradient",
                   .role = Role::kOutput,
                   .optional = true,
                   .meaning = "[rows, cols], row stride gradient_stride; null: not wanted"}},
      .scalars =
          {{"rows", "int"}, {"cols", "int"}, {"scale", "float", 1}, {"logits_stride", "long long"}, {"gradient_stride", "long long"}},
      .default_parameters = {"logits", "targets", "loss", "gradient", "rows", "cols", "scale"},
      .bounds = {"cross-entropy"},
      .expect = expect_cross_entropy,
  };
}

}  // namespace

const Operator& cross_entropy() {
  static const DescribedOperator instance(describe());
  return instance;
}

}  // namespace warpbook::operators
