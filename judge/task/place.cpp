#include "judge/task/place.hpp"

#include <algorithm>

namespace warpbook::task {
namespace {

/// Longer lines are cut: a hostile file may consist of one line of a megabyte.
constexpr std::size_t kLongestShown = 240;

bool is_continuation_byte(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

}  // namespace

Where place_of(std::string_view text, std::size_t offset, const std::string& file) {
  offset = std::min(offset, text.size());
  const std::string_view before = text.substr(0, offset);
  const std::size_t newline = before.rfind('\n');
  const std::size_t start = newline == std::string_view::npos ? 0 : newline + 1;
  return Where{file, 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n')), 1 + static_cast<int>(offset - start)};
}

std::string line_of(std::string_view text, int line) {
  for (int at = 1; at < line; ++at) {
    const std::size_t newline = text.find('\n');
    if (newline == std::string_view::npos) return "";
    text.remove_prefix(newline + 1);
  }
  text = text.substr(0, text.find('\n'));
  if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
  if (text.size() <= kLongestShown) return std::string(text);
  std::size_t cut = kLongestShown;
  while (cut > 0 && is_continuation_byte(text[cut])) --cut;
  return std::string(text.substr(0, cut));
}

Error error_at(std::string_view text, std::size_t offset, const std::string& file, std::string what) {
  const Where where = place_of(text, offset, file);
  return error_at_line(text, where.line, where.column, file, std::move(what));
}

Error error_at_line(std::string_view text, int line, int column, const std::string& file, std::string what) {
  return Error{std::move(what), Where{file, line, column}, line_of(text, line)};
}

Error not_text(std::string_view bytes, std::size_t offset, const std::string& file, std::string_view expected) {
  return Error{"is not UTF-8 text, " + std::string(expected), place_of(bytes, offset, file)};
}

}  // namespace warpbook::task
