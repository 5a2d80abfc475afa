#pragma once
// The sources that the lines of a recording lie in.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace warpbook::trace {

/// [{name, text, own}], the recorded file first, then headers of the workbook below `root` that `sites` name. Frames of `sites` become
/// [number, line, function]; those of other files (CUDA's own) are left out, and the viewer shows the line that called into them.
nlohmann::json sources(const std::filesystem::path& root, const std::string& own_name, const std::string& own_text, nlohmann::json& sites);

}  // namespace warpbook::trace
