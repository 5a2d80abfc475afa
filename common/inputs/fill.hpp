#pragma once
// From a case's words (Fill) to bytes. Same seed, tensor name and fill: same bytes, on every machine and with every compiler
// (golden hashes in fill_test.cpp hold us to it). Bytes are dense and row-major here; layout.hpp spreads them over memory.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "common/inputs/spec.hpp"

namespace warpbook::inputs {

/// Where a fill's randomness comes from. A class keeps its seed to itself; the tensor's name keeps x and gamma apart.
struct Source {
  std::uint64_t seed = 0;
  std::string_view tensor;
};

/// Element (row, col) of a fill over rows of `cols` columns: distribution, row_step * row, then the pokes in order. In double,
/// not rounded yet: a uniform value just below `high` may round up to it. Does not depend on the number of rows, and on `cols`
/// only through the pokes kLast and kSuffix and given values.
double element(const Fill& fill, const Source& source, std::int64_t row, std::int64_t col, std::int64_t cols);

/// Writes [rows, cols] into `dense`, which holds rows * cols elements of `type`; each value is rounded once.
void fill(const Fill& what, std::int64_t rows, std::int64_t cols, DType type, const Source& source, std::span<std::byte> dense);

/// The same in bytes of its own.
std::vector<std::byte> make(const Fill& what, std::int64_t rows, std::int64_t cols, DType type, const Source& source);

}  // namespace warpbook::inputs
