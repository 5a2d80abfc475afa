#pragma once
// Small questions about text that every reader of lines asks.
#include <string_view>

namespace warpbook {

/// The text without white space at both ends.
std::string_view trimmed(std::string_view text);

}  // namespace warpbook
