#pragma once
// Content hashes for caches and records (XXH3, 128 bit). Not for secrets.
#include <string>
#include <string_view>

namespace warpbook {

/// 32 hexadecimal digits that name `bytes`.
std::string content_hash(std::string_view bytes);

/// Collects named parts; two collections agree only when every name and every part agrees.
class HashBuilder {
 public:
  HashBuilder& add(std::string_view name, std::string_view bytes);
  std::string hex() const;

 private:
  std::string buffer_;
};

}  // namespace warpbook
