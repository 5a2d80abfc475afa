#pragma once
// Lesson texts on the terminal: Markdown through md4c, wrapped to the terminal's width. Figures become a line with their path, formulas
// become plain text (math_text.hpp), answers inside <details> stay folded unless asked for.
#include <string>
#include <string_view>

#include "judge/report/style.hpp"

namespace warpbook::report {

struct MarkdownOptions {
  Style style;
  bool unfold = false;  ///< show what stands inside <details>
};

std::string render_markdown(std::string_view markdown, const MarkdownOptions& options);

}  // namespace warpbook::report
