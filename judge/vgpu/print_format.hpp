#pragma once
// printf as kernels have it: a format and a buffer of arguments, each aligned to its size.
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace warpbook::vgpu {

/// Reads the next argument of 4 or 8 bytes from the buffer.
using NextArgument = std::function<std::uint64_t(int bytes)>;
/// The text behind a pointer given to %s.
using TextAt = std::function<std::string(std::uint64_t address)>;

/// The formatted text. A conversion that does not exist is copied as it stands.
std::string format_print(std::string_view format, const NextArgument& next, const TextAt& text_at);

}  // namespace warpbook::vgpu
