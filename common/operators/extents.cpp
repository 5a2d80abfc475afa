// How many elements a tensor has. Most are [rows, cols] or a vector of one of them; keys, groups and the k of top-k are counts of
// their own, which a case gives as scalars, and a tensor names them in words so that whoever allocates, fills or checks it needs
// no code per operator.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "common/operators/operator.hpp"

namespace warpbook::operators {
namespace {

/// Beyond this, doubles (which scalars are) no longer count one by one.
constexpr std::int64_t kLargestCount = std::int64_t{1} << 53;

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// The factors of "rows * keys".
std::vector<std::string_view> factors_of(std::string_view count) {
  std::vector<std::string_view> factors;
  for (std::size_t at = 0; at <= count.size();) {
    const std::size_t end = std::min(count.find('*', at), count.size());
    factors.push_back(trimmed(count.substr(at, end - at)));
    at = end + 1;
  }
  return factors;
}

std::optional<std::int64_t> whole(double value) {
  if (!(value >= 0) || value > static_cast<double>(kLargestCount) || std::floor(value) != value) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0 || value > kLargestCount) return std::nullopt;
  return value;
}

std::optional<std::int64_t> factor(const Operator& op, std::string_view name, Extents shape, const ScalarValues& scalars) {
  if (name == "rows") return shape.rows;
  if (name == "cols") return shape.cols;
  if (const auto given = scalars.find(name); given != scalars.end()) return whole(given->second);
  for (const Scalar& scalar : op.scalars()) {
    if (scalar.name == name) return whole(scalar.default_value);
  }
  return number(name);
}

std::optional<std::int64_t> product(const Operator& op, std::string_view count, Extents shape, const ScalarValues& scalars) {
  std::int64_t result = 1;
  for (const std::string_view name : factors_of(count)) {
    const std::optional<std::int64_t> next = factor(op, name, shape, scalars);
    if (!next || (*next > 0 && result > kLargestCount / *next)) return std::nullopt;
    result *= *next;
  }
  return result;
}

}  // namespace

std::optional<Extents> extents_of(const Operator& op, const Tensor& tensor, std::int64_t rows, std::int64_t cols,
                                  const ScalarValues& scalars) {
  const bool has_rows = tensor.shape != Shape::kRowVector, has_cols = tensor.shape != Shape::kColumnVector;
  const std::string_view row_count = !has_rows ? "1" : tensor.row_count.empty() ? "rows" : std::string_view(tensor.row_count);
  const std::string_view col_count = !has_cols ? "1" : tensor.col_count.empty() ? "cols" : std::string_view(tensor.col_count);
  const std::optional<std::int64_t> lines = product(op, row_count, {rows, cols}, scalars);
  const std::optional<std::int64_t> columns = product(op, col_count, {rows, cols}, scalars);
  if (!lines || !columns) return std::nullopt;
  return Extents{*lines, *columns};
}

bool counts_elements(const Operator& op, std::string_view scalar) {
  if (scalar == "rows" || scalar == "cols") return true;
  const auto names = [&](std::string_view count) {
    const std::vector<std::string_view> factors = factors_of(count);
    return std::find(factors.begin(), factors.end(), scalar) != factors.end();
  };
  return std::any_of(op.tensors().begin(), op.tensors().end(),
                     [&](const Tensor& tensor) { return names(tensor.row_count) || names(tensor.col_count); });
}

bool same_extents(const Tensor& a, const Tensor& b) {
  return a.shape == b.shape && a.row_count == b.row_count && a.col_count == b.col_count;
}

}  // namespace warpbook::operators
