#pragma once
// One self-contained page: the template, the viewer's style and scripts, and the data. The viewer asks nobody for anything, so the file can
// be mailed, opened from a disk, or embedded; whoever embeds it takes viewer_script() and viewer_style() and gives the data himself.
#include <nlohmann/json.hpp>
#include <string>

namespace warpbook::trace {

/// All scripts in the order in which they need each other; they leave one name, WarpTrace, with its function mount(element, data).
std::string viewer_script();
std::string viewer_style();

/// The page. `data`: what README.md calls "the data".
std::string make_page(const nlohmann::json& data);

}  // namespace warpbook::trace
