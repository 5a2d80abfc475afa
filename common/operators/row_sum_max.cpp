// Row sum and row maximum, the two reductions of lessons 01 and 02, from one launch with a given number of threads a block.
// The maximum ignores NaN, as fmaxf does; of a row of nothing but NaN it is open (starting at -inf gives -inf, starting at the
// first element NaN). The sum is NaN when an element is, or when infinities of both signs meet.
//
// The maximum is exact: its bound is 0 (-0 and +0 compare equal, as values).
//
// How far a right float sum may be off. u = 2^-24. Every float addition errs by at most u of its result, and no partial sum is
// larger than S = sum_j |x_j|, so a sum in which each element passes at most D additions errs by at most D u S, to first order
// in u. With T threads, 32 or more, an element passes N/T - 1 of its own lane and log2 T of the tree. Counting only additions
// that can round (a zero for a missing element does not) that is at most N/32 + 8 for every T and N: 32 lanes need N/32 + 4,
// 1,024 threads 10 where N is 1,024 or more and thus N/32 at least 32.
//
//   E = (8 + N/32) u S
//
// The bounds of LayerNorm take half the depth (8 + N/64): there the terms are alike, partial sums grow in a line, and the
// average one is half of S. A sum on its own is also asked of rows with a few large elements first, where the half does not
// hold, and nothing is lost: one element left out of N alike ones is 1/N of S, above this bound up to N of 20,000.
// Where S times (1 + D u) passes the largest float, the order decides whether a partial sum overflows: open.
// Tried against right and wrong kernels in row_sum_max_test.cpp.
#include <algorithm>
#include <cmath>
#include <limits>

#include "common/operators/description.hpp"
#include "common/operators/registry.hpp"

namespace warpbook::operators {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kLargestFloat = std::numeric_limits<float>::max();
constexpr double kDefaultThreads = 256;

void expect_sum(std::span<const double> x, std::size_t row, Expected& sum) {
  const double depth = 8 + static_cast<double>(x.size()) / 32;
  CompensatedSum value, size;
  bool finite = true;
  for (const double v : x) {
    value.add(v);
    size.add(std::fabs(v));
    finite = finite && std::isfinite(v);
  }
  sum.value[row] = value.value();
  sum.bound[row] = finite ? depth * kU * size.value() : 0;
  if (finite && size.value() * (1 + depth * kU) > kLargestFloat) sum.open[row] = 1;
}

void expect_max(std::span<const double> x, std::size_t row, Expected& max) {
  double largest = -kInf;
  for (const double v : x) largest = std::fmax(largest, v);
  max.value[row] = largest;
  max.open[row] = !x.empty() && std::all_of(x.begin(), x.end(), [](double v) { return std::isnan(v); });
}

std::vector<Expected> expect_row_sum_max(const Arguments& arguments, std::string_view) {
  const std::span<const double> x = values_of(arguments, "x");
  const auto cols = static_cast<std::size_t>(arguments.cols);
  Expected sum = blank_expectation("sum", arguments.rows, 1);
  Expected max = blank_expectation("max", arguments.rows, 1);
  sum.open.resize(sum.value.size());
  max.open.resize(max.value.size());
  for (std::size_t row = 0; row < sum.value.size(); ++row) {
    expect_sum(x.subspan(row * cols, cols), row, sum);
    expect_max(x.subspan(row * cols, cols), row, max);
  }
  return {sum, max};
}

Description describe() {
  return {
      .name = "row_sum_max",
      .tensors = {{.name = "x",
                   .role = Role::kInput,
                   .default_fill = {.kind = inputs::FillKind::kNormal, .mean = 0, .sd = 1},
                   .meaning = "[rows, cols], row stride x_stride"},
                  {.name = "sum", .role = Role::kOutput, .shape = Shape::kColumnVector, .meaning = "[rows]"},
                  {.name = "max", .role = Role::kOutput, .shape = Shape::kColumnVector, .meaning = "[rows]"}},
      .scalars = {{"rows", "int"}, {"cols", "int"}, {"threads", "int", kDefaultThreads}, {"x_stride", "long long"}},
      .default_parameters = {"x", "sum", "max", "rows", "cols", "threads"},
      .bounds = {"sum"},
      .expect = expect_row_sum_max,
  };
}

}  // namespace

const Operator& row_sum_max() {
  static const DescribedOperator instance(describe());
  return instance;
}

}  // namespace warpbook::operators
