#include "common/operators/normalised_row.hpp"

#include <algorithm>
#include <cmath>

#include "common/operators/description.hpp"

namespace warpbook::operators {

double NormalisedRow::distance() const { return std::fabs(mean) * scale; }

double NormalisedRow::error(double r) const {
  const double normalised = 32 + n / 64;  // of R + 3 |r|
  return normalised * kU * (largest + 3 * std::fabs(r)) + roundings() * kU * distance() * (1 + std::fabs(r)) + 0x1p-126 * scale;
}

NormalisedRow measure_row(std::span<const double> x, double eps) {
  NormalisedRow row;
  row.n = static_cast<double>(x.size());
  CompensatedSum sum, squares;
  for (const double v : x) sum.add(v);
  row.mean = sum.value() / row.n;
  double farthest = 0;
  for (const double v : x) {
    const double distance = v - row.mean;
    squares.add(distance * distance);
    farthest = std::max(farthest, std::fabs(distance));
  }
  row.variance = squares.value() / row.n;
  row.scale = 1 / std::sqrt(row.variance + eps);
  row.largest = farthest * row.scale;
  return row;
}

}  // namespace warpbook::operators
