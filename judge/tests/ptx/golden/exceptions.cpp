#include "judge/tests/ptx/golden/exceptions.hpp"

namespace warpbook::golden {
namespace {

struct Row {
  std::string_view begins;  ///< of the key
  std::string_view reason;
};

constexpr Row kRows[] = {
    {"cp.async.ca.shared.global.L2::cache_hint", "an H200 calls the copy with a policy of evict_last an illegal instruction"},
};

}  // namespace

std::optional<std::string_view> exception(std::string_view key) {
  for (const Row& row : kRows) {
    if (key.starts_with(row.begins)) return row.reason;
  }
  return std::nullopt;
}

}  // namespace warpbook::golden
