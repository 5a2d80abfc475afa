#include "judge/task/number_text.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

namespace warpbook::task {
namespace {

bool take_hex_prefix(std::string_view& text) {
  if (text.size() < 3 || text[0] != '0' || (text[1] != 'x' && text[1] != 'X')) return false;
  text.remove_prefix(2);
  return true;
}

}  // namespace

std::optional<double> parse_number(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  const auto signed_value = [&](double value) { return negative ? -value : value; };
  if (text == "inf") return signed_value(std::numeric_limits<double>::infinity());
  if (text == "nan") return signed_value(std::numeric_limits<double>::quiet_NaN());
  const auto format = take_hex_prefix(text) ? std::chars_format::hex : std::chars_format::general;
  // from_chars would also take a second sign, "infinity" and "nan(...)": only digits and a point may come first.
  if (text.empty() || !(std::isxdigit(static_cast<unsigned char>(text[0])) || text[0] == '.')) return std::nullopt;
  if (format == std::chars_format::general && std::isalpha(static_cast<unsigned char>(text[0]))) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, format);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return signed_value(value);
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  const bool negative = !text.empty() && text[0] == '-';
  if (negative) text.remove_prefix(1);
  const int base = take_hex_prefix(text) ? 16 : 10;
  if (text.empty() || text[0] == '-') return std::nullopt;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return negative ? -value : value;
}

std::string number_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return fmt::format("{}", value);
}

std::vector<std::string> words_of(std::string_view text) {
  constexpr std::string_view kBetween = " \t\r\n\v\f,";
  std::vector<std::string> words;
  while (true) {
    const std::size_t first = text.find_first_not_of(kBetween);
    if (first == std::string_view::npos) return words;
    text.remove_prefix(first);
    const std::size_t end = text.find_first_of(kBetween);
    words.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return words;
    text.remove_prefix(end);
  }
}

}  // namespace warpbook::task
