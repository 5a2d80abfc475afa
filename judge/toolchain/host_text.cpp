// cudafe++ keeps the bodies of device code in its output, behind `#if 0`, and marks with `# 12 "file"` where each line came from. A change
// in a kernel alters only those two. Its output is preprocessed already (macros are gone, __LINE__ is a number), and a string literal never
// spans lines in it, so dropping lines by how they begin is safe. Where the compiler itself would turn a marker into a value
// (__builtin_LINE, behind std::source_location) they stay.
#include "judge/toolchain/host_text.hpp"

#include <algorithm>

namespace warpbook::toolchain {

std::string essence_of_host_text(std::string_view text) {
  const bool keep_markers = text.find("__builtin_LINE") != std::string_view::npos;
  std::string kept;
  kept.reserve(text.size());
  int skipping = 0;  // how many #if are open since `#if 0`
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    const std::string_view line = text.substr(begin, end - begin);
    begin = end;
    if (skipping > 0) {
      if (line.starts_with("#if")) ++skipping;
      if (line.starts_with("#endif")) --skipping;
      continue;
    }
    if (line == "#if 0\n") skipping = 1;
    else if (keep_markers || !line.starts_with("# ")) kept += line;
  }
  return kept;
}

}  // namespace warpbook::toolchain
