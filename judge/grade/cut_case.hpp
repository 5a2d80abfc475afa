#pragma once
// A part of a case, and its mirror image: windows of rows and columns of an input whose values are spelled out. What follows the shape of
// the case (a matrix, a vector of a column each, an index into the columns) follows the window.
#include <optional>

#include "common/operators/operator.hpp"
#include "judge/task/task.hpp"

namespace warpbook::grade {

/// Rows [row, row + rows) and columns [col, col + cols) of `spelled`, a case of `op` whose fills are all given by value. Tensors whose
/// shape does not follow rows or columns stay as they are. Nothing when the window or the operator's shapes do not allow it.
std::optional<task::Case> cut_case(const operators::Operator& op, const task::Case& spelled, std::int64_t row, std::int64_t rows,
                                   std::int64_t col, std::int64_t cols);

/// `spelled` with `count`, a scalar that counts elements of tensors (keys, groups), lowered to `value`: of what it counts the first `value`
/// stay, in every row of the case.
std::optional<task::Case> cut_count(const operators::Operator& op, const task::Case& spelled, const std::string& count, std::int64_t value);

/// `spelled` with its columns in the opposite order.
std::optional<task::Case> mirror_case(const operators::Operator& op, const task::Case& spelled);

}  // namespace warpbook::grade
