#pragma once
namespace warpbook {
/// Stands in every result, so that a verdict can be traced to the judge that gave it.
inline constexpr const char* kVersion = "0.1.0";
}  // namespace warpbook
