#pragma once
// A case made concrete: which tensors there are, how each lies in memory, which bytes it holds, and what the operator expects of the
// outputs. Everything follows from the task, the case and the seed.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/inputs/layout.hpp"
#include "common/operators/operator.hpp"
#include "judge/base/error.hpp"
#include "judge/task/task.hpp"

namespace warpbook::grade {

struct TensorData {
  const operators::Tensor* spec = nullptr;
  operators::Extents extents;
  inputs::Placement placement;
  std::vector<std::byte> dense;  ///< before the launch: filled, or the unwritten pattern
  int memory = -1;               ///< index of the tensor whose memory it uses: its own, or the one it aliases
  bool absent = false;
  bool written = false;  ///< an output, or aliased by one: its rows may change
};

struct CaseData {
  std::int64_t rows = 0, cols = 0;
  std::vector<TensorData> tensors;  ///< those of the launch function, in the operator's order
  operators::Arguments arguments;   ///< what the reference is computed from
  std::vector<operators::Expected> expected;
  std::vector<std::string> parameters;               ///< names in the order of the launch function
  std::vector<std::vector<std::byte>> scalar_bytes;  ///< per parameter; empty for tensors
};

/// One row of every input that has several is that of another seed's case: row `row`, counted round where there are fewer.
struct RowFrom {
  std::uint64_t seed = 0;
  std::int64_t row = 0;
};

struct CaseSetup {
  std::uint64_t seed = 0;
  bool gpu_shape = false;  ///< use gpu-rows and gpu-cols
  std::int64_t red_zone_bytes = 0;
  bool inputs_only = false;  ///< without `arguments` and `expected`: they take longer than the inputs themselves
  std::optional<RowFrom> row_from;
};

/// The error names what in the case does not fit the operator.
Result<CaseData> prepare(const task::Task& task, const task::Case& c, const CaseSetup& setup);

/// `value` as the bytes of a C type: int, unsigned, float, double, long long.
Result<std::vector<std::byte>> scalar_bytes(std::string_view c_type, double value);

}  // namespace warpbook::grade
