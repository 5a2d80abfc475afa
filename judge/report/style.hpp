#pragma once
// Colour and marks of the terminal. Off when the output is a pipe or NO_COLOR is set.
#include <string>
#include <string_view>

namespace warpbook::report {

enum class Ink { kPlain, kBold, kDim, kRed, kGreen, kYellow, kBlue };

struct Style {
  bool colour = false;
  int width = 100;  ///< columns of the terminal
  std::string paint(Ink ink, std::string_view text) const;
};

/// Colour when descriptor `fd` is a terminal, NO_COLOR is unset or empty and TERM is not "dumb".
Style style_for(int fd);

/// Columns that `text` takes on a terminal: wide characters (CJK) take two, combining marks and escape sequences none.
int display_width(std::string_view text);
/// `text` followed by blanks up to `width` columns.
std::string pad(std::string_view text, int width);
/// Breaks at blanks so that no line is wider than `width`; every line starts with `indent` blanks.
std::string wrap(std::string_view text, int width, int indent);

}  // namespace warpbook::report
