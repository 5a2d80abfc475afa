// Longest common subsequence by its table, after the common head and tail are cut off. The texts are lesson files of some hundred
// lines, so the table is small; Myers' algorithm would only pay for long texts. When a hostile file makes the table too large, the
// differing middle is shown as removed and added as a whole: true, if not shortest.
#include "judge/task/line_diff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>

#include "judge/base/text.hpp"

namespace warpbook::task {
namespace {

constexpr std::size_t kLargestTable = 4'000'000;
constexpr std::size_t kContext = 3;
constexpr std::size_t kMostLines = 200;
constexpr std::size_t kWidest = 200;

enum class Edit : char { kSame = ' ', kRemoved = '-', kAdded = '+' };

/// One line of the script; `before` and `after` are the line indices reached when it comes.
struct Step {
  Edit edit;
  std::size_t before, after;
};

std::string key_of(const std::string& line, LineEquality equality) {
  if (equality == LineEquality::kExact) return line;
  if (equality == LineEquality::kTrimmed) return std::string(trimmed(line));
  std::string key = line;
  key.erase(std::remove_if(key.begin(), key.end(), [](unsigned char c) { return std::isspace(c); }), key.end());
  return key;
}

using Keys = std::vector<std::string>;

/// The script between [begin, before_end) and [begin, after_end).
void align(const Keys& before, const Keys& after, std::size_t begin, std::size_t before_end, std::size_t after_end,
           std::vector<Step>& script) {
  const std::size_t rows = before_end - begin, cols = after_end - begin;
  std::size_t i = 0, j = 0;
  if (rows * cols <= kLargestTable) {
    std::vector<std::uint32_t> common((rows + 1) * (cols + 1), 0);
    const auto at = [&](std::size_t r, std::size_t c) -> std::uint32_t& { return common[r * (cols + 1) + c]; };
    for (std::size_t r = rows; r-- > 0;) {
      for (std::size_t c = cols; c-- > 0;)
        at(r, c) = before[begin + r] == after[begin + c] ? at(r + 1, c + 1) + 1 : std::max(at(r + 1, c), at(r, c + 1));
    }
    while (i < rows && j < cols) {
      const bool same = before[begin + i] == after[begin + j];
      const Edit edit = same ? Edit::kSame : at(i + 1, j) >= at(i, j + 1) ? Edit::kRemoved : Edit::kAdded;
      script.push_back({edit, begin + i, begin + j});
      i += edit != Edit::kAdded;
      j += edit != Edit::kRemoved;
    }
  }
  for (; i < rows; ++i) script.push_back({Edit::kRemoved, begin + i, begin + j});
  for (; j < cols; ++j) script.push_back({Edit::kAdded, begin + i, begin + j});
}

std::vector<Step> edit_script(const Keys& before, const Keys& after) {
  std::size_t head = 0;
  while (head < before.size() && head < after.size() && before[head] == after[head]) ++head;
  std::size_t tail = 0;
  while (tail < before.size() - head && tail < after.size() - head && before[before.size() - 1 - tail] == after[after.size() - 1 - tail])
    ++tail;
  std::vector<Step> script;
  for (std::size_t i = 0; i < head; ++i) script.push_back({Edit::kSame, i, i});
  align(before, after, head, before.size() - tail, after.size() - tail, script);
  for (std::size_t i = tail; i > 0; --i) script.push_back({Edit::kSame, before.size() - i, after.size() - i});
  return script;
}

/// The first line a range names; an empty range names the line before it, as diff does.
std::size_t range_start(std::size_t index, std::size_t count) { return count == 0 ? index : index + 1; }

}  // namespace

std::string unified_diff(const std::vector<std::string>& before, const std::vector<std::string>& after, const std::string& before_name,
                         const std::string& after_name, LineEquality equality) {
  Keys before_keys, after_keys;
  for (const std::string& line : before) before_keys.push_back(key_of(line, equality));
  for (const std::string& line : after) after_keys.push_back(key_of(line, equality));
  const std::vector<Step> script = edit_script(before_keys, after_keys);

  std::string out;
  std::size_t shown = 0;
  for (std::size_t at = 0; at < script.size();) {
    if (script[at].edit == Edit::kSame) {
      ++at;
      continue;
    }
    // A hunk goes on while the next change is near enough for the contexts to touch.
    std::size_t last = at;
    for (std::size_t next = at; next < script.size() && next <= last + 2 * kContext; ++next)
      if (script[next].edit != Edit::kSame) last = next;
    const std::size_t first = at > kContext ? at - kContext : 0;
    const std::size_t end = std::min(script.size(), last + kContext + 1);
    std::size_t removed = 0, added = 0;
    for (std::size_t i = first; i < end; ++i) {
      removed += script[i].edit != Edit::kAdded;
      added += script[i].edit != Edit::kRemoved;
    }
    if (out.empty()) out = fmt::format("--- {}\n+++ {}\n", before_name, after_name);
    out += fmt::format("@@ -{},{} +{},{} @@\n", range_start(script[first].before, removed), removed,
                       range_start(script[first].after, added), added);
    for (std::size_t i = first; i < end; ++i) {
      if (++shown > kMostLines) return out + "... (more differences follow)\n";
      const std::string& line = script[i].edit == Edit::kRemoved ? before[script[i].before] : after[script[i].after];
      out += fmt::format("{}{}\n", static_cast<char>(script[i].edit), line.size() <= kWidest ? line : line.substr(0, kWidest) + "...");
    }
    at = end;
  }
  return out;
}

}  // namespace warpbook::task
