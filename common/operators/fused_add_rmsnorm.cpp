// The step between two layers of a transformer, in place: residual = residual + hidden, then hidden = RMSNorm(residual) * weight. Both
// tensors are read and written. Two operators: fused_add_rmsnorm in float, and fused_add_rmsnorm_f32_bf16, whose launch function
// takes the tensors of both types, one of the two groups null (or both present, and both computed).
//
// The sum is stored in the type of the residual, and statistics and output are taken from the *stored* sum, not from a wider one that
// a register may still hold. Public implementations differ here, which makes two right kernels disagree in the last place of
// bfloat16; one order is chosen, and the chosen one can be computed again from what is in memory. One rounding of the output, at
// the end. Weight absent means 1.
//
// The residual is compared bit for bit, bound 0: a sum of two floats is one rounding. (In bfloat16 a kernel adds in float and rounds
// the result again. The double rounding is harmless: with 24 bits in between and 8 at the end, 24 >= 2 * 8 + 2, it gives what one
// rounding gives; so does the double that the reference adds in, 53 >= 2 * 24 + 2.)
// hidden has the bound of RMSNorm (root_mean_square.hpp) over the stored residual.
#include "common/inputs/element.hpp"
#include "common/operators/description.hpp"
#include "common/operators/registry.hpp"
#include "common/operators/root_mean_square.hpp"

namespace warpbook::operators {
namespace {

using inputs::DType;

constexpr double kDefaultEps = 1e-6;

/// The names of the tensors of one element type, in the order of the launch function.
struct Group {
  std::string hidden, residual, weight;
  DType type = DType::kF32;
};

const Group kFloat = {"hidden", "residual", "weight", DType::kF32};
const Group kBFloat16 = {"hidden_bf16", "residual_bf16", "weight_bf16", DType::kBF16};

/// New hidden and residual; nothing when one of the two is absent and the other is not.
std::vector<Expected> expect_group(const Arguments& arguments, const Group& group) {
  const std::span<const double> hidden = values_of(arguments, group.hidden), residual = values_of(arguments, group.residual);
  if (hidden.size() != residual.size()) return {};
  const double eps = float_scalar(arguments, "eps", kDefaultEps);
  const auto cols = static_cast<std::size_t>(arguments.cols);
  Expected normalised = blank_expectation(group.hidden, arguments.rows, arguments.cols);
  Expected sum = blank_expectation(group.residual, arguments.rows, arguments.cols);
  if (hidden.empty()) return {normalised, sum};  // not asked for: absent tensors are compared with nothing
  for (std::size_t i = 0; i < sum.value.size(); ++i) {
    sum.value[i] = inputs::decode(group.type, inputs::encode(group.type, hidden[i] + residual[i]));
  }
  for (std::size_t first = 0; first < sum.value.size(); first += cols) {
    const std::span<const double> stored = std::span<const double>(sum.value).subspan(first, cols);
    expect_rms_row(stored, values_of(arguments, group.weight), eps, first, normalised);
  }
  return {normalised, sum};
}

std::vector<Expected> expect_float(const Arguments& arguments, std::string_view) { return expect_group(arguments, kFloat); }

std::vector<Expected> expect_either(const Arguments& arguments, std::string_view) {
  std::vector<Expected> all = expect_group(arguments, kFloat), narrow = expect_group(arguments, kBFloat16);
  if (all.empty() || narrow.empty()) return {};
  all.insert(all.end(), narrow.begin(), narrow.end());
  return all;
}

std::vector<Tensor> tensors_of(const Group& group, bool optional) {
  using inputs::FillKind;
  const auto in_out = [&](const std::string& name, const std::string& becomes) {
    return Tensor{.name = name,
                  .role = Role::kInOut,
                  .type = group.type,
                  .optional = optional,
                  .default_fill = {.kind = FillKind::kNormal, .mean = 0, .sd = 1},
                  .meaning = "[rows, cols], row stride " + name + "_stride; becomes " + becomes};
  };
  return {in_out(group.hidden, "the normalised row"), in_out(group.residual, "the sum"),
          Tensor{.name = group.weight,
                 .role = Role::kInput,
                 .shape = Shape::kRowVector,
                 .type = group.type,
                 .optional = true,
                 .default_fill = {.kind = FillKind::kNormal, .mean = 1, .sd = 0.2},
                 .meaning = "[cols], null means 1"}};
}

std::vector<Scalar> scalars_of(const std::vector<Group>& groups) {
  std::vector<Scalar> scalars = {{"rows", "int"}, {"cols", "int"}, {"eps", "float", kDefaultEps}};
  for (const Group& group : groups) {
    scalars.push_back({group.hidden + "_stride", "long long"});
    scalars.push_back({group.residual + "_stride", "long long"});
  }
  return scalars;
}

Description describe_float() {
  return {
      .name = "fused_add_rmsnorm",
      .tensors = tensors_of(kFloat, false),
      .scalars = scalars_of({kFloat}),
      .default_parameters = {"hidden", "residual", "weight", "rows", "cols", "eps"},
      .bounds = {"rms"},
      .expect = expect_float,
  };
}

Description describe_either() {
  std::vector<Tensor> tensors = tensors_of(kFloat, true), narrow = tensors_of(kBFloat16, true);
  tensors.insert(tensors.end(), narrow.begin(), narrow.end());
  return {
      .name = "fused_add_rmsnorm_f32_bf16",
      .tensors = std::move(tensors),
      .scalars = scalars_of({kFloat, kBFloat16}),
      .default_parameters = {"hidden", "residual", "weight", "hidden_bf16", "residual_bf16", "weight_bf16", "rows", "cols", "eps"},
      .bounds = {"rms"},
      .expect = expect_either,
  };
}

}  // namespace

const Operator& fused_add_rmsnorm() {
  static const DescribedOperator instance(describe_float());
  return instance;
}

const Operator& fused_add_rmsnorm_f32_bf16() {
  static const DescribedOperator instance(describe_either());
  return instance;
}

}  // namespace warpbook::operators
