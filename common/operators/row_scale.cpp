// Every row times one number: y = alpha x. The least that a kernel can do with a row, for the lesson that is about moving it.
//
// The bound is 0: a product of two floats is one rounding, to nearest even, and there is no other way to compute it. (A double holds
// the product exactly, so the reference rounds once as well.) NaN gives NaN; alpha times an infinity is what IEEE 754 says. Products
// below 2^-126 are denormals and are asked for: nvcc flushes them only with -ftz=true, which the judge does not pass.
#include "common/operators/description.hpp"
#include "common/operators/registry.hpp"

namespace warpbook::operators {
namespace {

constexpr double kDefaultAlpha = 3;

std::vector<Expected> expect_row_scale(const Arguments& arguments, std::string_view) {
  const std::span<const double> x = values_of(arguments, "x");
  const double alpha = float_scalar(arguments, "alpha", kDefaultAlpha);
  Expected y = blank_expectation("y", arguments.rows, arguments.cols);
  for (std::size_t i = 0; i < y.value.size(); ++i) y.value[i] = static_cast<float>(alpha * x[i]);
  return {y};
}

Description describe() {
  return {
      .name = "row_scale",
      .tensors = {{.name = "x",
                   .role = Role::kInput,
                   .default_fill = {.kind = inputs::FillKind::kNormal, .mean = 0, .sd = 1},
                   .meaning = "[rows, cols], row stride x_stride"},
                  {.name = "y", .role = Role::kOutput, .meaning = "[rows, cols], row stride y_stride"}},
      .scalars =
          {{"rows", "int"}, {"cols", "int"}, {"alpha", "float", kDefaultAlpha}, {"x_stride", "long long"}, {"y_stride", "long long"}},
      .default_parameters = {"x", "y", "rows", "cols", "x_stride", "y_stride", "alpha"},
      .bounds = {"exact"},
      .expect = expect_row_scale,
  };
}

}  // namespace

const Operator& row_scale() {
  static const DescribedOperator instance(describe());
  return instance;
}

}  // namespace warpbook::operators
