#include "common/operators/registry.hpp"

#include <array>

namespace warpbook::operators {
namespace {

/// In the order of their names.
const std::array<const Operator*, 3>& all() {
  static const std::array<const Operator*, 3> operators = {&layernorm(), &row_sum_max(), &softmax()};
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
