#pragma once
// What a case says about its data: how a tensor lies in memory and what stands in it. Plain values; manifest.cpp reads them
// from XML, fill.cpp turns them into bytes.
#include <cstdint>
#include <string>
#include <vector>

namespace warpbook::inputs {

/// Element type of a tensor.
enum class DType { kF32, kF16, kBF16, kI32 };

/// Bytes of one element.
constexpr int size_of(DType type) { return type == DType::kF32 || type == DType::kI32 ? 4 : 2; }

/// Which elements a poke overwrites. `index`, `count` and `period` are columns.
enum class PokeAt {
  kElement,  ///< column `index`
  kLast,     ///< the last column
  kEvery,    ///< columns with column % period == index
  kLanes,    ///< columns whose lane (column % 32) is in the bit mask `lanes`
  kPrefix,   ///< the first `count` columns
  kSuffix,   ///< the last `count` columns
};

/// Overwrites some elements of every row (row = -1) or of one row with `value`, which may be inf, NaN, denormal or -0.
struct Poke {
  PokeAt at = PokeAt::kElement;
  std::int64_t row = -1;
  std::int64_t index = 0;
  std::int64_t count = 0;
  std::int64_t period = 1;
  std::uint32_t lanes = 0;
  float value = 0;
};

enum class FillKind {
  kConstant,   ///< value
  kUniform,    ///< [low, high)
  kNormal,     ///< mean, sd
  kLognormal,  ///< exp of a normal with mean, sd
  kRamp,       ///< value + step * column
  kValues,     ///< `values`, row-major, as somebody gave them; 0 behind their end. Not in a manifest
};

/// What stands in a tensor: a distribution, `row_step * row` added to every element of a row, then the pokes in order.
/// Computed in double and rounded once to the element type.
struct Fill {
  FillKind kind = FillKind::kNormal;
  double value = 0;
  double mean = 0, sd = 1;
  double low = 0, high = 1;
  double step = 0;
  double row_step = 0;
  std::vector<Poke> pokes{};
  std::vector<double> values{};
};

/// How a tensor lies in memory.
struct Layout {
  std::int64_t row_stride = 0;   ///< elements from one row to the next; 0: rows are dense
  std::int64_t base_offset = 0;  ///< elements by which the base misses 256-byte alignment
  std::string alias;             ///< name of the tensor whose memory this one shares (in place); empty: its own
  bool absent = false;           ///< the pointer handed over is null
};

}  // namespace warpbook::inputs
