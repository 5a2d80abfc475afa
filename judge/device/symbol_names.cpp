#include "judge/device/symbol_names.hpp"

#include <algorithm>
#include <array>

namespace warpbook::device {
namespace {

constexpr std::size_t kHashDigits = 8;

bool is_lower_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Length of a hash at the start of `text`; 0 when there is none.
std::size_t hash_length(std::string_view text) {
  return text.size() >= kHashDigits && std::all_of(text.begin(), text.begin() + kHashDigits, is_lower_hex) ? kHashDigits : 0;
}

/// Length of `_4_a_cu_` (the file's name with its own length in front) at the start of `text`; 0 when that does not stand there.
std::size_t file_length(std::string_view text) {
  std::size_t at = 1, length = 0;
  if (text.empty() || text[0] != '_') return 0;
  while (at < text.size() && is_digit(text[at]) && length < text.size()) length = 10 * length + static_cast<std::size_t>(text[at++] - '0');
  if (at == 1 || at >= text.size() || text[at] != '_') return 0;
  const std::size_t end = at + 1 + length;
  return end < text.size() && text[end] == '_' ? end + 1 : 0;
}

/// Length of the mark that precedes a hash at the start of `text`; 0 when there is none.
std::size_t mark_length(std::string_view text) {
  for (const std::string_view mark : {std::string_view("_GLOBAL__N__"), std::string_view("_INTERNAL_")})
    if (text.starts_with(mark)) return mark.size();
  constexpr std::string_view kStatic = "__nv_static_";
  if (!text.starts_with(kStatic)) return 0;
  std::size_t end = kStatic.size();
  while (end < text.size() && is_digit(text[end])) ++end;
  return end > kStatic.size() && text.substr(end).starts_with("__") ? end + 2 : 0;
}

}  // namespace

std::string without_file_hash(std::string_view name) {
  std::string out;
  out.reserve(name.size());
  for (std::size_t i = 0; i < name.size();) {
    const std::size_t mark = name[i] == '_' ? mark_length(name.substr(i)) : 0;
    if (mark == 0) {
      out += name[i++];
      continue;
    }
    out += name.substr(i, mark);
    i += mark;
    const std::size_t hash = hash_length(name.substr(i)), file = file_length(name.substr(i + hash));
    if (hash == 0 || file == 0) continue;
    out += name.substr(i + hash, file);
    i += hash + file;
    // A file that defines nothing with external linkage gets a second hash where others have the name of their first definition.
    i += hash_length(name.substr(i));
  }
  return out;
}

NameIndex::NameIndex(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    exact_.emplace(name, name);
    const auto [at, fresh] = hashless_.emplace(without_file_hash(name), name);
    if (!fresh && at->second != name) at->second.clear();
  }
}

std::string_view NameIndex::find(std::string_view name) const {
  if (const auto at = exact_.find(name); at != exact_.end()) return at->second;
  const auto at = hashless_.find(without_file_hash(name));
  return at == hashless_.end() ? std::string_view{} : std::string_view{at->second};
}

}  // namespace warpbook::device
