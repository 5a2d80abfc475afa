// RMSNorm of half and of bfloat16 rows: y = x / sqrt(mean(x^2) + eps) * weight, everything in float but the inputs and the one
// rounding of the output at the end. A tensor has one element type, so the launch function takes the tensors of both, and a
// case leaves one group null or has both computed: the kernel behind it is one template. A group is x and y together; its weight may
// be absent (1).
//
// Bound: that of RMSNorm in float (root_mean_square.hpp). It is compared by the interval round(reference - E) <= y <= round(reference
// + E), which leaves one value of the type for nearly every element and two where the reference lies close to the middle of two.
// Rejected: some ulp of the output type. Two of them separate nothing; a product rounded twice, or truncated, stays within.
// Tried in rmsnorm_f16_bf16_test.cpp.
#include <algorithm>

#include "common/operators/description.hpp"
#include "common/operators/registry.hpp"
#include "common/operators/root_mean_square.hpp"

namespace warpbook::operators {
namespace {

using inputs::DType;

constexpr double kDefaultEps = 1e-6;

Expected expect_group(const Arguments& arguments, const std::string& suffix) {
  const std::span<const double> x = values_of(arguments, "x_" + suffix);
  const double eps = float_scalar(arguments, "eps", kDefaultEps);
  const auto cols = static_cast<std::size_t>(arguments.cols);
  Expected y = blank_expectation("y_" + suffix, arguments.rows, arguments.cols);
  if (x.empty()) {  // compared only where y is there without x, which no contract covers
    y.open.assign(y.value.size(), 1);
    return y;
  }
  for (std::size_t first = 0; first < y.value.size(); first += cols) {
    expect_rms_row(x.subspan(first, cols), values_of(arguments, "weight_" + suffix), eps, first, y);
  }
  return y;
}

std::vector<Expected> expect_both(const Arguments& arguments, std::string_view) {
  return {expect_group(arguments, "half"), expect_group(arguments, "bf16")};
}

std::vector<Tensor> group(const std::string& suffix, DType type) {
  using inputs::FillKind;
  return {{.name = "x_" + suffix,
           .role = Role::kInput,
           .type = type,
           .optional = true,
           .default_fill = {.kind = FillKind::kNormal, .mean = 0, .sd = 1},
           .meaning = "[rows, cols], row stride x_" + suffix + "_stride, null with y_" + suffix},
          {.name = "weight_" + suffix,
           .role = Role::kInput,
           .shape = Shape::kRowVector,
           .type = type,
           .optional = true,
           .default_fill = {.kind = FillKind::kNormal, .mean = 1, .sd = 0.2},
           .meaning = "[cols], null means 1"},
          {.name = "y_" + suffix,
           .role = Role::kOutput,
           .type = type,
           .optional = true,
           .meaning = "[rows, cols], row stride y_" + suffix + "_stride"}};
}

Description describe() {
  std::vector<Tensor> tensors = group("half", DType::kF16), narrow = group("bf16", DType::kBF16);
  tensors.insert(tensors.end(), narrow.begin(), narrow.end());
  return {
      .name = "rmsnorm_f16_bf16",
      .tensors = std::move(tensors),
      .scalars = {{"rows", "int"},
                  {"cols", "int"},
                  {"eps", "float", kDefaultEps},
                  {"x_half_stride", "long long"},
                  {"y_half_stride", "long long"},
                  {"x_bf16_stride", "long long"},
                  {"y_bf16_stride", "long long"}},
      .default_parameters = {"x_half", "weight_half", "y_half", "x_bf16", "weight_bf16", "y_bf16", "rows", "cols", "eps"},
      .bounds = {"rms"},
      .expect = expect_both,
  };
}

}  // namespace

const Operator& rmsnorm_f16_bf16() {
  static const DescribedOperator instance(describe());
  return instance;
}

}  // namespace warpbook::operators
