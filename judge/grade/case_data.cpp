#include "judge/grade/case_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "common/inputs/element.hpp"
#include "common/inputs/fill.hpp"
#include "judge/base/hash.hpp"

namespace warpbook::grade {
namespace {

constexpr std::string_view kStrideSuffix = "_stride";

/// Cases of one task differ in their data even when their fills agree; the name keeps them apart on every machine.
std::uint64_t case_seed(std::uint64_t seed, const task::Task& task, const task::Case& c) {
  const std::string hex = HashBuilder().add("seed", std::to_string(seed)).add("task", task.id).add("case", c.name).hex();
  return std::stoull(hex.substr(0, 16), nullptr, 16);
}

template <class T>
std::vector<std::byte> bytes_of(T value) {
  std::vector<std::byte> out(sizeof value);
  std::memcpy(out.data(), &value, sizeof value);
  return out;
}

const inputs::Layout& layout_of(const task::Case& c, const std::string& tensor) {
  static const inputs::Layout plain;
  const auto it = c.layouts.find(tensor);
  return it == c.layouts.end() ? plain : it->second;
}

Result<TensorData> prepare_tensor(const operators::Operator& op, const operators::Tensor& spec, const task::Case& c, const CaseData& data,
                                  const inputs::Source& source, const CaseSetup& setup, const inputs::Source& row_source) {
  TensorData t;
  t.spec = &spec;
  const std::optional<operators::Extents> extents = operators::extents_of(op, spec, data.rows, data.cols, c.scalars);
  if (!extents) return Error{fmt::format("case {}: the shape of {} does not follow from the case's scalars", c.name, spec.name)};
  t.extents = *extents;
  const inputs::Layout& layout = layout_of(c, spec.name);
  t.absent = layout.absent;
  if (t.absent && !spec.optional)
    return Error{fmt::format("case {}: tensor {} cannot be absent, the operator needs it", c.name, spec.name)};
  if (t.absent) return t;
  const auto [rows, cols] = t.extents;
  if (spec.role == operators::Role::kOutput) {
    t.dense = inputs::unwritten(spec.type, rows * cols);
  } else {
    const auto found = c.fills.find(spec.name);
    const inputs::Fill& fill = found == c.fills.end() ? spec.default_fill : found->second;
    t.dense = inputs::make(fill, rows, cols, spec.type, source);
    if (setup.row_from && rows > 1) {
      const std::vector<std::byte> other = inputs::make(fill, rows, cols, spec.type, row_source);
      const std::int64_t bytes = cols * inputs::size_of(spec.type), at = setup.row_from->row % rows * bytes;
      std::copy_n(other.begin() + at, bytes, t.dense.begin() + at);
    }
  }
  t.written = spec.role != operators::Role::kInput;
  if (!layout.alias.empty()) return t;
  Result<inputs::Placement> placement = inputs::place(layout, rows, cols, spec.type, spec.name, setup.red_zone_bytes);
  if (!placement) return std::move(placement).error();
  t.placement = std::move(*placement);
  return t;
}

/// Ties aliases to the tensor whose memory they share; that tensor's rows may then change.
Status resolve_aliases(const task::Case& c, CaseData& data) {
  for (std::size_t i = 0; i < data.tensors.size(); ++i) {
    TensorData& t = data.tensors[i];
    t.memory = static_cast<int>(i);
    const inputs::Layout& layout = layout_of(c, t.spec->name);
    if (layout.alias.empty() || t.absent) continue;
    const auto host =
        std::find_if(data.tensors.begin(), data.tensors.end(), [&](const TensorData& h) { return h.spec->name == layout.alias; });
    if (host == data.tensors.end() || host->absent || host->spec->type != t.spec->type || host->extents != t.extents)
      return Error{fmt::format("case {}: {} cannot share the memory of {}", c.name, t.spec->name, layout.alias)};
    t.memory = static_cast<int>(host - data.tensors.begin());
    t.placement = host->placement;
    host->written |= t.written;
  }
  return Done{};
}

/// rows, cols and strides come from the case's shape and layouts, everything else from its <scalar> elements or the operator.
double scalar_value(const operators::Scalar& scalar, const task::Case& c, const CaseData& data) {
  const auto given = c.scalars.find(scalar.name);
  if (given != c.scalars.end()) return given->second;
  if (scalar.name == "rows") return static_cast<double>(data.rows);
  if (scalar.name == "cols") return static_cast<double>(data.cols);
  for (const TensorData& t : data.tensors)
    if (scalar.name == t.spec->name + std::string(kStrideSuffix))
      return static_cast<double>(t.placement.row_stride > 0 ? t.placement.row_stride : t.extents.cols);
  return scalar.default_value;
}

}  // namespace

Result<std::vector<std::byte>> scalar_bytes(std::string_view c_type, double value) {
  if (c_type == "int") return bytes_of(static_cast<std::int32_t>(value));
  if (c_type == "unsigned") return bytes_of(static_cast<std::uint32_t>(value));
  if (c_type == "long long") return bytes_of(static_cast<long long>(value));
  if (c_type == "float") return bytes_of(static_cast<float>(value));
  if (c_type == "double") return bytes_of(value);
  return Error{fmt::format("scalar type {} is not one of int, unsigned, long long, float, double", c_type)};
}

Result<CaseData> prepare(const task::Task& task, const task::Case& c, const CaseSetup& setup) {
  const operators::Operator* op = operators::find_operator(task.operator_name);
  if (op == nullptr) return Error{fmt::format("task {}: no operator {}", task.id, task.operator_name)};
  CaseData data;
  data.rows = setup.gpu_shape && c.gpu_rows > 0 ? c.gpu_rows : c.rows;
  data.cols = setup.gpu_shape && c.gpu_cols > 0 ? c.gpu_cols : c.cols;
  data.parameters = task.parameters;
  const std::uint64_t seed = case_seed(setup.seed, task, c);
  const std::uint64_t row_seed = setup.row_from ? case_seed(setup.row_from->seed, task, c) : seed;

  for (const operators::Tensor& spec : op->tensors()) {
    if (std::find(task.parameters.begin(), task.parameters.end(), spec.name) == task.parameters.end()) continue;
    Result<TensorData> t = prepare_tensor(*op, spec, c, data, {seed, spec.name}, setup, {row_seed, spec.name});
    if (!t) return std::move(t).error();
    data.tensors.push_back(std::move(*t));
  }
  if (Status ok = resolve_aliases(c, data); !ok) return std::move(ok).error();

  data.arguments.rows = data.rows;
  data.arguments.cols = data.cols;
  for (const TensorData& t : data.tensors) {
    const bool given = !t.absent && t.spec->role != operators::Role::kOutput;
    if (given && !setup.inputs_only)
      data.arguments.tensors[t.spec->name] = {t.extents.rows, t.extents.cols, inputs::to_values(t.spec->type, t.dense)};
  }
  for (const operators::Scalar& s : op->scalars()) data.arguments.scalars[s.name] = scalar_value(s, c, data);
  const std::string bound = !c.bound.empty() ? c.bound : !task.bound.empty() ? task.bound : op->bounds().front();
  std::vector<operators::Expected> expected;
  if (!setup.inputs_only) expected = op->expect(data.arguments, bound);
  if (!setup.inputs_only && expected.empty())
    return Error{fmt::format("case {}: operator {} gives no answer under bound {}", c.name, task.operator_name, bound)};
  for (operators::Expected& e : expected) {
    const bool wanted =
        std::any_of(data.tensors.begin(), data.tensors.end(), [&](const TensorData& t) { return t.spec->name == e.tensor && !t.absent; });
    if (wanted) data.expected.push_back(std::move(e));
  }

  for (const std::string& name : task.parameters) {
    const auto scalar =
        std::find_if(op->scalars().begin(), op->scalars().end(), [&](const operators::Scalar& s) { return s.name == name; });
    data.scalar_bytes.emplace_back();
    if (scalar == op->scalars().end()) continue;
    Result<std::vector<std::byte>> bytes = scalar_bytes(scalar->c_type, data.arguments.scalars[name]);
    if (!bytes) return std::move(bytes).error();
    data.scalar_bytes.back() = std::move(*bytes);
  }
  return data;
}

}  // namespace warpbook::grade
