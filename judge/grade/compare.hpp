#pragma once
// One output against its fp64 reference. Comparison is written in the accepting form, error <= bound, so that a NaN fails; values that
// are not finite are compared by class: NaN meets NaN, an infinity meets the same infinity, anything else is `not-finite`.
#include <span>

#include "common/operators/operator.hpp"
#include "judge/grade/result.hpp"

namespace warpbook::grade {

struct Comparison {
  bool accepted = false;
  Reason reason = Reason::kNone;
  WorstElement worst;
};

/// `got`: logical elements in row-major order, as many as `expected.value`; `unwritten[i]` is true when the bits are still the fill
/// pattern. With `check` kFinite only finiteness and |value| <= magnitude are asked.
Comparison compare(const operators::Expected& expected, std::span<const double> got, const std::vector<bool>& unwritten,
                   task::CheckKind check, double magnitude);

}  // namespace warpbook::grade
