#include "common/inputs/fill.hpp"

#include "common/inputs/element.hpp"
#include "common/inputs/portable_math.hpp"
#include "common/inputs/random.hpp"

namespace warpbook::inputs {
namespace {

constexpr std::int64_t kWarpSize = 32;

bool pokes_column(const Poke& poke, std::int64_t col, std::int64_t cols) {
  switch (poke.at) {
    case PokeAt::kElement: return col == poke.index;
    case PokeAt::kLast: return col == cols - 1;
    case PokeAt::kEvery: return poke.period > 0 && col % poke.period == poke.index;
    case PokeAt::kLanes: return (poke.lanes >> (col % kWarpSize) & 1) != 0;
    case PokeAt::kPrefix: return col < poke.count;
    case PokeAt::kSuffix: return col >= cols - poke.count;
  }
  return false;
}

double given(const std::vector<double>& values, std::int64_t at) {
  return at < static_cast<std::int64_t>(values.size()) ? values[static_cast<std::size_t>(at)] : 0;
}

double drawn(const Fill& fill, const Stream& stream, std::int64_t row, std::int64_t col, std::int64_t cols) {
  switch (fill.kind) {
    case FillKind::kConstant: return fill.value;
    case FillKind::kUniform: return fill.low + (fill.high - fill.low) * stream.uniform(row, col);
    case FillKind::kNormal: return fill.mean + fill.sd * normal_quantile(stream.uniform(row, col));
    case FillKind::kLognormal: return portable_exp(fill.mean + fill.sd * normal_quantile(stream.uniform(row, col)));
    case FillKind::kRamp: return fill.value + fill.step * static_cast<double>(col);
    case FillKind::kValues: return given(fill.values, row * cols + col);
  }
  return 0;
}

double element_of(const Fill& fill, const Stream& stream, std::int64_t row, std::int64_t col, std::int64_t cols) {
  double value = drawn(fill, stream, row, col, cols);
  if (fill.row_step != 0) value += fill.row_step * static_cast<double>(row);  // -0 + 0 would be +0
  for (const Poke& poke : fill.pokes) {
    if ((poke.row < 0 || poke.row == row) && pokes_column(poke, col, cols)) value = poke.value;
  }
  return value;
}

}  // namespace

double element(const Fill& fill, const Source& source, std::int64_t row, std::int64_t col, std::int64_t cols) {
  return element_of(fill, Stream(source.seed, source.tensor), row, col, cols);
}

void fill(const Fill& what, std::int64_t rows, std::int64_t cols, DType type, const Source& source, std::span<std::byte> dense) {
  const Stream stream(source.seed, source.tensor);
  std::size_t index = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t col = 0; col < cols; ++col) store_bits(type, dense, index++, encode(type, element_of(what, stream, row, col, cols)));
  }
}

std::vector<std::byte> make(const Fill& what, std::int64_t rows, std::int64_t cols, DType type, const Source& source) {
  std::vector<std::byte> dense(static_cast<std::size_t>(rows * cols * size_of(type)));
  fill(what, rows, cols, type, source, dense);
  return dense;
}

}  // namespace warpbook::inputs
