#pragma once
// One output against its fp64 reference. Comparison is written in the accepting form, error <= bound, so that a NaN fails; values that
// are not finite are compared by class: NaN meets NaN, an infinity meets the same infinity, anything else is `not-finite`.
//
// Half and bfloat16 are compared in what came before their one rounding: y is right when round(reference - bound) <= y <= round(reference
// + bound). That is the same as to ask how far the reference is from the nearest number that rounds to y, and to accept up to the
// bound; so errors, bounds and margins mean the same for every type. `expected` of the worst element is then the rounded reference.
// An infinity is right in half where the reference rounds to one. Rejected: so many ulp of the type, which separate nothing.
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
                   task::CheckKind check, double magnitude, inputs::DType type = inputs::DType::kF32);

}  // namespace warpbook::grade
