// Sampling: one token a row, drawn from the softmax of the row cut down to its k most probable tokens (top-k) and of those to the
// fewest whose probability reaches p (top-p). The random number is an input, so the answer is one and the same everywhere.
//
// Tokens stand in order of their logit, the larger first, and of equal logits the lower index first (-0 equals +0). That order decides
// everything:
//   1. candidates: the first min(k, tokens there are) of it, k >= 1;
//   2. kept: of the candidates the shortest beginning whose sum of exp(x - m) reaches p times the sum over all candidates. It has at
//      least one token (p at or below the first probability, 0 and negative p too), and with p >= 1 it has all of them;
//   3. the token: the first of those kept at which the running sum of exp(x - m) is *above* u times the sum over those kept. u is in
//      [0, 1); where rounding leaves no running sum above it, it is the last one kept.
// k = 1 is greedy decoding, argmax: neither u, p nor an exponential matter. A NaN or -inf logit is never a candidate. A row with no
// candidate gives token -1 and kept 0. A row with a +inf logit is promised for k = 1 only. |x| <= 1e6, as for softmax. `kept`, how many
// tokens step 2 leaves, may be asked for or not.
//
// Where rounding decides. The sums are floats in a kernel. With u_0 = 2^-24, S the sum over the candidates, n of them and
// T = sum_j e_j |x_j - m| / S, a running sum errs by at most
//
//   E = u_0 S (32 + 5 T + n/32)
//
// (derived in softmax.cpp; n/32 is the depth of a sum by 32 lanes. One thread that adds up all candidates has n additions, yet their
// roundings go both ways unless the terms are alike, and terms that are alike here are all 1, whose sums are exact). Both comparisons
// have one such sum on either side and a product: within 2 E of equality either answer is right. A token (or a count) is open where
// moving the comparisons by 2 E gives more than one; cases are chosen so that it happens in few rows or none. p = 1 is no
// comparison: all candidates are kept.
//
// A threshold search needs no sorted row: "the shortest beginning whose sum reaches p S" and "the first at which the sum is above
// u times" are the same search with another target.
//
// Tried against right and wrong kernels in sampling_test.cpp.
#include <algorithm>
#include <cmath>
#include <limits>

#include "common/operators/description.hpp"
#include "common/operators/registry.hpp"

namespace warpbook::operators {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kDefaultK = 40;

/// Running sums of exp(x - m) over the candidates in their order, and the columns they stand for.
struct Candidates {
  std::vector<std::size_t> column;
  std::vector<double> sum;  ///< sum[i]: of the first i + 1
  double margin = 0;        ///< 2 E
};

Candidates candidates_of(std::span<const double> x, std::int64_t k) {
  Candidates c;
  for (std::size_t col = 0; col < x.size(); ++col) {
    if (!std::isnan(x[col]) && x[col] != -kInf) c.column.push_back(col);
  }
  const auto n =
      static_cast<std::size_t>(std::clamp<std::int64_t>(k, 1, static_cast<std::int64_t>(std::max<std::size_t>(c.column.size(), 1))));
  std::stable_sort(c.column.begin(), c.column.end(), [&](std::size_t a, std::size_t b) { return x[a] > x[b]; });
  c.column.resize(std::min(n, c.column.size()));
  CompensatedSum sum, distances;
  for (const std::size_t col : c.column) {
    const double distance = x[c.column.front()] - x[col];
    sum.add(std::exp(-distance));
    distances.add(std::exp(-distance) * distance);
    c.sum.push_back(sum.value());
  }
  if (c.sum.empty()) return c;
  const double total = c.sum.back();
  c.margin = 2 * kU * total * (32 + 5 * distances.value() / total + static_cast<double>(c.sum.size()) / 32);
  return c;
}

/// How many tokens are kept when the comparison is moved by `moved`.
std::size_t kept(const Candidates& c, double p, double moved) {
  if (p >= 1) return c.sum.size();
  const auto reached = std::lower_bound(c.sum.begin(), c.sum.end(), p * c.sum.back() + moved);
  return std::min(static_cast<std::size_t>(reached - c.sum.begin()) + 1, c.sum.size());
}

/// Which of the first `count` is drawn when the comparison is moved by `moved`.
std::size_t drawn(const Candidates& c, std::size_t count, double u, double moved) {
  const auto end = c.sum.begin() + static_cast<std::ptrdiff_t>(count);
  const auto above = std::upper_bound(c.sum.begin(), end, u * c.sum[count - 1] + moved);
  return std::min(static_cast<std::size_t>(above - c.sum.begin()), count - 1);
}

void expect_row(std::span<const double> x, std::int64_t k, double p, double u, std::size_t row, Expected& token, Expected& count) {
  const Candidates c = candidates_of(x, k);
  token.value[row] = -1;
  count.value[row] = 0;
  if (c.column.empty()) return;
  token.value[row] = static_cast<double>(c.column.front());
  count.value[row] = 1;
  if (k == 1) return;
  if (x[c.column.front()] == kInf) {
    token.open[row] = count.open[row] = 1;
    return;
  }
  const std::size_t fewest = kept(c, p, -c.margin), most = kept(c, p, c.margin);
  count.value[row] = static_cast<double>(kept(c, p, 0));
  count.open[row] = fewest != most;
  token.value[row] = static_cast<double>(c.column[drawn(c, kept(c, p, 0), u, 0)]);
  // Fewer kept means a smaller sum and an earlier token: the ends of both ranges are the ends of what may be drawn. u = 0 draws the
  // first, however the sums round.
  const std::size_t earliest = drawn(c, fewest, u, -c.margin), latest = u > 0 ? drawn(c, most, u, c.margin) : 0;
  token.open[row] = earliest != latest;
}

std::vector<Expected> expect_sampling(const Arguments& arguments, std::string_view) {
  const std::span<const double> logits = values_of(arguments, "logits");
  const std::span<const double> uniform = values_of(arguments, "uniform");
  const auto cols = static_cast<std::size_t>(arguments.cols);
  const std::int64_t k = count_scalar(arguments, "k", kDefaultK);
  const double p = float_scalar(arguments, "p", 1);
  Expected token = blank_expectation("token", arguments.rows, 1), count = blank_expectation("kept", arguments.rows, 1);
  token.open.resize(token.value.size());
  count.open.resize(count.value.size());
  for (std::size_t row = 0; row < token.value.size(); ++row) {
    expect_row(logits.subspan(row * cols, cols), k, p, uniform[row], row, token, count);
  }
  return {token, count};
}

Description describe() {
  return {
      .name = "sampling",
      .tensors = {{.name = "logits",
                   .role = Role::kInput,
                   .default_fill = {.kind = inputs::FillKind::kNormal, .mean = 0, .sd = 1},
                   .meaning = "[rows, cols], row stride logits_stride; NaN and -inf are never drawn"},
                  {.name = "uniform",
                   .role = Role::kInput,
                   .shape = Shape::kColumnVector,
                   .default_fill = {.kind = inputs::FillKind::kUniform, .low = 0, .high = 1},
                   .meaning = "[rows], the random number of each row, in [0, 1)"},
                  {.name = "token", .role = Role::kOutput, .shape = Shape::kColumnVector, .type = inputs::DType::kI32, .meaning = "[rows]"},
                  {.name = "kept",
                   .role = Role::kOutput,
                   .shape = Shape::kColumnVector,
                   .type = inputs::DType::kI32,
                   .optional = true,
                   .meaning = "[rows], how many tokens may be drawn"}},
      .scalars = {{"rows", "int"}, {"cols", "int"}, {"k", "int", kDefaultK}, {"p", "float", 1}, {"logits_stride", "long long"}},
      .default_parameters = {"logits", "uniform", "token", "rows", "cols", "k", "p"},
      .bounds = {"exact"},
      .expect = expect_sampling,
  };
}

}  // namespace

const Operator& sampling() {
  static const DescribedOperator instance(describe());
  return instance;
}

}  // namespace warpbook::operators
