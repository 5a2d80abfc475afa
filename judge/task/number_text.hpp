#pragma once
// Numbers as people write them, the same in every locale.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpbook::task {

/// Decimal ("-1.5e3"), hexadecimal ("0x1.8p1"), "inf", "-inf", "nan", "-0"; nothing else around it.
std::optional<double> parse_number(std::string_view text);

/// Decimal or 0x-hexadecimal integer; nothing else around it.
std::optional<std::int64_t> parse_integer(std::string_view text);

/// Shortest text that parse_number turns back into exactly this value.
std::string number_text(double value);

/// The words between white space (and commas).
std::vector<std::string> words_of(std::string_view text);

}  // namespace warpbook::task
