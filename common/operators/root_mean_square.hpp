#pragma once
// One row of RMSNorm: the reference and the bound that rmsnorm, fused_add_rmsnorm and their 16-bit forms share.
//
// y = x / sqrt(mean(x^2) + eps) * weight, eps > 0 inside the root; weight may be absent (1). Promised for |x| <= 1e15. A row with a
// NaN is NaN throughout. Of a row with an infinity and no NaN, and of one whose squares overflow (their sum passes the largest
// float), nothing is promised: a kernel that divides by the largest |x| first is right too and has finite values there.
//
// How far a right float kernel may be off. u = 2^-24. All squares are positive, so a float sum of them errs by at most u of itself
// for each addition that an element passes: N/32 + 8 of them with 32 lanes or more, for every T and N (see row_sum_max.cpp). Square,
// division by N and addition of eps round once each. The root halves all that: N/64 + 5.5. rsqrt errs by 2 ulp, at most 4 u, or
// the root and a division by 1.5 u; the products with x and weight round twice. That is N/64 + 11.5 at the worst; where terms are
// alike, half of the sum's part. 24 in place of 11.5 leaves room for what is right and less careful: two more products, a mean by a
// rounded reciprocal, one thread a row up to 4096 columns.
// Below 2^-126 a kernel may flush to zero: x itself, or a square, or x times the scale. The last term allows that.
//
//   E = |y| u (24 + N/64) + 2^-126 (1 + |weight| (1 + 1 / sqrt(mean(x^2) + eps)))
//
// An output in half or bfloat16 is rounded once, at the end; E is what the float before that rounding may be off.
#include <cstddef>
#include <span>

#include "common/operators/operator.hpp"

namespace warpbook::operators {

/// Writes value and bound of the row of `y` that starts at element `first`, from x [cols] and weight [cols] (empty: 1).
void expect_rms_row(std::span<const double> x, std::span<const double> weight, double eps, std::size_t first, Expected& y);

}  // namespace warpbook::operators
