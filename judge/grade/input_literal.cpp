#include "judge/grade/input_literal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "common/operators/operator.hpp"
#include "judge/base/text.hpp"
#include "judge/task/number_text.hpp"

namespace warpbook::grade {
namespace {

/// An input by hand has at most so many elements in one tensor.
constexpr std::int64_t kMostElements = std::int64_t{1} << 24;

/// Rows of numbers as they stand between brackets.
struct Matrix {
  std::int64_t rows = 0, cols = 0;
  std::vector<double> values;
};

const operators::Tensor* tensor_of(const operators::Operator& op, std::string_view name) {
  const auto it = std::find_if(op.tensors().begin(), op.tensors().end(), [&](const auto& t) { return t.name == name; });
  return it == op.tensors().end() ? nullptr : &*it;
}

bool has_scalar(const operators::Operator& op, std::string_view name) {
  return std::any_of(op.scalars().begin(), op.scalars().end(), [&](const auto& s) { return s.name == name; });
}

std::string known_names(const operators::Operator& op) {
  std::string out;
  for (const auto& t : op.tensors())
    if (t.role != operators::Role::kOutput) out += fmt::format("{}{}", out.empty() ? "" : ", ", t.name);
  for (const auto& s : op.scalars())
    if (!s.name.ends_with("_stride")) out += fmt::format(", {}", s.name);
  return out;
}

class Parser {
 public:
  Parser(const task::Task& task, const operators::Operator& op, std::string_view line) : task_(task), op_(op), line_(line) {
    case_.name = "input";
    case_.kind = task::CaseKind::kBoundary;
    case_.about = "your own input";
    case_.tag = "input";
  }

  Result<task::Case> parse() {
    while (skip_space(), at_ < line_.size()) {
      const std::size_t start = at_;
      const std::string name = word();
      if (name.empty() || at_ >= line_.size() || line_[at_] != '=') return problem(start, "expected NAME=VALUE, as in x=[1, 2, 3]");
      ++at_;
      if (Status ok = assign(name, start); !ok) return ok.error();
    }
    return finish();
  }

 private:
  Error problem(std::size_t at, std::string what) const {
    Error error;
    error.what = std::move(what);
    error.where = {"--input", 1, static_cast<int>(at) + 1};
    error.source_line = std::string(line_);
    return error;
  }

  void skip_space() {
    while (at_ < line_.size() && (line_[at_] == ' ' || line_[at_] == '\t' || line_[at_] == '\n')) ++at_;
  }

  std::string word() {
    const std::size_t start = at_;
    while (at_ < line_.size() && line_[at_] != '=' && line_[at_] != ' ' && line_[at_] != '[') ++at_;
    return std::string(line_.substr(start, at_ - start));
  }

  std::string value_word() {
    const std::size_t start = at_;
    while (at_ < line_.size() && line_[at_] != ' ' && line_[at_] != '\t' && line_[at_] != '\n') ++at_;
    return std::string(line_.substr(start, at_ - start));
  }

  Status assign(const std::string& name, std::size_t start) {
    const std::size_t dot = name.find('.');
    if (dot != std::string::npos) return layout(name.substr(0, dot), name.substr(dot + 1), start);
    if (name == "check" || name == "bound") return rule(name, start);
    const operators::Tensor* tensor = tensor_of(op_, name);
    if (tensor != nullptr && tensor->role == operators::Role::kOutput)
      return problem(start, fmt::format("{} is an output; given can be {}", name, known_names(op_)));
    if (tensor != nullptr) return elements(*tensor, start);
    if (!has_scalar(op_, name)) return problem(start, fmt::format("{} has no '{}'; it has {}", op_.name(), name, known_names(op_)));
    const std::size_t at = at_;
    const std::string text = value_word();
    const std::optional<double> value = task::parse_number(text);
    if (!value) return problem(at, fmt::format("{} is '{}', expected a number", name, text));
    if (name == "rows" || name == "cols") {
      if (*value < 0 || *value != static_cast<double>(static_cast<std::int64_t>(*value)) || *value > static_cast<double>(kMostElements))
        return problem(at, fmt::format("{} is {}, expected a whole number up to {}", name, text, kMostElements));
      (name == "rows" ? case_.rows : case_.cols) = static_cast<std::int64_t>(*value);
      return Done{};
    }
    if (name.ends_with("_stride")) return problem(start, fmt::format("a stride is given as {}.stride=8", name.substr(0, name.size() - 7)));
    case_.scalars[name] = *value;
    return Done{};
  }

  Status layout(const std::string& tensor, const std::string& what, std::size_t start) {
    if (tensor_of(op_, tensor) == nullptr) return problem(start, fmt::format("{} has no tensor '{}'", op_.name(), tensor));
    const std::size_t at = at_;
    const std::string text = value_word();
    inputs::Layout& layout = case_.layouts[tensor];
    const std::optional<std::int64_t> number = task::parse_integer(text);
    if (what == "alias") {
      if (tensor_of(op_, text) == nullptr) return problem(at, fmt::format("{} has no tensor '{}'", op_.name(), text));
      layout.alias = text;
      return Done{};
    }
    if (what != "stride" && what != "offset") return problem(start, fmt::format("'{}' is not one of stride, offset, alias", what));
    if (!number || *number < 0) return problem(at, fmt::format("{} is '{}', expected a whole number of elements", what, text));
    (what == "stride" ? layout.row_stride : layout.base_offset) = *number;
    return Done{};
  }

  Status rule(const std::string& name, std::size_t start) {
    const std::string text = value_word();
    const auto bounds = op_.bounds();
    if (name == "bound") {
      if (std::find(bounds.begin(), bounds.end(), text) == bounds.end())
        return problem(start, fmt::format("bound is '{}', expected one of {}", text, fmt::join(bounds, ", ")));
      case_.bound = text;
      return Done{};
    }
    const std::optional<double> magnitude =
        text.starts_with("finite:") ? task::parse_number(std::string_view(text).substr(7)) : std::nullopt;
    if (!magnitude) return problem(start, fmt::format("check is '{}', expected finite:MAGNITUDE", text));
    case_.check = task::CheckKind::kFinite;
    case_.magnitude = *magnitude;
    return Done{};
  }

  Status elements(const operators::Tensor& tensor, std::size_t start) {
    inputs::Fill fill;
    if (at_ < line_.size() && line_[at_] == '[') {
      Result<Matrix> matrix = bracketed();
      if (!matrix) return matrix.error();
      fill.kind = inputs::FillKind::kValues;
      fill.values = matrix->values;
      given_.push_back({&tensor, std::move(*matrix), start});
      case_.fills[tensor.name] = std::move(fill);
      return Done{};
    }
    const std::size_t at = at_;
    const std::string text = value_word();
    if (text == "absent") {
      if (!tensor.optional) return problem(at, fmt::format("{} cannot be absent, the operator needs it", tensor.name));
      case_.layouts[tensor.name].absent = true;
      return Done{};
    }
    const std::optional<double> value = task::parse_number(text);
    if (!value) return problem(at, fmt::format("{} is '{}', expected [numbers], a number for all elements, or absent", tensor.name, text));
    fill.kind = inputs::FillKind::kConstant;
    fill.value = *value;
    case_.fills[tensor.name] = fill;
    return Done{};
  }

  /// [1, 2*3; (4*4)*2; ...] from the bracket to behind its end.
  Result<Matrix> bracketed() {
    const std::size_t open = at_++;
    const std::size_t close = line_.find(']', at_);
    if (close == std::string_view::npos) return problem(open, "this bracket is not closed");
    Matrix m;
    while (at_ <= close) {
      skip_space();
      if (Status ok = row(m, close); !ok) return std::move(ok).error();
      ++at_;
    }
    return m;
  }

  /// One row, or (row)*count, up to the ';' or the closing bracket.
  Status row(Matrix& m, std::size_t close) {
    const bool grouped = at_ < close && line_[at_] == '(';
    const std::size_t end = grouped ? line_.find(')', at_) : std::min(line_.find(';', at_), close);
    if (end > close) return problem(at_, "this parenthesis is not closed");
    at_ += grouped ? 1 : 0;
    const std::size_t begin = m.values.size();
    while (at_ <= end) {
      skip_space();
      const std::size_t comma = std::min(line_.find(',', at_), end);
      if (Status ok = item(std::string(trimmed(line_.substr(at_, comma - at_))), m); !ok) return ok;
      at_ = comma + 1;
    }
    at_ = end;
    const auto length = static_cast<std::int64_t>(m.values.size() - begin);
    if (m.rows == 0) m.cols = length;
    if (length != m.cols) return problem(at_, fmt::format("row {} has {} elements when the first has {}", m.rows, length, m.cols));
    ++m.rows;
    return grouped ? repeat(m, close) : Done{};
  }

  /// The `*count` behind a row in parentheses.
  Status repeat(Matrix& m, std::size_t close) {
    const std::size_t start = ++at_;
    at_ = std::min(line_.find(';', at_), close);
    const std::string text(trimmed(line_.substr(start, at_ - start)));
    const std::optional<std::int64_t> times =
        text.starts_with('*') ? task::parse_integer(trimmed(std::string_view(text).substr(1))) : std::nullopt;
    if (!times || *times < 1) return problem(start, fmt::format("'{}' behind a row in parentheses, expected a count: (1, 2)*64", text));
    if (*times > kMostElements / std::max<std::int64_t>(m.cols, 1) - m.rows)
      return problem(start, fmt::format("more than {} elements", kMostElements));
    const std::vector<double> last(m.values.end() - m.cols, m.values.end());
    for (std::int64_t i = 1; i < *times; ++i) m.values.insert(m.values.end(), last.begin(), last.end());
    m.rows += *times - 1;
    return Done{};
  }

  Status item(const std::string& text, Matrix& m) const {
    const std::size_t star = text.find('*');
    const std::optional<double> value = task::parse_number(trimmed(std::string_view(text).substr(0, star)));
    std::optional<std::int64_t> times = 1;
    if (star != std::string::npos) times = task::parse_integer(trimmed(std::string_view(text).substr(star + 1)));
    if (!value || !times || *times < 0)
      return problem(at_, fmt::format("'{}' is not a number, nor a number times a count (82*1024)", text));
    if (*times + static_cast<std::int64_t>(m.values.size()) > kMostElements)
      return problem(at_, fmt::format("more than {} elements", kMostElements));
    m.values.insert(m.values.end(), static_cast<std::size_t>(*times), *value);
    return Done{};
  }

  /// Rows and columns from the first tensor that has both as the case has them, then every tensor against its extents.
  Result<task::Case> finish() {
    for (const Given& g : given_) {
      if (g.tensor->shape != operators::Shape::kMatrix || !g.tensor->row_count.empty() || !g.tensor->col_count.empty()) continue;
      if (case_.rows == 0) case_.rows = g.matrix.rows;
      if (case_.cols == 0) case_.cols = g.matrix.cols;
    }
    if (case_.rows == 0 || case_.cols == 0)
      return problem(
          0, fmt::format("rows and columns of the case do not follow from this; give a matrix, as in {}=[1, 2, 3]", first_matrix()));
    for (const Given& g : given_) {
      const auto extents = operators::extents_of(op_, *g.tensor, case_.rows, case_.cols, case_.scalars);
      if (!extents) return problem(g.at, fmt::format("the shape of {} does not follow from the scalars given", g.tensor->name));
      const bool fits = static_cast<std::int64_t>(g.matrix.values.size()) == extents->rows * extents->cols &&
                        (g.matrix.rows == extents->rows || g.matrix.rows == 1 || extents->cols == 1);
      if (!fits)
        return problem(g.at, fmt::format("{} is {} x {} when it should be {} x {}", g.tensor->name, g.matrix.rows, g.matrix.cols,
                                         extents->rows, extents->cols));
    }
    return case_;
  }

  std::string first_matrix() const {
    for (const auto& t : op_.tensors())
      if (t.role != operators::Role::kOutput && t.shape == operators::Shape::kMatrix) return t.name;
    return "x";
  }

  struct Given {
    const operators::Tensor* tensor;
    Matrix matrix;
    std::size_t at;
  };

  const task::Task& task_;
  const operators::Operator& op_;
  std::string_view line_;
  std::size_t at_ = 0;
  task::Case case_;
  std::vector<Given> given_;
};

/// Elements are float or narrower: the shortest text that rounds to the same one (0.37, not 0.3700000047683716).
std::string element_text(double value) {
  const auto narrow = static_cast<float>(value);
  return std::isfinite(value) && static_cast<double>(narrow) == value ? fmt::format("{}", narrow) : task::number_text(value);
}

/// "1, 2*3"
std::string row_text(std::span<const double> row) {
  std::string out;
  for (std::size_t at = 0; at < row.size();) {
    std::size_t end = at + 1;
    const std::string number = element_text(row[at]);
    while (end < row.size() && element_text(row[end]) == number) ++end;
    out += at > 0 ? ", " : "";
    out += end - at > 1 ? fmt::format("{}*{}", number, end - at) : number;
    at = end;
  }
  return out;
}

/// "1, 2*3; (4, 5*3)*2"
std::string numbers_text(const std::vector<double>& values, std::int64_t cols) {
  const auto length = static_cast<std::size_t>(cols);
  std::string out;
  for (std::size_t at = 0; at < values.size();) {
    const auto row_at = [&](std::size_t from) { return row_text(std::span(values).subspan(from, std::min(length, values.size() - from))); };
    const std::string text = row_at(at);
    std::size_t end = at + length, rows = 1;
    for (; end < values.size() && row_at(end) == text; end += length) ++rows;
    constexpr std::size_t kWorthCounting = 3;
    out += at > 0 ? "; " : "";
    if (rows >= kWorthCounting) out += fmt::format("({})*{}", text, rows);
    else out += rows == 2 ? fmt::format("{}; {}", text, text) : text;
    at = end;
  }
  return out;
}

std::string fill_text(const inputs::Fill& fill, std::int64_t cols) {
  if (fill.kind != inputs::FillKind::kValues) return element_text(fill.value);
  return fmt::format("[{}]", numbers_text(fill.values, cols));
}

}  // namespace

Result<task::Case> parse_input(const task::Task& task, std::string_view line) {
  const operators::Operator* op = operators::find_operator(task.operator_name);
  if (op == nullptr) return Error{fmt::format("task {}: no operator {}", task.id, task.operator_name)};
  return Parser(task, *op, line).parse();
}

std::string input_text(const task::Task& task, const task::Case& c) {
  const operators::Operator* op = operators::find_operator(task.operator_name);
  std::vector<std::string> words;
  bool shaped = false;
  for (const operators::Tensor& t : op->tensors()) {
    const auto layout = c.layouts.find(t.name);
    const bool absent = layout != c.layouts.end() && layout->second.absent;
    const auto fill = c.fills.find(t.name);
    if (absent) words.push_back(fmt::format("{}=absent", t.name));
    else if (fill != c.fills.end()) {
      const auto extents = operators::extents_of(*op, t, c.rows, c.cols, c.scalars);
      words.push_back(fmt::format("{}={}", t.name, fill_text(fill->second, extents ? std::max<std::int64_t>(1, extents->cols) : 1)));
      const bool plain = t.shape == operators::Shape::kMatrix && t.row_count.empty() && t.col_count.empty();
      shaped |= plain && fill->second.kind == inputs::FillKind::kValues;
    }
    if (layout == c.layouts.end()) continue;
    if (layout->second.row_stride > 0) words.push_back(fmt::format("{}.stride={}", t.name, layout->second.row_stride));
    if (layout->second.base_offset > 0) words.push_back(fmt::format("{}.offset={}", t.name, layout->second.base_offset));
    if (!layout->second.alias.empty()) words.push_back(fmt::format("{}.alias={}", t.name, layout->second.alias));
  }
  if (!shaped) words.insert(words.begin(), fmt::format("rows={} cols={}", c.rows, c.cols));
  for (const auto& [name, value] : c.scalars) words.push_back(fmt::format("{}={}", name, task::number_text(value)));
  if (c.check == task::CheckKind::kFinite) words.push_back(fmt::format("check=finite:{}", task::number_text(c.magnitude)));
  if (!c.bound.empty()) words.push_back(fmt::format("bound={}", c.bound));
  return fmt::format("{}", fmt::join(words, " "));
}

}  // namespace warpbook::grade
