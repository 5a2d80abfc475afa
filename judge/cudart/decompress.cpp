#include "judge/cudart/decompress.hpp"

#include <fmt/format.h>
#include <lz4.h>
#include <zstd.h>

#include <limits>

namespace warpbook::cudart {

Result<std::string> unpack_lz4(std::span<const std::byte> packed, std::size_t size) {
  constexpr auto kMost = static_cast<std::size_t>(std::numeric_limits<int>::max());
  if (packed.size() > kMost || size > kMost) return Error{"an LZ4 block is longer than one can be"};
  std::string text(size, '\0');
  const int got = LZ4_decompress_safe(reinterpret_cast<const char*>(packed.data()), text.data(), static_cast<int>(packed.size()),
                                      static_cast<int>(size));
  if (got < 0) return Error{"an LZ4 block is damaged"};
  if (static_cast<std::size_t>(got) != size) return Error{fmt::format("an LZ4 block holds {} bytes when it should hold {}", got, size)};
  return text;
}

Result<std::string> unpack_zstd(std::span<const std::byte> packed, std::size_t size) {
  std::string text(size, '\0');
  const std::size_t got = ZSTD_decompress(text.data(), size, packed.data(), packed.size());
  if (ZSTD_isError(got)) return Error{fmt::format("a zstd frame is damaged ({})", ZSTD_getErrorName(got))};
  if (got != size) return Error{fmt::format("a zstd frame holds {} bytes when it should hold {}", got, size)};
  return text;
}

}  // namespace warpbook::cudart
