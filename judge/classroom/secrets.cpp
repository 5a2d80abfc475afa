#include "judge/classroom/secrets.hpp"

#include <sodium.h>

#include <array>

namespace warpbook::classroom {
namespace {

using Bytes = std::array<unsigned char, crypto_generichash_BYTES>;

const unsigned char* bytes_of(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

std::string base64url(const Bytes& bytes) {
  constexpr int kVariant = sodium_base64_VARIANT_URLSAFE_NO_PADDING;
  std::string text(sodium_base64_ENCODED_LEN(std::tuple_size_v<Bytes>, kVariant), '\0');
  sodium_bin2base64(text.data(), text.size(), bytes.data(), bytes.size(), kVariant);
  text.pop_back();  // its NUL
  return text;
}

Bytes hashed(std::string_view text) {
  Bytes hash{};
  crypto_generichash(hash.data(), hash.size(), bytes_of(text), text.size(), nullptr, 0);
  return hash;
}

}  // namespace

std::string fresh_token() {
  [[maybe_unused]] const int ready = sodium_init();  // may be called again, by several at once; random bytes come in any case
  Bytes bytes{};
  randombytes_buf(bytes.data(), bytes.size());
  return base64url(bytes);
}

std::string token_hash(std::string_view token) {
  const Bytes hash = hashed(token);
  std::string digits(2 * hash.size() + 1, '\0');
  sodium_bin2hex(digits.data(), digits.size(), hash.data(), hash.size());
  digits.pop_back();
  return digits;
}

std::string derived_token(std::string_view token, std::string_view purpose) {
  // Not the stored hash as the key: whoever reads the database must not be able to compute this.
  std::string labelled = "warpbook key\n";
  labelled += token;
  const Bytes key = hashed(labelled);
  Bytes out{};
  crypto_generichash(out.data(), out.size(), bytes_of(purpose), purpose.size(), key.data(), key.size());
  return base64url(out);
}

}  // namespace warpbook::classroom
