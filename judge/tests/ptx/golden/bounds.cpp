// Our results are correctly rounded, those of a GPU lie within PTX's bound of the exact value: the two may differ by the bound and half a
// unit in the last place. Zeros, infinities and NaN have to be the same.
#include "judge/tests/ptx/golden/bounds.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace warpbook::golden {
namespace {

struct Format {
  int bits, mantissa, exponent;
};

constexpr Format kF16{16, 10, 5}, kBF16{16, 7, 8}, kF32{32, 23, 8}, kF64{64, 52, 11};

double value_of(std::uint64_t bits, Format f) {
  const std::uint64_t mantissa = bits & ((std::uint64_t{1} << f.mantissa) - 1);
  const auto exponent = static_cast<int>(bits >> f.mantissa & ((std::uint64_t{1} << f.exponent) - 1));
  const int bias = (1 << (f.exponent - 1)) - 1, top = (1 << f.exponent) - 1;
  const double sign = (bits >> (f.bits - 1) & 1) != 0 ? -1 : 1;
  if (exponent == top) return mantissa != 0 ? std::nan("") : sign * INFINITY;
  const auto digits = static_cast<double>(mantissa | (exponent == 0 ? 0 : std::uint64_t{1} << f.mantissa));
  return sign * std::ldexp(digits, (exponent == 0 ? 1 : exponent) - bias - f.mantissa);
}

double unit_of(double value, Format f) {
  const int lowest = 2 - (1 << (f.exponent - 1)) - f.mantissa;
  return std::ldexp(1.0, std::max(value == 0 ? lowest : std::ilogb(value) - f.mantissa, lowest));
}

/// How far a result of the instruction may lie from the exact one, `operand` being its first source.
double bound(const std::string& key, double exact, double operand, Format f) {
  const double unit = unit_of(exact, f), size = std::fabs(exact);
  constexpr double kHundredPi = 314.16, kTwoPi = 6.2832;
  if (key.starts_with("sin") || key.starts_with("cos")) {
    if (std::fabs(operand) > kHundredPi) return 2;  // no more than best effort is promised
    return std::exp2(std::fabs(operand) <= kTwoPi ? -20.5 : -14.7);
  }
  if (key.starts_with("lg2")) return operand > 0.5 && operand < 2 ? std::exp2(-22) : size * std::exp2(-22);
  if (key.starts_with("tanh")) {
    if (f.bits == 32) return size * std::exp2(-11);
    return f.mantissa == kF16.mantissa ? std::exp2(-10.987) : std::exp2(-8);
  }
  if (key.starts_with("ex2")) {
    if (f.bits == 32) return 2 * unit;
    return std::max(unit, size * (f.mantissa == kF16.mantissa ? std::exp2(-9.9) : std::exp2(-7)));  // a denormal has no such precision
  }
  if (f.bits == 64) return size * std::exp2(-20);  // rcp and rsqrt give the upper 32 bits only
  if (key.starts_with("sqrt")) return size * std::exp2(-23);
  if (key.starts_with("rsqrt")) return size * std::exp2(-22.9);
  return key.starts_with("div") ? 2 * unit : unit;
}

bool is_near(const std::string& key, std::uint64_t expected, std::uint64_t got, double operand, Format f) {
  if (expected == got) return true;
  const double theirs = value_of(expected, f), ours = value_of(got, f);
  if (!std::isfinite(theirs) || !std::isfinite(ours)) return false;
  return std::fabs(theirs - ours) <= bound(key, ours, operand, f) + unit_of(ours, f) / 2;
}

}  // namespace

bool is_approximate(const Kernel& kernel) {
  return kernel.key.find(".approx") != std::string::npos || kernel.key.find(".full") != std::string::npos;
}

bool within_bounds(const Kernel& kernel, std::span<const std::uint8_t> expected, std::span<const std::uint8_t> got) {
  if (!is_approximate(kernel) || expected.size() != got.size()) return false;
  const std::string type = kernel.key.substr(kernel.key.rfind('.') + 1);
  const Format f = type.starts_with("f16") ? kF16 : type.starts_with("bf16") ? kBF16 : type == "f64" ? kF64 : kF32;
  const auto element = static_cast<std::size_t>(f.bits) / 8;
  const std::size_t record = kernel.input.size() / static_cast<std::size_t>(kernel.threads);
  for (std::size_t at = 0; at < expected.size(); at += element) {
    std::uint64_t theirs = 0, ours = 0, operand = 0;
    std::memcpy(&theirs, &expected[at], element);
    std::memcpy(&ours, &got[at], element);
    std::memcpy(&operand, &kernel.input[at / kernel.lane_bytes * record + at % kernel.lane_bytes], element);
    if (!is_near(kernel.key, theirs, ours, value_of(operand, f), f)) return false;
  }
  return true;
}

}  // namespace warpbook::golden
