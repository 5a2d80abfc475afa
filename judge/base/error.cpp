#include "judge/base/error.hpp"

#include <fmt/format.h>

namespace warpbook {

std::string Error::text() const {
  std::string out;
  if (!where.file.empty()) {
    out += where.file;
    if (where.line > 0) out += fmt::format(":{}", where.line);
    if (where.line > 0 && where.column > 0) out += fmt::format(":{}", where.column);
    out += ": ";
  }
  out += "error: " + what;
  if (source_line.empty()) return out;
  out += fmt::format("\n{:5} | {}", where.line, source_line);
  if (where.column > 0) {
    // Tabs are repeated under the line so that the caret stands below its character whatever the tab width.
    std::string lead;
    for (int i = 0; i + 1 < where.column && i < static_cast<int>(source_line.size()); ++i) lead += source_line[i] == '\t' ? '\t' : ' ';
    out += fmt::format("\n      | {}^", lead);
  }
  return out;
}

}  // namespace warpbook
