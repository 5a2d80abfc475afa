#include "judge/grade/compare.hpp"

#include <cmath>
#include <limits>

#include "common/inputs/element.hpp"

namespace warpbook::grade {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// How far an element is over: 1 is just at its bound, above 1 fails, infinity for the wrong class.
struct Distance {
  double ratio = kInfinity;
  Reason reason = Reason::kNotFinite;
};

Distance distance_by_class(double expected, double got) {
  const bool both_nan = std::isnan(expected) && std::isnan(got);
  return both_nan || expected == got ? Distance{0, Reason::kNone} : Distance{};
}

bool is_narrow(inputs::DType type) { return type == inputs::DType::kF16 || type == inputs::DType::kBF16; }

Distance distance(inputs::DType type, double expected, double bound, double got) {
  if (!std::isfinite(expected)) return distance_by_class(expected, got);
  if (std::isnan(got) || (std::isinf(got) && !is_narrow(type))) return {};
  const double error = inputs::rounding_distance(type, expected, got);
  if (error == 0) return {0, Reason::kNone};
  return {bound > 0 ? error / bound : kInfinity, std::isinf(got) ? Reason::kNotFinite : Reason::kValue};
}

Distance finite_distance(double magnitude, double got) {
  if (!std::isfinite(got)) return {};
  return {magnitude > 0 ? std::abs(got) / magnitude : 0, Reason::kValue};
}

/// Which failure to speak of when there are several: what was not written explains the rest, then NaN, then values.
int rank(Reason reason) { return reason == Reason::kUnwritten ? 3 : reason == Reason::kNotFinite ? 2 : reason == Reason::kValue ? 1 : 0; }

}  // namespace

Comparison compare(const operators::Expected& expected, std::span<const double> got, const std::vector<bool>& unwritten,
                   task::CheckKind check, double magnitude, inputs::DType type) {
  Comparison result;
  result.accepted = true;
  result.worst.tensor = expected.tensor;
  result.worst.total = static_cast<std::int64_t>(expected.value.size());
  const std::int64_t cols = expected.cols > 0 ? expected.cols : 1;
  double worst_ratio = -1;
  for (std::size_t i = 0; i < expected.value.size(); ++i) {
    Distance d = check == task::CheckKind::kFinite ? finite_distance(magnitude, got[i])
                                                   : distance(type, expected.value[i], expected.bound[i], got[i]);
    if (expected.is_open(i)) d = {0, Reason::kNone};
    if (unwritten[i]) d = {kInfinity, Reason::kUnwritten};
    const bool accepted = d.ratio <= 1;
    if (!accepted) {
      result.accepted = false;
      ++result.worst.over;
    }
    const Reason reason = accepted ? Reason::kNone : d.reason;
    const bool speaks = rank(reason) > rank(result.reason) || (rank(reason) == rank(result.reason) && d.ratio > worst_ratio);
    if (!speaks) continue;
    result.reason = reason;
    worst_ratio = d.ratio;
    result.worst.row = static_cast<std::int64_t>(i) / cols;
    result.worst.column = static_cast<std::int64_t>(i) % cols;
    result.worst.got = got[i];
    result.worst.expected = is_narrow(type) ? inputs::decode(type, inputs::encode(type, expected.value[i])) : expected.value[i];
    result.worst.error = inputs::rounding_distance(type, expected.value[i], got[i]);
    result.worst.bound = check == task::CheckKind::kFinite ? magnitude : expected.bound[i];
  }
  return result;
}

}  // namespace warpbook::grade
