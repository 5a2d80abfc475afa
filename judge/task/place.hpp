#pragma once
// Where in a text: byte offsets become lines and columns, and errors take their source line along.
#include <cstddef>
#include <string>
#include <string_view>

#include "judge/base/error.hpp"

namespace warpbook::task {

/// Line and column of a byte offset, both from 1; columns count bytes. An offset past the end means the end.
Where place_of(std::string_view text, std::size_t offset, const std::string& file);

/// The text of a line (from 1) without its end, cut to what a terminal can show; empty for a line that does not exist.
std::string line_of(std::string_view text, int line);

/// An Error about the byte at `offset` of `text`, with its source line.
Error error_at(std::string_view text, std::size_t offset, const std::string& file, std::string what);

/// An Error about a line and column of `text`, with its source line.
Error error_at_line(std::string_view text, int line, int column, const std::string& file, std::string what);

/// An Error about the byte at `offset`, which is no UTF-8; without its source line, which no terminal should be sent.
Error not_text(std::string_view bytes, std::size_t offset, const std::string& file, std::string_view expected);

}  // namespace warpbook::task
