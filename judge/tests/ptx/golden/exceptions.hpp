#pragma once
// Kernels whose answer here is known to be another one than the H200's, or that have none, each with the reason. The comparison fails
// for an exception that no longer is one.
#include <optional>
#include <string_view>

namespace warpbook::golden {

/// Why a kernel is not held to its recorded answer, if so.
std::optional<std::string_view> exception(std::string_view key);

/// Whether lanes that a guard switches off are not compared: ptxas 13.0 makes several instructions of testp, and of `set` into a float or
/// from 16 bits, of which the last has no guard, so that on hardware those lanes change.
bool guard_is_overlooked(std::string_view key);

}  // namespace warpbook::golden
