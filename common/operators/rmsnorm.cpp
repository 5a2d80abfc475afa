// RMSNorm: y = x / sqrt(mean(x^2) + eps) * weight over each row. No mean is subtracted; eps > 0 stands inside the root. What NaN,
// infinities and overflow mean, and the bound with its derivation: root_mean_square.hpp. Tried in rmsnorm_test.cpp.
#include "common/operators/description.hpp"
#include "common/operators/registry.hpp"
#include "common/operators/root_mean_square.hpp"

namespace warpbook::operators {
namespace {

constexpr double kDefaultEps = 1e-6;

std::vector<Expected> expect_rmsnorm(const Arguments& arguments, std::string_view) {
  const std::span<const double> x = values_of(arguments, "x");
  const double eps = float_scalar(arguments, "eps", kDefaultEps);
  const auto cols = static_cast<std::size_t>(arguments.cols);
  Expected y = blank_expectation("y", arguments.rows, arguments.cols);
  for (std::size_t first = 0; first < y.value.size(); first += cols) {
    expect_rms_row(x.subspan(first, cols), values_of(arguments, "weight"), eps, first, y);
  }
  return {y};
}

Description describe() {
  using inputs::FillKind;
  return {
      .name = "rmsnorm",
      .tensors = {{.name = "x",
                   .role = Role::kInput,
                   .default_fill = {.kind = FillKind::kNormal, .mean = 0, .sd = 1},
                   .meaning = "[rows, cols], row stride x_stride"},
                  {.name = "weight",
                   .role = Role::kInput,
                   .shape = Shape::kRowVector,
                   .optional = true,
                   .default_fill = {.kind = FillKind::kNormal, .mean = 1, .sd = 0.2},
                   .meaning = "[cols], null means 1"},
                  {.name = "y", .role = Role::kOutput, .meaning = "[rows, cols], row stride y_stride"}},
      .scalars = {{"rows", "int"}, {"cols", "int"}, {"eps", "float", kDefaultEps}, {"x_stride", "long long"}, {"y_stride", "long long"}},
      .default_parameters = {"x", "weight", "y", "rows", "cols", "eps"},
      .bounds = {"rms"},
      .expect = expect_rmsnorm,
  };
}

}  // namespace

const Operator& rmsnorm() {
  static const DescribedOperator instance(describe());
  return instance;
}

}  // namespace warpbook::operators
