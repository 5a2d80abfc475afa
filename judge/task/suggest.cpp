#include "judge/task/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace warpbook::task {
namespace {

/// Words beyond this length are not names; comparing them would be wasted on hostile input.
constexpr std::size_t kLongestName = 64;

}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the table of prefixes: a swap looks two rows up.
  std::vector<int> two_up(b.size() + 1), up(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    two_up.swap(up);
    up.swap(row);
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int substituted = up[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({substituted, up[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], two_up[j - 2] + 1);
    }
  }
  return row.back();
}

std::string closest_name(std::string_view word, const std::vector<std::string>& candidates) {
  if (word.size() > kLongestName) return "";
  // A third of the word may be wrong: "layrenom" is two slips from "layernorm", "mean" is not a slip of "min".
  int best = std::max<int>(1, static_cast<int>(word.size()) / 3) + 1;
  std::string found;
  for (const std::string& candidate : candidates) {
    const int distance = edit_distance(word, candidate);
    if (distance >= best) continue;
    best = distance;
    found = candidate;
  }
  return found;
}

std::string expected_one_of(std::string_view word, const std::vector<std::string>& candidates) {
  if (candidates.empty()) return "none is expected here";
  std::string text = candidates.size() == 1 ? fmt::format("expected {}", candidates.front())
                                            : fmt::format("expected one of {}", fmt::join(candidates, ", "));
  const std::string near = closest_name(word, candidates);
  if (!near.empty() && candidates.size() > 1) text += fmt::format("; did you mean '{}'?", near);
  return text;
}

}  // namespace warpbook::task
