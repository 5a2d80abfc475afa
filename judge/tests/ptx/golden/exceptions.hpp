#pragma once
// Kernels whose answer here is known to be another one than the H200's, or that have none, each with the reason. The comparison fails
// for an exception that no longer is one.
#include <optional>
#include <string_view>

namespace warpbook::golden {

/// Why a kernel is not held to its recorded answer, if so.
std::optional<std::string_view> exception(std::string_view key);

}  // namespace warpbook::golden
