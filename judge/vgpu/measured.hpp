#pragma once
// For tests: the tables that Nsight Compute wrote (judge/tests/calibration).
#include <map>
#include <string>
#include <vector>

#include "judge/base/files.hpp"
#include "judge/device/ncu_names.hpp"
#include "judge/tests/catch.hpp"

namespace warpbook::vgpu::testing {

using Row = std::map<std::string, std::string>;

inline std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    else if (c == ',' && !quoted) out.emplace_back();
    else if (!(c == ',' && quoted && out.size() > 1 && std::isdigit(static_cast<unsigned char>(out.back().back())) != 0)) out.back() += c;
  }
  return out;
}

/// The rows of judge/tests/calibration/FILE by column name. "2,816" is a number; a kernel's name keeps its commas.
inline std::vector<Row> measured(const std::string& file) {
  const Result<std::string> text = read_file(std::string(WARPBOOK_SOURCE_DIR) + "/judge/tests/calibration/" + file);
  if (!text) FAIL(text.error().text());
  const std::vector<std::string> lines = split_lines(*text);
  const std::vector<std::string> head = cells(lines.front());
  std::vector<Row> table;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> values = cells(lines[i]);
    REQUIRE(values.size() == head.size());
    Row& row = table.emplace_back();
    for (std::size_t column = 0; column < head.size(); ++column) row[head[column]] = values[column];
  }
  return table;
}

using device::plain_kernel_name;

}  // namespace warpbook::vgpu::testing
