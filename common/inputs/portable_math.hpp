#pragma once
// Logarithm, exponential and normal quantile that give the same bits everywhere. The C library's do not: each libc rounds
// some arguments the other way, and one differing bit in an input is another input. What IEEE 754 does fix is + - * / and
// sqrt, so these use nothing else (and the build forbids the compiler to fuse: -ffp-contract=off). They are accurate to a
// few units in the last place of double, far more than a value that is rounded to float needs.

namespace warpbook::inputs {

/// Natural logarithm of a positive normal double.
double portable_log(double x);

/// e^x; inf above 709.78, 0 below about -745.
double portable_exp(double x);

/// The z with Phi(z) = p of the standard normal distribution, 0 < p < 1.
/// Algorithm AS 241 (PPND16): M. J. Wichura, Applied Statistics 37 (1988), 477-484.
double normal_quantile(double p);

}  // namespace warpbook::inputs
