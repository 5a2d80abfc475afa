#pragma once
// Expected failures are values. A function that can fail returns Result<T>: either what was asked for or an Error that says
// where, what is, and what should be. Exceptions are left to our own bugs.
#include <string>
#include <utility>
#include <variant>

namespace warpbook {

/// A place in a file. Line and column count from 1; 0 means "not known".
struct Where {
  std::string file;
  int line = 0;
  int column = 0;
};

/// What went wrong, in one sentence (lower case, no full stop), with the place it concerns.
struct Error {
  std::string what;
  Where where{};
  std::string source_line{};  ///< the text of `where.line`, shown with a caret when given

  /// `file:line:col: error: what`, then the source line and a caret under `where.column`; ends without a newline.
  std::string text() const;
};

/// A value or an Error.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}
  explicit operator bool() const { return state_.index() == 0; }
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const Error& error() const& { return std::get<1>(state_); }
  Error&& error() && { return std::get<1>(std::move(state_)); }

 private:
  std::variant<T, Error> state_;
};

/// Success without a value.
struct Done {};
using Status = Result<Done>;

}  // namespace warpbook
