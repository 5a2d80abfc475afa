#include "common/operators/root_mean_square.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/operators/description.hpp"

namespace warpbook::operators {

void expect_rms_row(std::span<const double> x, std::span<const double> weight, double eps, std::size_t first, Expected& y) {
  constexpr double kLargestFloat = std::numeric_limits<float>::max();
  const auto n = static_cast<double>(x.size());
  const double roundings = 24 + n / 64;
  CompensatedSum squares;
  for (const double v : x) squares.add(v * v);
  const bool has_nan = std::any_of(x.begin(), x.end(), [](double v) { return std::isnan(v); });
  if (has_nan || !(squares.value() <= kLargestFloat)) {
    for (std::size_t col = 0; col < x.size(); ++col) y.value[first + col] = std::numeric_limits<double>::quiet_NaN();
    if (has_nan) return;
    y.open.resize(y.value.size());
    for (std::size_t col = 0; col < x.size(); ++col) y.open[first + col] = 1;
    return;
  }
  const double scale = 1 / std::sqrt(squares.value() / n + eps);
  for (std::size_t col = 0; col < x.size(); ++col) {
    const double w = weight.empty() ? 1 : weight[col];
    const double value = x[col] * scale * w;
    y.value[first + col] = value;
    y.bound[first + col] = std::fabs(value) * kU * roundings + 0x1p-126 * (1 + std::fabs(w) * (1 + scale));
  }
}

}  // namespace warpbook::operators
