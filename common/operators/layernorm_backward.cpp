// The gradient of LayerNorm. With r = (x - mean) / sqrt(var + eps) of each row (layernorm.cpp), dy what comes from behind and g = dy *
// gamma:
//
//   dx = (g - mean(g) - r mean(g r)) / sqrt(var + eps),   dgamma = sum over rows of dy r,   dbeta = sum over rows of dy
//
// mean() over the columns of a row. Statistics are not given: a kernel computes them again from x. gamma may be absent (1). dgamma
// and dbeta may be absent (not wanted). Promised for finite x and dy with |x| <= 1e15: a row with anything else has an open dx, and its
// columns of dgamma and dbeta (all of them) are open.
//
// How far a right float kernel may be off. u = 2^-24, s = 1 / sqrt(var + eps), e(r) the error of r as LayerNorm's two passes have it
// (E2 without gamma), N columns, M rows.
//
// *s.* Its relative error is what E2 has in proportion to r: es = (32 + N/64) u + L u k.
// *The two means.* Their terms have both signs, so no half: a sum errs by (8 + N/32) u of the sum of sizes; r brings its own error:
//   e1 = (8 + N/32) u mean|g|,   e2 = (8 + N/32) u mean|g r| + mean(|g| e(r))
// *dx.* The three terms, their roundings and the factor s:
//   E_dx = (1 + es) s [ e1 + (|r| + e(r)) e2 + e(r) |mean(g r)| + 4 u (|g| + |mean(g)| + |r mean(g r)|) ] + es |dx| + 2^-126 (1 + s)
// The products of two errors are in it because they count on constant rows: far from zero, with no variance but eps, e(r) is no small
// number, the same for every element, and comes back in mean(g r).
// *dgamma, dbeta.* Sums over rows in any order, atomics included: an element may pass all M additions, half of it where terms are alike:
//   E_dgamma = sum |dy| e(r) + (8 + M/2) u sum |dy r|,   E_dbeta = (8 + M/2) u sum |dy|
// A row left out of M alike ones is 1/M of the sum, above this up to M of 5,000.
//
// Tried against right and wrong kernels in layernorm_backward_test.cpp.
#include <algorithm>
#include <cmath>
#include <limits>

#include "common/operators/description.hpp"
#include "common/operators/normalised_row.hpp"
#include "common/operators/registry.hpp"

namespace warpbook::operators {
namespace {

constexpr double kDefaultEps = 1e-5;
using Span = std::span<const double>;

bool all_finite(Span values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

/// Sum of one column over the rows, with the sum of sizes and of errors that the bound needs.
struct ColumnSum {
  CompensatedSum value, size, error;

  void add(double v, double e) {
    value.add(v);
    size.add(std::fabs(v));
    error.add(e);
  }
};

/// dx of one finite row.
void expect_dx(const NormalisedRow& row, Span x, Span dy, Span gamma, std::size_t first, Expected& dx) {
  const std::size_t n = x.size();
  const auto g = [&](std::size_t i) { return dy[i] * (gamma.empty() ? 1 : gamma[i]); };
  const auto r = [&](std::size_t i) { return (x[i] - row.mean) * row.scale; };
  CompensatedSum sum_g, sum_gr, size_g, size_gr, carried;
  for (std::size_t i = 0; i < n; ++i) {
    sum_g.add(g(i));
    sum_gr.add(g(i) * r(i));
    size_g.add(std::fabs(g(i)));
    size_gr.add(std::fabs(g(i) * r(i)));
    carried.add(std::fabs(g(i)) * row.error(r(i)));
  }
  const double mean_g = sum_g.value() / row.n, mean_gr = sum_gr.value() / row.n;
  const double depth = (8 + row.n / 32) * kU;
  const double e1 = depth * size_g.value() / row.n;
  const double e2 = depth * size_gr.value() / row.n + carried.value() / row.n;
  const double es = (32 + row.n / 64) * kU + row.roundings() * kU * row.distance();
  for (std::size_t i = 0; i < n; ++i) {
    const double value = (g(i) - mean_g - r(i) * mean_gr) * row.scale;
    const double roundings = 4 * kU * (std::fabs(g(i)) + std::fabs(mean_g) + std::fabs(r(i) * mean_gr));
    const double inside = e1 + (std::fabs(r(i)) + row.error(r(i))) * e2 + row.error(r(i)) * std::fabs(mean_gr) + roundings;
    dx.value[first + i] = value;
    dx.bound[first + i] = (1 + es) * row.scale * inside + es * std::fabs(value) + 0x1p-126 * (1 + row.scale);
  }
}

void store(const std::vector<ColumnSum>& sums, double rows, bool open, Expected& out) {
  for (std::size_t i = 0; i < sums.size(); ++i) {
    out.value[i] = sums[i].value.value();
    out.bound[i] = sums[i].error.value() + (8 + rows / 2) * kU * sums[i].size.value();
  }
  if (open) out.open.assign(out.value.size(), 1);
}

std::vector<Expected> expect_layernorm_backward(const Arguments& arguments, std::string_view) {
  const Span x = values_of(arguments, "x"), gamma = values_of(arguments, "gamma"), dy = values_of(arguments, "dy");
  const double eps = float_scalar(arguments, "eps", kDefaultEps);
  const auto cols = static_cast<std::size_t>(arguments.cols);
  Expected dx = blank_expectation("dx", arguments.rows, arguments.cols);
  Expected dgamma = blank_expectation("dgamma", 1, arguments.cols), dbeta = blank_expectation("dbeta", 1, arguments.cols);
  dx.open.resize(dx.value.size());
  std::vector<ColumnSum> weights(cols), shifts(cols);
  bool open = false;
  for (std::size_t first = 0; first < dx.value.size(); first += cols) {
    const Span in = x.subspan(first, cols), back = dy.subspan(first, cols);
    if (!all_finite(in) || !all_finite(back)) {
      std::fill_n(dx.open.begin() + static_cast<std::ptrdiff_t>(first), cols, std::uint8_t{1});
      open = true;
      continue;
    }
    const NormalisedRow row = measure_row(in, eps);
    expect_dx(row, in, back, gamma, first, dx);
    for (std::size_t i = 0; i < cols; ++i) {
      const double r = (in[i] - row.mean) * row.scale;
      weights[i].add(back[i] * r, std::fabs(back[i]) * row.error(r));
      shifts[i].add(back[i], 0);
    }
  }
  const auto rows = static_cast<double>(arguments.rows);
  store(weights, rows, open, dgamma);
  store(shifts, rows, open, dbeta);
  return {std::move(dx), std::move(dgamma), std::move(dbeta)};
}

Description describe() {
  using inputs::FillKind;
  const inputs::Fill normal{.kind = FillKind::kNormal, .mean = 0, .sd = 1};
  return {
      .name = "layernorm_backward",
      .tensors =
          {{.name = "x", .role = Role::kInput, .default_fill = normal, .meaning = "[rows, cols], row stride x_stride"},
           {.name = "gamma",
            .role = Role::kInput,
            .shape = Shape::kRowVector,
            .optional = true,
            .default_fill = {.kind = FillKind::kNormal, .mean = 1, .sd = 0.25},
            .meaning = "[cols], null means 1"},
           {.name = "dy", .role = Role::kInput, .default_fill = normal, .meaning = "[rows, cols], row stride dy_stride"},
           {.name = "dx", .role = Role::kOutput, .meaning = "[rows, cols], row stride dx_stride"},
           {.name = "dgamma", .role = Role::kOutput, .shape = Shape::kRowVector, .optional = true, .meaning = "[cols], null: not wanted"},
           {.name = "dbeta", .role = Role::kOutput, .shape = Shape::kRowVector, .optional = true, .meaning = "[cols], null: not wanted"}},
      .scalars = {{"rows", "int"},
                  {"cols", "int"},
                  {"eps", "float", kDefaultEps},
                  {"x_stride", "long long"},
                  {"dy_stride", "long long"},
                  {"dx_stride", "long long"}},
      .default_parameters = {"x", "gamma", "dy", "dx", "dgamma", "dbeta", "rows", "cols", "eps"},
      .bounds = {"two-pass"},
      .expect = expect_layernorm_backward,
  };
}

}  // namespace

const Operator& layernorm_backward() {
  static const DescribedOperator instance(describe());
  return instance;
}

}  // namespace warpbook::operators
