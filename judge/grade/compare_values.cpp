#include "judge/grade/compare_values.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace warpbook::grade {
namespace {

/// Share of a wrong value by which two wrong kernels may differ: a wrong sum of N terms still rounds like one.
constexpr double kMostRelative = 1e-3;

}  // namespace

bool same_class(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return std::isinf(a) || std::isinf(b) ? a == b : true;
}

bool is_right(double got, double value, double bound) {
  return same_class(got, value) && (!std::isfinite(value) || std::fabs(got - value) <= bound);
}

double relative_bound(const operators::Expected& e) {
  std::vector<double> shares;
  for (std::size_t i = 0; i < e.value.size(); ++i) {
    if (std::isfinite(e.value[i]) && e.value[i] != 0 && e.bound[i] > 0) shares.push_back(e.bound[i] / std::fabs(e.value[i]));
  }
  if (shares.empty()) return 0;
  const auto middle = shares.begin() + static_cast<std::ptrdiff_t>(shares.size() / 2);
  std::nth_element(shares.begin(), middle, shares.end());
  return std::min(*middle, kMostRelative);
}

bool same_wrong_value(double a, double b, double value, double bound, double relative) {
  if (!same_class(a, b)) return false;
  if (!std::isfinite(a)) return true;
  const double allowed = std::isfinite(value) ? bound : 0;
  return std::fabs(a - b) <= 2 * allowed + 2 * relative * std::max(std::fabs(a), std::fabs(b));
}

}  // namespace warpbook::grade
