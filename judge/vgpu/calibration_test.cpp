// Requests and sectors of global memory must be what Nsight Compute counted on hardware (judge/tests/calibration/ncu.csv), kernel by
// kernel.
#include <algorithm>
#include <map>
#include <sstream>

#include "judge/vgpu/demangle.hpp"
#include "judge/vgpu/test_gpu.hpp"

namespace warpbook::vgpu::testing {

namespace {

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    else if (c == ',' && !quoted) out.emplace_back();
    else if (!(c == ',' && quoted && out.size() > 1)) out.back() += c;  // "2,816" is a number, a kernel's name keeps its commas
  }
  return out;
}

/// Kernel name -> metric -> value.
std::map<std::string, std::map<std::string, std::string>> measured() {
  const Result<std::string> text = read_file(std::string(WARPBOOK_SOURCE_DIR) + "/judge/tests/calibration/ncu.csv");
  if (!text) FAIL(text.error().text());
  const std::vector<std::string> lines = split_lines(*text);
  const std::vector<std::string> head = cells(lines.front());
  std::map<std::string, std::map<std::string, std::string>> table;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> row = cells(lines[i]);
    for (std::size_t column = 1; column < row.size() && column < head.size(); ++column)
      table[row[0].substr(0, row[0].find('('))][head[column]] = row[column];
  }
  return table;
}

}  // namespace

TEST_CASE("global memory is counted as Nsight Compute counts it") {
  const auto table = measured();
  TestGpu gpu(test_ptx("vgpu/calib"));
  const Result<ImagePointer> image = make_image(test_ptx("vgpu/calib"));
  REQUIRE(image);
  const device::Address data = gpu.buffer(std::vector<float>(1 << 18)), out = gpu.buffer(std::vector<float>(1 << 14));
  std::size_t compared = 0;
  for (const std::string& name : entry_names(**image)) {
    const std::string readable = demangle(name);
    const std::string kernel = readable.substr(0, readable.find('('));
    const auto row = table.find(kernel);
    if (row == table.end()) continue;
    const device::Counters before = gpu.gpu->counters();
    device::FunctionInfo info;
    REQUIRE(gpu.gpu->function_info(gpu.module, name, info).ok());
    const bool output_first = kernel.starts_with("s_") || kernel == "a_sh" || kernel == "a_shi" || kernel == "a_redf";
    const device::Address first = output_first ? out : data, second = output_first ? data : out;
    if (info.parameter_sizes.size() == 1) REQUIRE(gpu.launch(name, {1, 1, 1}, {32, 1, 1}, first).ok());
    if (info.parameter_sizes.size() == 2) REQUIRE(gpu.launch(name, {1, 1, 1}, {32, 1, 1}, first, second).ok());
    if (info.parameter_sizes.size() == 3) REQUIRE(gpu.launch(name, {1, 1, 1}, {32, 1, 1}, first, second, 0).ok());
    gpu.require_clean();
    const device::Counters after = gpu.gpu->counters();
    const auto metric = [&](const std::string& what) { return std::stoull(row->second.at("l1tex__t_" + what + ".sum")); };
    INFO(kernel);
    CHECK(after.global_load_requests - before.global_load_requests == metric("requests_pipe_lsu_mem_global_op_ld"));
    CHECK(after.global_load_sectors - before.global_load_sectors == metric("sectors_pipe_lsu_mem_global_op_ld"));
    CHECK(after.global_store_requests - before.global_store_requests == metric("requests_pipe_lsu_mem_global_op_st"));
    CHECK(after.global_store_sectors - before.global_store_sectors == metric("sectors_pipe_lsu_mem_global_op_st"));
    ++compared;
  }
  CHECK(compared == table.size());
}

}  // namespace warpbook::vgpu::testing
