#include "judge/classroom/csv.hpp"

#include <fmt/format.h>

#include "judge/base/files.hpp"

namespace warpbook::classroom {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

Error csv_error(int line, int column, std::string what) { return Error{std::move(what), Where{{}, line, column}}; }

/// A text and how far it was read.
class Characters {
 public:
  explicit Characters(std::string_view text) : text_(text) {}
  bool at_end() const { return next_ == text_.size(); }
  bool at_row_end() const { return at_end() || peek() == '\n' || peek() == '\r'; }
  char peek() const { return text_[next_]; }
  char take() {
    const char c = text_[next_++];
    const bool first_of_two = c == '\r' && !at_end() && peek() == '\n';
    if ((c == '\n' || c == '\r') && !first_of_two) {
      ++line;
      column = 1;
    } else if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) {
      ++column;  // a character of UTF-8 is one, however many bytes it has
    }
    return c;
  }
  int line = 1, column = 1;

 private:
  std::string_view text_;
  std::size_t next_ = 0;
};

Status append(CsvCell& cell, char c) {
  if (cell.text.size() == kLongestCell)
    return csv_error(cell.line, cell.column, fmt::format("a cell has more than {} bytes", kLongestCell));
  cell.text += c;
  return Done{};
}

/// The cell at whose opening quote `from` stands; afterwards it stands behind the closing one.
Result<CsvCell> read_quoted(Characters& from) {
  CsvCell cell{{}, from.line, from.column};
  from.take();
  while (!from.at_end()) {
    const char c = from.take();
    const bool quote = c == '"';
    if (quote && (from.at_end() || from.peek() != '"')) return cell;
    if (quote) from.take();
    if (Status ok = append(cell, c); !ok) return ok.error();
  }
  return csv_error(cell.line, cell.column, "a quote has no end");
}

Result<CsvCell> read_plain(Characters& from) {
  CsvCell cell{{}, from.line, from.column};
  while (!from.at_row_end() && from.peek() != ',') {
    const int line = from.line, column = from.column;
    const char c = from.take();
    if (c == '"')
      return csv_error(line, column, "a quote stands in the middle of a cell, expected the whole cell in quotes and this one doubled");
    if (Status ok = append(cell, c); !ok) return ok.error();
  }
  return cell;
}

Result<CsvRow> read_row(Characters& from) {
  CsvRow row;
  for (;;) {
    const bool quoted = !from.at_end() && from.peek() == '"';
    Result<CsvCell> cell = quoted ? read_quoted(from) : read_plain(from);
    if (!cell) return cell.error();
    row.push_back(std::move(*cell));
    if (from.at_row_end()) break;
    if (from.peek() != ',')
      return csv_error(from.line, from.column, "text follows a cell in quotes, expected a comma or the end of the line");
    from.take();
  }
  if (from.at_end()) return row;
  if (from.take() == '\r' && !from.at_end() && from.peek() == '\n') from.take();
  return row;
}

}  // namespace

Result<std::vector<CsvRow>> read_csv(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (const std::size_t good = text_length(text); good < text.size()) {
    Characters at(text.substr(0, good));
    while (!at.at_end()) at.take();
    return csv_error(at.line, at.column, "is not UTF-8 text; save the list as \"CSV UTF-8\"");
  }
  std::vector<CsvRow> rows;
  for (Characters from(text); !from.at_end();) {
    Result<CsvRow> row = read_row(from);
    if (!row) return row.error();
    const bool empty = row->size() == 1 && row->front().text.empty();
    if (!empty) rows.push_back(std::move(*row));
  }
  return rows;
}

std::string csv_cell(std::string_view text) {
  constexpr std::string_view kFormula = "=+-@\t\r";
  std::string cell(text);
  if (!cell.empty() && kFormula.find(cell.front()) != std::string_view::npos) cell.insert(0, 1, '\'');
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string out = "\"";
  for (const char c : cell) out.append(c == '"' ? 2 : 1, c);
  return out + '"';
}

}  // namespace warpbook::classroom
