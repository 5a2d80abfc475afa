#pragma once
// For this folder's tests: an operator of our own, and the manifest that the manual shows as its complete example.
#include <fmt/format.h>

#include <string>

#include "judge/base/files.hpp"
#include "judge/task/manifest.hpp"
#include "judge/tests/catch.hpp"

namespace warpbook::task {

/// LayerNorm as far as a manifest looks at it.
class FixtureOperator final : public operators::Operator {
 public:
  std::string_view name() const override { return "layernorm"; }
  const std::vector<operators::Tensor>& tensors() const override { return tensors_; }
  const std::vector<operators::Scalar>& scalars() const override { return scalars_; }
  const std::vector<std::string>& default_parameters() const override { return parameters_; }
  std::vector<std::string> bounds() const override { return {"two-pass", "two-moment"}; }
  std::vector<operators::Expected> expect(const operators::Arguments&, std::string_view) const override { return {}; }

 private:
  using Role = operators::Role;
  using Shape = operators::Shape;
  std::vector<operators::Tensor> tensors_{{"x", Role::kInput, Shape::kMatrix},
                                          {"y", Role::kOutput, Shape::kMatrix},
                                          {"gamma", Role::kInput, Shape::kRowVector, inputs::DType::kF32, true},
                                          {"beta", Role::kInput, Shape::kRowVector, inputs::DType::kF32, true}};
  std::vector<operators::Scalar> scalars_{{"rows", "int"}, {"cols", "int"}, {"eps", "float", 1e-5}};
  std::vector<std::string> parameters_{"x", "gamma", "beta", "y", "rows", "cols", "eps"};
};

inline OperatorLookup fixture_operators() {
  static const FixtureOperator op;
  const auto find = [](std::string_view name) -> const operators::Operator* { return name == op.name() ? &op : nullptr; };
  return {find, [] { return std::vector<std::string>{"layernorm", "softmax"}; }};
}

/// The example of lessons/MANIFEST.md.
inline std::string example_manifest() {
  static const std::string text = [] {
    const std::string manual = read_file(WARPBOOK_SOURCE_DIR "/lessons/MANIFEST.md").value();
    const std::size_t begin = manual.find("```xml\n") + 7;
    return manual.substr(begin, manual.find("```\n", begin) - begin);
  }();
  return text;
}

inline Result<Task> read_example(const std::string& text) { return read_manifest(text, "lesson.xml", "05-layernorm", fixture_operators()); }

inline Task example_task() {
  auto task = read_example(example_manifest());
  INFO((task ? std::string() : task.error().text()));
  REQUIRE(task);
  return *task;
}

/// The example with the first `from` replaced; fails the test when there is none.
inline std::string example_with(const std::string& from, const std::string& to) {
  std::string text = example_manifest();
  const std::size_t at = text.find(from);
  INFO("looking for " << from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace warpbook::task
