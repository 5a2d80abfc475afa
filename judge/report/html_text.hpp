#pragma once
// Text inside HTML.
#include <string>
#include <string_view>

namespace warpbook::report {

/// `text` with & < > " ' as entities: harmless as the content of an element and inside a quoted attribute.
std::string html_escaped(std::string_view text);

}  // namespace warpbook::report
