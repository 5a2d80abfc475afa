#pragma once
// What LayerNorm, its gradient and GroupNorm know of a row: its statistics, and how far x - mean over the root of the variance may be
// off in a right float kernel. The derivation is in layernorm.cpp.
#include <span>

namespace warpbook::operators {

struct NormalisedRow {
  double mean = 0, variance = 0;
  double scale = 0;    ///< 1 / sqrt(var + eps)
  double largest = 0;  ///< R
  double n = 0;

  double roundings() const { return 8 + n / 64; }  ///< L
  /// Standard deviations by which the row stands away from zero (k).
  double distance() const;
  /// The bound of one normalised element r, gamma and the last addition aside: two passes or Welford.
  double error(double r) const;
};

/// The statistics of finite x (at least one element).
NormalisedRow measure_row(std::span<const double> x, double eps);

}  // namespace warpbook::operators
