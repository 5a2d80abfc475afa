#pragma once
// Lines over a stream socket.
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "judge/base/error.hpp"

namespace warpbook::store {

/// One end of a connection on which both sides speak in lines. Does not own the descriptor.
class LineSocket {
 public:
  /// `patience`: how long one line may take to go or to come; nothing: coming lines are waited for without end.
  LineSocket(int descriptor, std::size_t longest, std::optional<std::chrono::seconds> patience);

  /// The line without its end; nothing when the other side has closed between two lines. Errors: it closed within one, takes too long,
  /// or the line is longer than `longest` bytes.
  Result<std::optional<std::string>> read();
  Status write(std::string line);

 private:
  int descriptor_;
  std::size_t longest_;
  std::string buffer_;
};

}  // namespace warpbook::store
