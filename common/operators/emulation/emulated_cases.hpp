#pragma once
// For tests only: inputs with a name, and how far a kernel's output is from what an operator expects.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "common/inputs/element.hpp"
#include "common/inputs/fill.hpp"
#include "common/operators/operator.hpp"

namespace warpbook::operators::emulation {

inline constexpr std::uint64_t kSeed = 20260101;

/// A shape and what stands in x; `values` replaces the fill where a row is given in numbers.
struct CaseData {
  std::string name;
  int rows = 1, cols = 1;
  inputs::Fill x{};
  std::vector<double> values{};
  std::map<std::string, inputs::Fill> others{};  ///< fills of further tensors; default_fill otherwise
  ScalarValues scalars{};                        ///< those that have not their defaults
};

inline inputs::Fill normal(double mean, double sd) { return {.kind = inputs::FillKind::kNormal, .mean = mean, .sd = sd}; }
inline inputs::Fill constant(double value, double row_step = 0) {
  return {.kind = inputs::FillKind::kConstant, .value = value, .row_step = row_step};
}
inline inputs::Fill poked(inputs::Fill fill, const inputs::Poke& poke) {
  fill.pokes.push_back(poke);
  return fill;
}

/// The inputs of an operator in a case, rounded to float.
inline Arguments arguments_of(const Operator& op, const CaseData& data) {
  Arguments arguments{data.rows, data.cols, {}, data.scalars};
  for (const Tensor& tensor : op.tensors()) {
    if (tensor.role == Role::kOutput) continue;
    const Extents e = extents_of(op, tensor, data.rows, data.cols, data.scalars).value();
    const auto other = data.others.find(tensor.name);
    const inputs::Fill& fill = tensor.name == "x" ? data.x : other != data.others.end() ? other->second : tensor.default_fill;
    std::vector<double> values = data.values;
    if (tensor.name != "x" || values.empty()) {
      values = inputs::to_values(tensor.type, inputs::make(fill, e.rows, e.cols, tensor.type, {kSeed, tensor.name}));
    }
    arguments.tensors[tensor.name] = {e.rows, e.cols, std::move(values)};
  }
  return arguments;
}

/// A tensor as the kernel has it.
inline std::vector<float> floats(const Arguments& arguments, const std::string& tensor) {
  const std::vector<double>& values = arguments.tensors.at(tensor).data;
  return {values.begin(), values.end()};
}

/// Error in units of the bound; inf where the class of the value is wrong. Of 16-bit types the error is what it must have been before
/// the rounding.
inline double ratio(double expected, double bound, double got, inputs::DType type = inputs::DType::kF32) {
  constexpr double kWrong = std::numeric_limits<double>::infinity();
  if (std::isnan(expected)) return std::isnan(got) ? 0 : kWrong;
  if (std::isinf(expected)) return got == expected ? 0 : kWrong;
  if (!std::isfinite(got)) return kWrong;
  const double error = inputs::rounding_distance(type, expected, got);
  if (error == 0) return 0;
  return bound > 0 ? error / bound : kWrong;
}

/// The largest ratio of an output.
inline double worst_ratio(const Expected& expected, const std::vector<float>& got, inputs::DType type = inputs::DType::kF32) {
  double worst = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!expected.is_open(i)) worst = std::max(worst, ratio(expected.value[i], expected.bound[i], got[i], type));
  }
  return worst;
}

}  // namespace warpbook::operators::emulation
