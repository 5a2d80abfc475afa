#include "judge/classroom/class_secret.hpp"

#include <fmt/format.h>
#include <sodium.h>

#include <array>

#include "judge/base/files.hpp"

namespace warpbook::classroom {
namespace {

constexpr std::size_t kShortestSecret = 16;
/// Seeds survive every reader of JSON.
constexpr std::uint64_t kSeedMask = (std::uint64_t{1} << 53) - 1;

using Hash = std::array<unsigned char, crypto_hash_sha256_BYTES>;

Hash sha256(const std::string& text) {
  Hash hash{};
  crypto_hash_sha256(hash.data(), reinterpret_cast<const unsigned char*>(text.data()), text.size());
  return hash;
}

std::string hex(const Hash& hash) {
  std::string digits(2 * hash.size() + 1, '\0');
  sodium_bin2hex(digits.data(), digits.size(), hash.data(), hash.size());
  digits.pop_back();
  return digits;
}

}  // namespace

Result<ClassSecret> read_class_secret(const std::filesystem::path& file) {
  Result<std::string> text = read_file(file);
  if (!text) return text.error();
  while (text->ends_with('\n') || text->ends_with('\r')) text->pop_back();
  if (text->size() < kShortestSecret)
    return Error{
        fmt::format("the secret has {} bytes, expected at least {}: a short one is found by trying", text->size(), kShortestSecret),
        Where{file.string()}};
  ClassSecret secret;
  // Two labels: who knows the recorded hash knows nothing about the seed.
  const Hash bytes = sha256("warpbook seed\n" + *text);
  for (int i = 0; i < 8; ++i) secret.seed = secret.seed << 8 | bytes[static_cast<std::size_t>(i)];
  secret.seed &= kSeedMask;
  secret.hash = hex(sha256("warpbook record\n" + *text));
  return secret;
}

}  // namespace warpbook::classroom
