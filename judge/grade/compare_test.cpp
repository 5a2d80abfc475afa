#include "judge/grade/compare.hpp"

#include <cmath>
#include <limits>

#include "judge/tests/catch.hpp"

using namespace warpbook;
using namespace warpbook::grade;
using task::CheckKind;

namespace {
const double kNan = std::numeric_limits<double>::quiet_NaN();
const double kInf = std::numeric_limits<double>::infinity();

Comparison compare_one(double expected, double bound, double got, CheckKind check = CheckKind::kBound, double magnitude = 0) {
  const operators::Expected e{"y", 1, 1, {expected}, {bound}};
  const std::vector<double> g{got};
  return compare(e, g, {false}, check, magnitude);
}
}  // namespace

TEST_CASE("an element is accepted up to and including its bound") {
  CHECK(compare_one(1, 0.5, 1.5).accepted);
  CHECK_FALSE(compare_one(1, 0.5, 1.50001).accepted);
  CHECK(compare_one(1, 0.5, 1.6).reason == Reason::kValue);
  CHECK(compare_one(0, 0, -0.0).accepted);
  CHECK_FALSE(compare_one(0, 0, 1e-40).accepted);
}

TEST_CASE("a NaN never passes where a number is expected, a number never where NaN is") {
  CHECK(compare_one(1, kInf, kNan).reason == Reason::kNotFinite);
  CHECK_FALSE(compare_one(1, kNan, 1.1).accepted);
  CHECK_FALSE(compare_one(kNan, 1, 0).accepted);
  CHECK(compare_one(kNan, 0, kNan).accepted);
  CHECK(compare_one(kInf, 0, kInf).accepted);
  CHECK_FALSE(compare_one(kInf, 0, -kInf).accepted);
}

TEST_CASE("finite asks only for finite values of stated size") {
  CHECK(compare_one(1, 0, 900, CheckKind::kFinite, 1000).accepted);
  CHECK(compare_one(1, 0, -1001, CheckKind::kFinite, 1000).reason == Reason::kValue);
  CHECK(compare_one(1, 0, kInf, CheckKind::kFinite, 1000).reason == Reason::kNotFinite);
}

TEST_CASE("what was not written is said first, and the worst element is named") {
  const operators::Expected e{"y", 2, 2, {1, 2, 3, 4}, {0.1, 0.1, 0.1, 0.1}};
  const std::vector<double> got{1, 2.2, kNan, 9};
  auto c = compare(e, got, {false, false, true, false}, CheckKind::kBound, 0);
  CHECK(c.reason == Reason::kUnwritten);
  CHECK(c.worst.row == 1);
  CHECK(c.worst.column == 0);
  CHECK(c.worst.over == 3);
  CHECK(c.worst.total == 4);
  c = compare(e, std::vector<double>{1, 2.2, 3, 9}, {false, false, false, false}, CheckKind::kBound, 0);
  CHECK(c.reason == Reason::kValue);
  CHECK(c.worst.column == 1);
  CHECK(c.worst.error == 5);
}

TEST_CASE("16-bit outputs are compared before their rounding") {
  const auto one = [](double expected, double bound, double got, inputs::DType type) {
    return compare({"y", 1, 1, {expected}, {bound}}, std::vector<double>{got}, {false}, CheckKind::kBound, 0, type);
  };
  using inputs::DType;
  const double step = 0x1p-7;  // of bfloat16 from 1 to 2
  const double reference = 1 + 0.4 * step;
  CHECK(one(reference, 1e-6, 1, DType::kBF16).accepted);
  CHECK(one(reference, 1e-6, 1, DType::kBF16).worst.error == 0);
  // the next value is right only where the bound reaches the middle, half a step above 1
  CHECK_FALSE(one(reference, 0.09 * step, 1 + step, DType::kBF16).accepted);
  CHECK(one(reference, 0.11 * step, 1 + step, DType::kBF16).accepted);
  const Comparison c = one(reference, 0.05 * step, 1 + step, DType::kBF16);
  CHECK(c.reason == Reason::kValue);
  CHECK(c.worst.expected == 1);
  CHECK(c.worst.error == Approx(0.1 * step));
  CHECK(c.worst.bound == 0.05 * step);
  // as float the same two numbers are told apart by their difference
  CHECK_FALSE(one(reference, 1e-6, 1, DType::kF32).accepted);
  // bound 0: bit for bit, and a tie to even is no other value's
  CHECK(one(1 + step / 2, 0, 1, DType::kBF16).accepted);
  CHECK_FALSE(one(1 + step / 2, 0, 1 + step, DType::kBF16).accepted);
}

TEST_CASE("half overflows where the reference does") {
  const auto one = [](double expected, double got) {
    return compare({"y", 1, 1, {expected}, {0.5}}, std::vector<double>{got}, {false}, CheckKind::kBound, 0, inputs::DType::kF16);
  };
  CHECK(one(70000, kInf).accepted);
  CHECK(one(65519.8, kInf).accepted);
  CHECK(one(65519.8, 65504).accepted);
  CHECK(one(65519, kInf).reason == Reason::kNotFinite);
  CHECK(one(70000, 65504).reason == Reason::kValue);
  CHECK(one(1, kNan).reason == Reason::kNotFinite);
  CHECK(one(kNan, kNan).accepted);
}
