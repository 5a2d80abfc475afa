#pragma once
// Code in the text of a lesson is shown from the file itself, by the name of a region, and never pasted.
#include <filesystem>
#include <string>
#include <string_view>

#include "judge/base/error.hpp"

namespace warpbook::task {

/// The lines between `// region NAME` and `// endregion NAME`, without region markers inside and without common indentation.
Result<std::string> code_region(std::string_view source, const std::string& file, std::string_view name);

/// Markdown with every line `{{code FILE#NAME}}` replaced by that region as a fenced block. FILE lies in `folder`. Errors name the
/// line of the Markdown, or of the source when its markers do not pair up. Fenced blocks of the Markdown are left alone.
Result<std::string> expand_regions(std::string_view markdown, const std::string& markdown_file, const std::filesystem::path& folder);

}  // namespace warpbook::task
