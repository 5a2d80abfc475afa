#include "judge/grade/cut_case.hpp"

#include <algorithm>

namespace warpbook::grade {
namespace {

const operators::Tensor* spec_of(const operators::Operator& op, const std::string& name) {
  const auto it = std::find_if(op.tensors().begin(), op.tensors().end(), [&](const auto& t) { return t.name == name; });
  return it == op.tensors().end() ? nullptr : &*it;
}

std::optional<operators::Extents> extents(const operators::Operator& op, const task::Case& c, const std::string& tensor) {
  const operators::Tensor* spec = spec_of(op, tensor);
  if (spec == nullptr) return std::nullopt;
  const auto e = operators::extents_of(op, *spec, c.rows, c.cols, c.scalars);
  return e ? std::optional(*e) : std::nullopt;
}

/// An index into the columns of the case; labels that lie outside on purpose are none.
bool is_column(const operators::Operator& op, const std::string& tensor, double value, std::int64_t cols) {
  return spec_of(op, tensor)->type == inputs::DType::kI32 && value >= 0 && value < static_cast<double>(cols);
}

}  // namespace

std::optional<task::Case> cut_case(const operators::Operator& op, const task::Case& spelled, std::int64_t row, std::int64_t rows,
                                   std::int64_t col, std::int64_t cols) {
  if (row < 0 || col < 0 || rows < 1 || cols < 1 || row + rows > spelled.rows || col + cols > spelled.cols) return std::nullopt;
  task::Case c = spelled;
  c.rows = rows;
  c.cols = cols;
  for (auto& [name, fill] : c.fills) {
    const auto before = extents(op, spelled, name), after = extents(op, c, name);
    if (!before || !after) return std::nullopt;
    std::vector<double> values;
    // Rows of a tensor may be several for each row of the case (heads, keys).
    const std::int64_t times =
        spelled.rows > 0 && before->rows % spelled.rows == 0 && before->rows != after->rows ? before->rows / spelled.rows : 0;
    const std::int64_t first_row = times * row;
    const std::int64_t first_col = before->cols == spelled.cols && before->cols != after->cols ? col : 0;
    for (std::int64_t r = 0; r < after->rows; ++r) {
      for (std::int64_t k = 0; k < after->cols; ++k) {
        const auto at = static_cast<std::size_t>((first_row + r) * before->cols + first_col + k);
        if (at >= fill.values.size()) return std::nullopt;
        double value = fill.values[at];
        if (is_column(op, name, value, spelled.cols)) value = std::min(value, static_cast<double>(cols - 1));
        values.push_back(value);
      }
    }
    fill.values = std::move(values);
  }
  for (auto& [name, layout] : c.layouts) {
    const auto before = extents(op, spelled, name), after = extents(op, c, name);
    if (layout.row_stride > 0 && before && after) layout.row_stride = after->cols + layout.row_stride - before->cols;
  }
  return c;
}

std::optional<task::Case> cut_count(const operators::Operator& op, const task::Case& spelled, const std::string& count,
                                    std::int64_t value) {
  task::Case c = spelled;
  c.scalars[count] = static_cast<double>(value);
  for (auto& [name, fill] : c.fills) {
    const auto before = extents(op, spelled, name), after = extents(op, c, name);
    if (!before || !after || spelled.rows < 1 || after->rows > before->rows || after->cols > before->cols) return std::nullopt;
    // Rows of the tensor for each row of the case, before and after.
    const std::int64_t had = before->rows / spelled.rows, keeps = after->rows / spelled.rows;
    const bool grouped = before->rows != after->rows;
    if (grouped && (had * spelled.rows != before->rows || keeps * spelled.rows != after->rows || keeps < 1)) return std::nullopt;
    std::vector<double> values;
    for (std::int64_t r = 0; r < after->rows; ++r) {
      const std::int64_t from = grouped ? r / keeps * had + r % keeps : r;
      for (std::int64_t k = 0; k < after->cols; ++k) {
        const auto at = static_cast<std::size_t>(from * before->cols + k);
        if (at >= fill.values.size()) return std::nullopt;
        values.push_back(fill.values[at]);
      }
    }
    fill.values = std::move(values);
  }
  return c;
}

std::optional<task::Case> mirror_case(const operators::Operator& op, const task::Case& spelled) {
  task::Case c = spelled;
  for (auto& [name, fill] : c.fills) {
    const auto shape = extents(op, spelled, name);
    if (!shape || static_cast<std::int64_t>(fill.values.size()) != shape->rows * shape->cols) return std::nullopt;
    for (double& value : fill.values)
      if (is_column(op, name, value, spelled.cols)) value = static_cast<double>(spelled.cols - 1) - value;
    if (shape->cols != spelled.cols) continue;
    for (auto at = fill.values.begin(); at != fill.values.end(); at += shape->cols) std::reverse(at, at + shape->cols);
  }
  return c;
}

}  // namespace warpbook::grade
