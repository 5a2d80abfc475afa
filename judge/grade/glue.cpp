#include "judge/grade/glue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "common/operators/operator.hpp"

namespace warpbook::grade {
namespace {

std::string_view element_type(inputs::DType type) {
  switch (type) {
    case inputs::DType::kF32: return "float";
    case inputs::DType::kF16: return "__half";
    case inputs::DType::kBF16: return "__nv_bfloat16";
    case inputs::DType::kI32: return "int";
  }
  return "float";
}

/// "const float*" or "int": the C type of a parameter.
Result<std::string> c_type(const operators::Operator& op, const std::string& name) {
  const auto tensor = std::find_if(op.tensors().begin(), op.tensors().end(), [&](const auto& t) { return t.name == name; });
  if (tensor != op.tensors().end())
    return fmt::format("{}{}*", tensor->role == operators::Role::kInput ? "const " : "", element_type(tensor->type));
  const auto scalar = std::find_if(op.scalars().begin(), op.scalars().end(), [&](const auto& s) { return s.name == name; });
  if (scalar != op.scalars().end()) return scalar->c_type;
  return Error{fmt::format("operator {} has no parameter {}", op.name(), name)};
}

bool is_word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

}  // namespace

Result<std::string> launch_declaration(const task::Task& task) {
  const operators::Operator* op = operators::find_operator(task.operator_name);
  if (op == nullptr) return Error{fmt::format("no operator {}", task.operator_name)};
  std::string parameters;
  for (const std::string& name : task.parameters) {
    const Result<std::string> type = c_type(*op, name);
    if (!type) return type.error();
    parameters += fmt::format("{}{} {}", parameters.empty() ? "" : ", ", *type, name);
  }
  return fmt::format("cudaError_t {}({})", task.launch, parameters);
}

Result<std::string> launch_glue(const task::Task& task, const std::string& name, const std::string& scope) {
  const operators::Operator* op = operators::find_operator(task.operator_name);
  if (op == nullptr) return Error{fmt::format("no operator {}", task.operator_name)};
  std::string arguments;
  for (std::size_t i = 0; i < task.parameters.size(); ++i) {
    const Result<std::string> type = c_type(*op, task.parameters[i]);
    if (!type) return type.error();
    arguments += fmt::format("{}*static_cast<{}*>(arguments[{}])", i == 0 ? "" : ", ", *type, i);
  }
  return fmt::format(
      "extern \"C\" __attribute__((visibility(\"default\"))) int {}(void* const* arguments) {{\n"
      "  const cudaError_t status = {}{}({});\n"
      "  return static_cast<int>(status);\n"
      "}}\n",
      name, scope.empty() ? "" : scope + "::", task.launch, arguments);
}

std::string without_macros(const std::string& text) {
  std::set<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_word_character(text[end])) ++end;
    if (end > at && std::isdigit(static_cast<unsigned char>(text[at])) == 0) words.insert(text.substr(at, end - at));
    at = end + 1;
  }
  std::string lines;
  for (const std::string& word : words) lines += fmt::format("#undef {}\n", word);
  return lines;
}

}  // namespace warpbook::grade
