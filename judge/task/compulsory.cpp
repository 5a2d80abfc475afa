#include "judge/task/compulsory.hpp"

#include <algorithm>

#include "common/operators/operator.hpp"

namespace warpbook::task {

std::optional<std::int64_t> compulsory_bytes(const Task& task, const Case& c) {
  const operators::Operator* op = operators::find_operator(task.operator_name);
  if (op == nullptr) return std::nullopt;
  std::int64_t bytes = 0;
  for (const operators::Tensor& tensor : op->tensors()) {
    if (std::find(task.parameters.begin(), task.parameters.end(), tensor.name) == task.parameters.end()) continue;
    const auto layout = c.layouts.find(tensor.name);
    if (layout != c.layouts.end() && layout->second.absent) continue;
    const std::optional<operators::Extents> extents = operators::extents_of(*op, tensor, c.rows, c.cols, c.scalars);
    if (!extents) return std::nullopt;
    const std::int64_t once = extents->rows * extents->cols * inputs::size_of(tensor.type);
    bytes += tensor.role == operators::Role::kInOut ? 2 * once : once;
  }
  return bytes;
}

const Case* telling_case(const Task& task) {
  const Case* best = nullptr;
  for (const Case& c : task.cases)
    if (c.kind == CaseKind::kNormal && (best == nullptr || c.rows * c.cols > best->rows * best->cols)) best = &c;
  return best;
}

}  // namespace warpbook::task
