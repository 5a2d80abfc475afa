#pragma once
// The sources that the lines of a recording lie in.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "judge/trace/recording.hpp"

namespace warpbook::trace {

/// [{name, text, own}], the recorded file first, then headers of the workbook below `root` that `sites` name. Frames of `sites` become
/// [number, line, function]; those of other files (CUDA's own) are left out, and the viewer shows the line that called into them.
nlohmann::json sources(const std::filesystem::path& root, const std::string& own_name, const std::string& own_text, nlohmann::json& sites);

/// Puts what a recording says into the page's data: kernel, launch, window, files, sites, registers, watches, regions, shared, stream. The
/// recorded file is `own_text`, called `own_name`.
void put_recording(nlohmann::json& data, Recording recording, const std::filesystem::path& root, const std::string& own_name,
                   const std::string& own_text);

}  // namespace warpbook::trace
