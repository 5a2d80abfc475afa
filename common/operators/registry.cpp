#include "common/operators/registry.hpp"

#include <vector>

namespace warpbook::operators {
namespace {

/// In the order of their names.
const std::vector<const Operator*>& all() {
  static const std::vector<const Operator*> operators = {
      &attention_row(), &cross_entropy(),      &fused_add_rmsnorm(), &fused_add_rmsnorm_f32_bf16(), &groupnorm(),
      &layernorm(),     &layernorm_backward(), &rmsnorm(),           &rmsnorm_f16_bf16(),           &row_scale(),
      &row_sum_max(),   &sampling(),           &softmax(),
  };
  return operators;
}

}  // namespace

const Operator* find_operator(std::string_view name) {
  for (const Operator* candidate : all()) {
    if (candidate->name() == name) return candidate;
  }
  return nullptr;
}

std::vector<std::string> operator_names() {
  std::vector<std::string> names;
  for (const Operator* candidate : all()) names.emplace_back(candidate->name());
  return names;
}

}  // namespace warpbook::operators
