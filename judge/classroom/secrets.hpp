#pragma once
// Tokens that only one browser or one mail knows, and what is stored of them. libsodium does the work.
#include <cstddef>
#include <string>
#include <string_view>

namespace warpbook::classroom {

/// Of fresh_token().
inline constexpr std::size_t kTokenLength = 43;
/// 32 random bytes in base64url.
std::string fresh_token();

/// What is stored of a token (BLAKE2b, hexadecimal). A token is random enough that no slower hash is needed.
std::string token_hash(std::string_view token);

/// A second token that follows from one, for `purpose`; it tells nothing about the first.
std::string derived_token(std::string_view token, std::string_view purpose);

}  // namespace warpbook::classroom
