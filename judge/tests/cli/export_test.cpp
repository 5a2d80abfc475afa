// judge export: a case and a submission as a program of its own. It must be the same case: what the program costs on the virtual GPU is
// what Nsight Compute counted for it on an H200, also where the solution asks the device how large it is.
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "judge/tests/catch.hpp"
#include "judge/tests/cli/home.hpp"

using namespace warpbook::cli;
using nlohmann::json;

namespace {

/// The row of launches.csv for a kernel of a case, by column.
std::map<std::string, std::string> measured_row(const std::string& task, const std::string& case_name, const std::string& kernel) {
  std::ifstream file(std::string(WARPBOOK_SOURCE_DIR) + "/judge/tests/calibration/launches.csv");
  std::vector<std::string> columns;
  for (std::string line, cell; std::getline(file, line);) {
    std::vector<std::string> cells;
    for (std::istringstream in(line); std::getline(in, cell, ',');) cells.push_back(cell);
    if (columns.empty()) {
      columns = cells;
      continue;
    }
    std::map<std::string, std::string> row;
    for (std::size_t i = 0; i < columns.size() && i < cells.size(); ++i) row[columns[i]] = cells[i];
    if (row["Task"] == task && row["Case"] == case_name && row["Kernel"] == kernel) return row;
  }
  FAIL(task + ", " + case_name + ", " + kernel + " was not measured");
  return {};
}

/// The counters of the one kernel whose name holds `name`.
json counters_of(const json& report, const std::string& name) {
  for (const json& kernel : report.at("kernels"))
    if (contains(kernel.at("name").get<std::string>(), name)) return kernel.at("counters");
  FAIL("no kernel " + name + " in " + report.dump());
  return {};
}

}  // namespace

TEST_CASE("an exported case is the judged one, and costs what a GPU of the same size counted") {
  const Home home;
  // 60,000 elements fit into the shared memory of a block of an H200 and not into that of the device that judging has.
  REQUIRE(home.judge({"export", "12", "--solution", "--case", "a-little-too-long", "--to", "program"}).status == 0);
  const Said said =
      home.judge({"exec", "program/main.cu", "--profile", "sm_90", "--json", "report.json", "--", "program/a-little-too-long.case"});
  INFO(said.err);
  REQUIRE(said.status == 0);
  const json counters = counters_of(json::parse(home.read("report.json")), "softmax_in_shared");
  const auto row = measured_row("12-shared-row", "a-little-too-long", "softmax_in_shared");
  const std::map<std::string, std::string> names = {
      {"global_load_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"},
      {"global_load_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"},
      {"global_store_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"},
      {"global_store_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"},
      {"shared_wavefronts", "memory_l1_wavefronts_shared"},
  };
  for (const auto& [ours, theirs] : names) {
    INFO(ours);
    CHECK(std::to_string(counters.at(ours).get<std::uint64_t>()) == row.at(theirs));
    CHECK(counters.at(ours).get<std::uint64_t>() > 0);
  }
}

TEST_CASE("an exported program says which file it cannot use, and what export was asked wrongly") {
  const Home home;
  Said said = home.judge({"export", "05", "--solution"});
  CHECK(said.status == kUsage);
  CHECK(contains(said.err, "--to DIR is missing"));
  said = home.judge({"export", "05", "--solution", "--case", "nothing", "--to", "program"});
  CHECK(said.status == kUsage);
  CHECK(contains(said.err, "nothing"));
  said = home.judge({"export", "05", "--to", "program"});
  CHECK(said.status == kUsage);
  CHECK(contains(said.err, "judge start"));
  home.write("plain-file", "x");
  said = home.judge({"export", "05", "--solution", "--to", "plain-file"});
  CHECK(said.status == kUsage);
  CHECK(contains(said.err, "plain-file"));

  REQUIRE(home.judge({"export", "05", "--solution", "--case", "plain", "--to", "program"}).status == 0);
  home.write("cut.case", home.read("program/plain.case").substr(0, 500));
  said = home.judge({"exec", "program/main.cu", "--", "absent.case", "cut.case", "program/plain.case"});
  CHECK(said.status == 1);
  CHECK(contains(said.err, "absent.case: is missing or no case file"));
  CHECK(contains(said.err, "cut.case: ends early"));
  CHECK_FALSE(contains(said.err, "plain.case:"));
}
