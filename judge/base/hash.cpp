#include "judge/base/hash.hpp"

#include <fmt/format.h>
#include <xxhash.h>

namespace warpbook {

std::string content_hash(std::string_view bytes) {
  const XXH128_hash_t h = XXH3_128bits(bytes.data(), bytes.size());
  return fmt::format("{:016x}{:016x}", h.high64, h.low64);
}

HashBuilder& HashBuilder::add(std::string_view name, std::string_view bytes) {
  // Lengths go in front, so that "ab","c" and "a","bc" differ.
  buffer_ += fmt::format("{}:{}{}:", name.size(), name, bytes.size());
  buffer_ += bytes;
  return *this;
}

std::string HashBuilder::hex() const { return content_hash(buffer_); }

}  // namespace warpbook
