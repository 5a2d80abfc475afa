#pragma once
// Reading and writing whole files. Writing is atomic: a reader sees the old file or the new one, never half of one.
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "judge/base/error.hpp"

namespace warpbook {

/// The largest source or text file the judge reads (1 MiB); a learner's kernel is a few kilobytes.
inline constexpr std::uint64_t kLargestText = 1u << 20;

/// The bytes of a regular file; an error that names a missing file, a directory, a permission or a size above `limit` bytes.
Result<std::string> read_file(const std::filesystem::path& path, std::uint64_t limit = kLargestText);

/// Writes next to the target, flushes to disk and renames; leaves no temporary file behind on failure. A link is followed and stays one, a
/// file keeps its mode, and one without any permission to write is refused.
Status write_file(const std::filesystem::path& path, std::string_view bytes);

/// Lines without their ends (`\n` or `\r\n`); a final newline does not open another line.
std::vector<std::string> split_lines(std::string_view text);

/// How many of the first bytes are text: no NUL, valid UTF-8. What follows them is not.
std::size_t text_length(std::string_view bytes);
/// True when all are.
bool is_text(std::string_view bytes);

}  // namespace warpbook
