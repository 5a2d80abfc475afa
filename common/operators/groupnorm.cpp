// GroupNorm of an image batch [N, C, H, W]: the channels of an image in `groups` equal groups, each group normalised as LayerNorm does
// a row, then scaled and shifted by channel:
//
//   y = (x - mean) / sqrt(var + eps) * gamma_c + beta_c,   mean and var (divided by their number) over the C/groups * H * W elements of a
//   group
//
// As a matrix the batch is [rows, cols] with rows = N * C and cols = H * W: row n * C + c is channel c of image n, and a group is
// C/groups rows that follow one another. rows is a multiple of `channels`, channels of `groups`. gamma and beta [channels] may be absent
// (1 and 0). groups = 1 normalises whole images, groups = channels every channel by itself. Contract of values as for LayerNorm: |x| <=
// 1e15; a group with a NaN is NaN throughout; of one with an infinity and no NaN nothing is promised.
//
// The bound is that of LayerNorm's two passes (layernorm.cpp, E2), with the elements of a group as its row.
// Tried against right and wrong kernels in groupnorm_test.cpp.
#include <algorithm>
#include <cmath>
#include <limits>

#include "common/operators/description.hpp"
#include "common/operators/normalised_row.hpp"
#include "common/operators/registry.hpp"

namespace warpbook::operators {
namespace {

constexpr double kDefaultEps = 1e-5;
constexpr double kDefaultChannels = 8, kDefaultGroups = 2;

using Span = std::span<const double>;

/// gamma and beta of the channels of one group; empty when absent.
struct Affine {
  Span gamma, beta;
  std::size_t cols = 1;

  double weight(std::size_t i) const { return gamma.empty() ? 1 : gamma[i / cols]; }
  double shift(std::size_t i) const { return beta.empty() ? 0 : beta[i / cols]; }
};

void expect_group(Span x, const Affine& affine, double eps, std::size_t first, Expected& y) {
  const bool has_nan = std::any_of(x.begin(), x.end(), [](double v) { return std::isnan(v); });
  const bool has_infinity = std::any_of(x.begin(), x.end(), [](double v) { return std::isinf(v); });
  const NormalisedRow row = has_nan || has_infinity ? NormalisedRow{} : measure_row(x, eps);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (has_nan || has_infinity) {
      y.value[first + i] = std::numeric_limits<double>::quiet_NaN();
      y.open[first + i] = !has_nan;
      continue;
    }
    const double r = (x[i] - row.mean) * row.scale;
    y.value[first + i] = r * affine.weight(i) + affine.shift(i);
    y.bound[first + i] = std::fabs(affine.weight(i)) * row.error(r) + 2 * kU * (std::fabs(y.value[first + i]) + std::fabs(affine.shift(i)));
  }
}

std::vector<Expected> expect_groupnorm(const Arguments& arguments, std::string_view) {
  const Span x = values_of(arguments, "x"), gamma = values_of(arguments, "gamma"), beta = values_of(arguments, "beta");
  const std::int64_t channels = count_scalar(arguments, "channels", kDefaultChannels);
  const std::int64_t groups = count_scalar(arguments, "groups", kDefaultGroups);
  if (channels < 1 || groups < 1 || channels % groups != 0 || arguments.rows % channels != 0) return {};
  const double eps = float_scalar(arguments, "eps", kDefaultEps);
  const auto cols = static_cast<std::size_t>(arguments.cols), channels_of_group = static_cast<std::size_t>(channels / groups);
  const std::size_t size = channels_of_group * cols;
  Expected y = blank_expectation("y", arguments.rows, arguments.cols);
  y.open.resize(y.value.size());
  if (size == 0) return {y};
  for (std::size_t group = 0; group * size < x.size(); ++group) {
    const std::size_t channel = group % static_cast<std::size_t>(groups) * channels_of_group;
    const auto of_group = [&](Span all) { return all.empty() ? all : all.subspan(channel, channels_of_group); };
    expect_group(x.subspan(group * size, size), {of_group(gamma), of_group(beta), cols}, eps, group * size, y);
  }
  return {y};
}

Description describe() {
  using inputs::FillKind;
  return {
      .name = "groupnorm",
      .tensors = {{.name = "x",
                   .role = Role::kInput,
                   .default_fill = {.kind = FillKind::kNormal, .mean = 0, .sd = 1},
                   .meaning = "[N * C, H * W], row stride x_stride"},
                  {.name = "gamma",
                   .role = Role::kInput,
                   .shape = Shape::kRowVector,
                   .optional = true,
                   .default_fill = {.kind = FillKind::kNormal, .mean = 1, .sd = 0.25},
                   .meaning = "[channels], null means 1",
                   .col_count = "channels"},
                  {.name = "beta",
                   .role = Role::kInput,
                   .shape = Shape::kRowVector,
                   .optional = true,
                   .default_fill = {.kind = FillKind::kNormal, .mean = 0, .sd = 0.5},
                   .meaning = "[channels], null means 0",
                   .col_count = "channels"},
                  {.name = "y", .role = Role::kOutput, .meaning = "[N * C, H * W], row stride y_stride"}},
      .scalars = {{"rows", "int"},
                  {"cols", "int"},
                  {"channels", "int", kDefaultChannels},
                  {"groups", "int", kDefaultGroups},
                  {"eps", "float", kDefaultEps},
                  {"x_stride", "long long"},
                  {"y_stride", "long long"}},
      .default_parameters = {"x", "gamma", "beta", "y", "rows", "cols", "channels", "groups", "eps"},
      .bounds = {"two-pass"},
      .expect = expect_groupnorm,
  };
}

}  // namespace

const Operator& groupnorm() {
  static const DescribedOperator instance(describe());
  return instance;
}

}  // namespace warpbook::operators
