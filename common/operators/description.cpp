#include "common/operators/description.hpp"

#include <algorithm>

namespace warpbook::operators {
namespace {

bool is_complete(const Operator& op, const Tensor& tensor, const Arguments& arguments) {
  const std::optional<Extents> extents = extents_of(op, tensor, arguments.rows, arguments.cols, arguments.scalars);
  if (!extents) return false;
  if (tensor.role == Role::kOutput) return true;
  const auto size = static_cast<std::size_t>(extents->rows * extents->cols);
  const std::span<const double> values = values_of(arguments, tensor.name);
  return values.size() == size || (tensor.optional && values.empty());
}

}  // namespace

std::vector<Expected> DescribedOperator::expect(const Arguments& arguments, std::string_view bound) const {
  const std::vector<std::string>& known = description_.bounds;
  if (bound.empty()) bound = known.front();
  if (std::find(known.begin(), known.end(), bound) == known.end()) return {};
  if (arguments.rows < 0 || arguments.cols < 0) return {};
  for (const Tensor& tensor : description_.tensors) {
    if (!is_complete(*this, tensor, arguments)) return {};
  }
  return description_.expect(arguments, bound);
}

std::span<const double> values_of(const Arguments& arguments, std::string_view tensor) {
  const auto found = arguments.tensors.find(tensor);
  if (found == arguments.tensors.end()) return {};
  return found->second.data;
}

double float_scalar(const Arguments& arguments, std::string_view name, double otherwise) {
  const auto found = arguments.scalars.find(name);
  return static_cast<float>(found == arguments.scalars.end() ? otherwise : found->second);
}

std::int64_t count_scalar(const Arguments& arguments, std::string_view name, double otherwise) {
  const auto found = arguments.scalars.find(name);
  return static_cast<std::int64_t>(found == arguments.scalars.end() ? otherwise : found->second);
}

Expected blank_expectation(std::string_view tensor, std::int64_t rows, std::int64_t cols) {
  const auto size = static_cast<std::size_t>(rows * cols);
  return {std::string(tensor), rows, cols, std::vector<double>(size), std::vector<double>(size)};
}

}  // namespace warpbook::operators
