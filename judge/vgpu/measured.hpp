#pragma once
// For tests: the tables that Nsight Compute wrote (judge/tests/calibration), and our counters under its names.
#include <map>
#include <string>
#include <vector>

#include "judge/base/files.hpp"
#include "judge/device/device.hpp"
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

/// "void <unnamed>::f<1>(const float *)" and "void (anonymous namespace)::f<true>(float const*)" -> "f<1>".
inline std::string plain_name(std::string name) {
  const auto replace = [&](const std::string& from, const std::string& to) {
    for (auto at = name.find(from); at != std::string::npos; at = name.find(from)) name.replace(at, from.size(), to);
  };
  replace("(anonymous namespace)::", "");
  replace("<unnamed>::", "");
  replace("void ", "");
  replace("<true>", "<1>");
  replace("<false>", "<0>");
  return name.substr(0, name.find('('));
}

/// What must be equal, under Nsight Compute's names.
inline std::vector<std::pair<std::string, std::uint64_t>> as_measured(const device::Counters& c) {
  const auto requests = [](const std::string& what) { return "l1tex__t_requests_pipe_lsu_mem_" + what + ".sum"; };
  const auto sectors = [](const std::string& what) { return "l1tex__t_sectors_pipe_lsu_mem_" + what + ".sum"; };
  return {{requests("global_op_ld"), c.global_load_requests},
          {sectors("global_op_ld"), c.global_load_sectors},
          {requests("global_op_st"), c.global_store_requests},
          {sectors("global_op_st"), c.global_store_sectors},
          {requests("global_op_atom"), c.global_atomic_requests},
          {sectors("global_op_atom"), c.global_atomic_sectors},
          {requests("global_op_red"), c.global_reduction_requests},
          {sectors("global_op_red"), c.global_reduction_sectors},
          {requests("local_op_ld"), c.local_load_requests},
          {sectors("local_op_ld"), c.local_load_sectors},
          {requests("local_op_st"), c.local_store_requests},
          {sectors("local_op_st"), c.local_store_sectors},
          {"memory_l2_theoretical_sectors_global", c.global_sectors},
          {"memory_l2_theoretical_sectors_global_ideal", c.global_ideal_sectors},
          {"memory_l1_tag_requests_global", c.global_lines},
          {"memory_l1_wavefronts_shared", c.shared_wavefronts},
          {"memory_l1_wavefronts_shared_ideal", c.shared_ideal_wavefronts}};
}

}  // namespace warpbook::vgpu::testing
