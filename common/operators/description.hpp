#pragma once
// An operator's file says what it is in one table (Description) and one function; the class around them is always the same
// and lives here, with the few things that all references share.
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/operators/operator.hpp"

namespace warpbook::operators {

/// Unit roundoff of float: one correctly rounded operation errs by at most this share of its result.
inline constexpr double kU = 0x1p-24;

/// What operator.hpp asks of an operator, as data.
struct Description {
  std::string name;
  std::vector<Tensor> tensors;
  std::vector<Scalar> scalars;
  std::vector<std::string> default_parameters;
  std::vector<std::string> bounds;
  /// Called with complete inputs and a bound out of `bounds`.
  std::vector<Expected> (*expect)(const Arguments& arguments, std::string_view bound);
};

/// The operator that a description describes.
class DescribedOperator final : public Operator {
 public:
  explicit DescribedOperator(Description description) : description_(std::move(description)) {}
  std::string_view name() const override { return description_.name; }
  const std::vector<Tensor>& tensors() const override { return description_.tensors; }
  const std::vector<Scalar>& scalars() const override { return description_.scalars; }
  const std::vector<std::string>& default_parameters() const override { return description_.default_parameters; }
  std::vector<std::string> bounds() const override { return description_.bounds; }
  std::vector<Expected> expect(const Arguments& arguments, std::string_view bound) const override;

 private:
  Description description_;
};

/// The elements of an input; empty when it is absent.
std::span<const double> values_of(const Arguments& arguments, std::string_view tensor);

/// A scalar as the kernel gets it, rounded to float.
double float_scalar(const Arguments& arguments, std::string_view name, double otherwise);

/// A scalar that counts: rows, columns, keys.
std::int64_t count_scalar(const Arguments& arguments, std::string_view name, double otherwise);

/// An output of that shape, every value and bound 0.
Expected blank_expectation(std::string_view tensor, std::int64_t rows, std::int64_t cols);

/// Sum of doubles with a running correction, as if in twice the precision (A. Neumaier, Zeitschrift für Angewandte
/// Mathematik und Mechanik 54, 1974, 39-51). A plain sum of 152,064 doubles would do for the bounds; this one also gives
/// constant rows a variance of exactly 0.
class CompensatedSum {
 public:
  void add(double x) {
    const double t = sum_ + x;
    correction_ += std::fabs(sum_) >= std::fabs(x) ? (sum_ - t) + x : (x - t) + sum_;
    sum_ = t;
  }
  /// The sum; infinite or NaN when a plain sum is.
  double value() const { return std::isfinite(sum_) ? sum_ + correction_ : sum_; }

 private:
  double sum_ = 0, correction_ = 0;
};

}  // namespace warpbook::operators
