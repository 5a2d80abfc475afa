#include "judge/task/overlay.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "judge/base/files.hpp"
#include "judge/task/manifest_parts.hpp"

namespace warpbook::task {

Result<std::vector<Case>> read_overlay(const std::filesystem::path& folder, const Task& task, const OperatorLookup& operators) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) return Error{"is no folder of further cases", Where{folder.string()}};
  const std::filesystem::path file = folder / task.id / "cases.xml";
  if (!std::filesystem::exists(file, ignored)) return std::vector<Case>{};
  const Result<std::string> text = read_file(file);
  if (!text) return text.error();
  auto root = parse_xml(*text, file.string());
  if (!root) return std::move(root).error();
  XmlReader reader(file.string(), *text);
  const operators::Operator* op = operators.find(task.operator_name);
  if (op == nullptr) return Error{fmt::format("unknown operator '{}'", task.operator_name), Where{file.string()}};
  if (root->name != "cases") reader.fail(*root, fmt::format("unknown root element <{}>, expected <cases>", root->name));
  if (!reader.ok()) return reader.error();
  std::vector<Case> cases = read_cases({reader, *op}, *root, Count::kAny);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto same = [&](const Case& own) { return own.name == cases[i].name; };
    if (std::any_of(task.cases.begin(), task.cases.end(), same))
      reader.fail(root->children[i], "name", fmt::format("the task has a case named '{}' too, expected another name", cases[i].name));
  }
  if (!reader.ok()) return reader.error();
  return cases;
}

}  // namespace warpbook::task
