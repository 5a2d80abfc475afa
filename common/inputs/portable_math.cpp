#include "common/inputs/portable_math.hpp"

#include <array>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>

namespace warpbook::inputs {
namespace {

static_assert(FLT_EVAL_METHOD == 0, "doubles must be computed as doubles");

// ln 2 in two parts: the first has 20 trailing zero bits, so that its product with an exponent is exact.
constexpr double kLn2High = 0x1.62e42fefp-1;
constexpr double kLn2Low = 0x1.473de6af278edp-34;
constexpr double kSqrtHalf = 0x1.6a09e667f3bcdp-1;
constexpr int kMantissaBits = 52;
constexpr int kExponentBias = 1023;

/// 2^e for a normal result.
double power_of_two(int e) { return std::bit_cast<double>(static_cast<std::uint64_t>(e + kExponentBias) << kMantissaBits); }

/// Horner's rule; coefficients from the constant term upwards.
template <std::size_t N>
double polynomial(const std::array<double, N>& coefficients, double x) {
  double value = coefficients[N - 1];
  for (std::size_t i = N - 1; i-- > 0;) value = value * x + coefficients[i];
  return value;
}

// The three rational approximations of AS 241, constant term first: centre, tail, far tail.
constexpr std::array<double, 8> kCentreTop = {3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3,
                                              1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                              3.3430575583588128105e+4, 2.5090809287301226727e+3};
constexpr std::array<double, 8> kCentreBottom = {1.0,
                                                 4.2313330701600911252e+1,
                                                 6.8718700749205790830e+2,
                                                 5.3941960214247511077e+3,
                                                 2.1213794301586595867e+4,
                                                 3.9307895800092710610e+4,
                                                 2.8729085735721942674e+4,
                                                 5.2264952788528545610e+3};
constexpr std::array<double, 8> kTailTop = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                                            3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                                            2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr std::array<double, 8> kTailBottom = {1.0,
                                               2.05319162663775882187e0,
                                               1.67638483018380384940e0,
                                               6.89767334985100004550e-1,
                                               1.48103976427480074590e-1,
                                               1.51986665636164571966e-2,
                                               5.47593808499534494600e-4,
                                               1.05075007164441684324e-9};
constexpr std::array<double, 8> kFarTop = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                                           2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                           2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr std::array<double, 8> kFarBottom = {1.0,
                                              5.99832206555887937690e-1,
                                              1.36929880922735805310e-1,
                                              1.48753612908506148525e-2,
                                              7.86869131145613259100e-4,
                                              1.84631831751005468180e-5,
                                              1.42151175831644588870e-7,
                                              2.04426310338993978564e-15};
constexpr double kCentreHalfWidth = 0.425;  // the centre covers |p - 1/2| up to here
constexpr double kCentreShift = 0.180625;   // its square
constexpr double kTailEnd = 5.0;            // of sqrt(-ln p)
constexpr double kTailShift = 1.6;

}  // namespace

double portable_log(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  int exponent = static_cast<int>(bits >> kMantissaBits) - kExponentBias;
  double m = x * power_of_two(exponent == kExponentBias ? 1 - exponent : -exponent);  // [1, 2); 2^-1023 is no normal number
  if (exponent == kExponentBias) m *= 0.5;
  if (m > 2 * kSqrtHalf) {
    m *= 0.5;
    ++exponent;
  }
  // ln m = 2 artanh(s), s = (m - 1) / (m + 1), |s| <= 0.172: the terms to s^21 leave less than 2^-57 of the value.
  constexpr int kLastPower = 21;
  const double s = (m - 1) / (m + 1);
  const double s2 = s * s;
  double tail = 0;
  for (int power = kLastPower; power >= 3; power -= 2) tail = (tail + 1.0 / power) * s2;
  return exponent * kLn2High + (exponent * kLn2Low + 2 * (s + s * tail));
}

double portable_exp(double x) {
  constexpr double kOverflow = 709.782712893384, kUnderflow = -745.2;
  if (std::isnan(x)) return x;
  if (x > kOverflow) return std::numeric_limits<double>::infinity();
  if (x < kUnderflow) return 0;
  // e^x = 2^k e^r with |r| <= ln 2 / 2: the series to r^14 leaves less than 2^-60.
  constexpr int kLastTerm = 14;
  const double k = std::floor(x / (kLn2High + kLn2Low) + 0.5);
  const double r = (x - k * kLn2High) - k * kLn2Low;
  double value = 1;
  for (int term = kLastTerm; term >= 1; --term) value = 1 + value * r / term;
  const int half = static_cast<int>(k) / 2;  // in two steps: 2^k alone may leave the normal range
  return value * power_of_two(half) * power_of_two(static_cast<int>(k) - half);
}

double normal_quantile(double p) {
  const double q = p - 0.5;
  if (std::fabs(q) <= kCentreHalfWidth) {
    const double r = kCentreShift - q * q;
    return q * polynomial(kCentreTop, r) / polynomial(kCentreBottom, r);
  }
  const double r = std::sqrt(-portable_log(q < 0 ? p : 1 - p));
  const double z = r <= kTailEnd ? polynomial(kTailTop, r - kTailShift) / polynomial(kTailBottom, r - kTailShift)
                                 : polynomial(kFarTop, r - kTailEnd) / polynomial(kFarBottom, r - kTailEnd);
  return q < 0 ? -z : z;
}

}  // namespace warpbook::inputs
