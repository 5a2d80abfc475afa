#pragma once
// Single values of two wrong answers: are they the same but for rounding?
#include "common/operators/operator.hpp"

namespace warpbook::grade {

/// NaN and NaN, one infinity and the same, or two finite numbers.
bool same_class(double a, double b);

/// Whether `got` lies within its bound of the right value.
bool is_right(double got, double value, double bound);

/// What rounding costs in a tensor relative to the right value: the median of bound / |value| over the elements that have one, and at most
/// 1e-3. Where a wrong value is larger than the right one would be, its rounding is larger in the same measure.
double relative_bound(const operators::Expected& e);

/// Whether `a` and `b`, both answers where `value` is right, differ by no more than rounding: twice the bound, and twice its relative form
/// of the larger one.
bool same_wrong_value(double a, double b, double value, double bound, double relative);

}  // namespace warpbook::grade
