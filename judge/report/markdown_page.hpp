#pragma once
// Lesson texts, hints and questions for the browser: Markdown through md4c as HTML that is safe to put into a page. Formulas stay TeX,
// `<span class="math">` and `<div class="math">`, and are drawn in the page.
#include <string>
#include <string_view>

namespace warpbook::report {

struct PageOptions {
  std::string pictures;  ///< in front of the name of a picture: "/api/tasks/05-layernorm/figures/"; empty: pictures become their words
};

/// HTML of a text. Of the text's own tags only <details>, <summary> and their ends are taken over, each opened one closed; all else is
/// escaped, and comments are dropped. Links lead to http, https or a place in the same page, or they stay words.
std::string render_page(std::string_view markdown, const PageOptions& options);

/// The same without the paragraph around a text that is one: for the inside of a label or a button.
std::string render_phrase(std::string_view markdown);

}  // namespace warpbook::report
