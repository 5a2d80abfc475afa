#include "judge/commands/class_secret.hpp"

#include <fmt/format.h>

#include "judge/base/files.hpp"
#include "judge/base/sha256.hpp"

namespace warpbook::commands {
namespace {

constexpr std::size_t kShortestSecret = 16;
/// Seeds survive every reader of JSON.
constexpr std::uint64_t kSeedMask = (std::uint64_t{1} << 53) - 1;

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
  const auto bytes = sha256("warpbook seed\n" + *text);
  for (int i = 0; i < 8; ++i) secret.seed = secret.seed << 8 | bytes[static_cast<std::size_t>(i)];
  secret.seed &= kSeedMask;
  secret.hash = sha256_hex("warpbook record\n" + *text);
  return secret;
}

}  // namespace warpbook::commands
