#pragma once
// Formulas of the lessons as one line of text: \frac{a}{b} becomes a/b, \sqrt{x} becomes √(x), Greek letters and signs become themselves.
// A small part of LaTeX, the part that lessons use; what it does not know stays as it is written.
#include <string>
#include <string_view>

namespace warpbook::report {

std::string math_text(std::string_view latex);

}  // namespace warpbook::report
