#pragma once
// Comma-separated values as RFC 4180 has them, read and written.
#include <string>
#include <string_view>
#include <vector>

#include "judge/base/error.hpp"

namespace warpbook::classroom {

struct CsvCell {
  std::string text;
  int line = 1, column = 1;  ///< where it begins, counted in characters from 1
};
using CsvRow = std::vector<CsvCell>;

/// Longest cell that is read, in bytes.
inline constexpr std::size_t kLongestCell = 4096;

/// The rows of a text; lines that are empty are none. Rows end with LF, CRLF or CR; a byte order mark in front is passed over. Errors name
/// line and column: text that is not UTF-8 or holds a NUL, a cell that is too long, a quote in the middle of a cell or without its end.
Result<std::vector<CsvRow>> read_csv(std::string_view text);

/// A cell as it is written: in quotes where it must be. One that a spreadsheet would take for a formula (= + - @ TAB CR in front) gets an
/// apostrophe before it.
std::string csv_cell(std::string_view text);

}  // namespace warpbook::classroom
