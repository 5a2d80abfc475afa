#pragma once
// SHA-256 (FIPS 180-4), for what must not be turned back: the secret of a class is recorded by its hash only. content_hash() is faster and
// tells nothing apart from what an adversary made alike.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace warpbook {

std::array<std::uint8_t, 32> sha256(std::string_view bytes);

/// As 64 hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

}  // namespace warpbook
