#pragma once
// An operator is what a task computes, told three ways: the signature of its launch function, the value in fp64, and how far
// a correct fp32 kernel may be from it (docs of each bound stand beside its code; the figures were tried in shared numbers).
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/inputs/spec.hpp"

namespace warpbook::operators {

enum class Role { kInput, kOutput, kInOut };
enum class Shape { kMatrix, kRowVector, kColumnVector };  ///< [rows, cols], [cols], [rows]

/// Rows and columns of a tensor in a case of rows x cols: a row vector is one row, a column vector rows of one column.
struct Extents {
  std::int64_t rows = 0, cols = 0;
  bool operator==(const Extents&) const = default;
};

/// Scalars by name.
using ScalarValues = std::map<std::string, double, std::less<>>;

/// A tensor of the launch function.
struct Tensor {
  std::string name;
  Role role = Role::kInput;
  Shape shape = Shape::kMatrix;
  inputs::DType type = inputs::DType::kF32;
  bool optional = false;        ///< may be absent (null)
  inputs::Fill default_fill{};  ///< used when a case does not name the tensor
  std::string meaning{};        ///< shown to learners: "[rows, cols], row stride x_stride"
  /// How many rows and columns where it is not what the shape says: a product of scalars of the operator and of whole numbers
  /// ("k", "rows * keys"). Of a matrix both may be named, of a vector the one that it has. Empty: the rows and cols of the case.
  std::string row_count{}, col_count{};
};

/// A scalar of the launch function. `rows`, `cols` and every `<tensor>_stride` are filled from the case by name; any other
/// keeps `default_value` unless the case gives it. A manifest lists those its launch function takes (default_parameters
/// otherwise); what it does not list still reaches expect().
struct Scalar {
  std::string name;
  std::string c_type;  ///< "int", "float", "long long"
  double default_value = 0;
};

/// One tensor's logical elements in row-major order without padding, as double; absent tensors are empty.
struct Values {
  std::int64_t rows = 0, cols = 0;
  std::vector<double> data;
};

/// What an operator is given: the inputs exactly as the kernel sees them (rounded to their element type), and the scalars.
struct Arguments {
  std::int64_t rows = 0, cols = 0;
  std::map<std::string, Values, std::less<>> tensors;
  ScalarValues scalars;
};

/// The answer for one output: value and largest allowed |error| per logical element, row-major. A NaN or infinite value must
/// be met by the same class (NaN by NaN, +inf by +inf); its bound is ignored.
struct Expected {
  std::string tensor;
  std::int64_t rows = 0, cols = 0;
  std::vector<double> value;
  std::vector<double> bound;
  /// 1 where the contract says nothing of an element: it must be written, and any value is right. Empty: nowhere.
  std::vector<std::uint8_t> open{};

  bool is_open(std::size_t i) const { return i < open.size() && open[i] != 0; }
};

/// An operator of the workbook. Implementations are stateless; one instance each lives in registry.cpp.
class Operator {
 public:
  virtual ~Operator() = default;
  virtual std::string_view name() const = 0;
  virtual const std::vector<Tensor>& tensors() const = 0;
  virtual const std::vector<Scalar>& scalars() const = 0;
  /// Names of tensors and scalars in the order of the launch function's parameters, when the manifest does not give its own.
  virtual const std::vector<std::string>& default_parameters() const = 0;
  /// Names of the bounds this operator knows; the first is the default (layernorm: "two-pass", "two-moment").
  virtual std::vector<std::string> bounds() const = 0;
  /// fp64 reference and error bound of every output, in the order of tensors(). An empty name means the first bound. Returns
  /// nothing when an input is missing or of the wrong size, or the bound is unknown: that is the caller's mistake (JE).
  virtual std::vector<Expected> expect(const Arguments& arguments, std::string_view bound) const = 0;
};

/// Rows and columns of a tensor of `op` in a case of rows x cols; scalars that are not given have their defaults. Nothing when a
/// count names no scalar of the operator, when its value is not a whole number from 0, or when a count passes 2^53.
std::optional<Extents> extents_of(const Operator& op, const Tensor& tensor, std::int64_t rows, std::int64_t cols,
                                  const ScalarValues& scalars);

/// Whether a scalar of that name decides how many rows or columns some tensor of the operator has; rows and cols do.
bool counts_elements(const Operator& op, std::string_view scalar);

/// Whether two tensors have the same rows and columns in every case.
bool same_extents(const Tensor& a, const Tensor& b);

/// The operator of that name, or null.
const Operator* find_operator(std::string_view name);
/// Every operator's name, sorted.
std::vector<std::string> operator_names();

}  // namespace warpbook::operators
