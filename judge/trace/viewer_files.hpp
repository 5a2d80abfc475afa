#pragma once
// The viewer: its files as they lie in viewer/, built into the program (embed_viewer.cmake).
#include <functional>
#include <map>
#include <string>

namespace warpbook::trace {

/// By name: "page.html", "viewer.css", "viewer.js" ...
const std::map<std::string, std::string, std::less<>>& viewer_files();

}  // namespace warpbook::trace
