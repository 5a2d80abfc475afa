#include "judge/grade/measured_counts.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "judge/base/files.hpp"
#include "judge/device/ncu_names.hpp"
#include "judge/task/task_folder.hpp"
#include "judge/tests/catch.hpp"
#include "judge/tests/temporary_folder.hpp"

namespace warpbook::grade {
namespace {

namespace fs = std::filesystem;

/// A root with tables of its own.
struct CountsRoot {
  CountsRoot() { fs::create_directories(folder / "judge/tests/calibration"); }

  void write(const std::string& name, const std::string& text) const {
    REQUIRE(write_file(folder / "judge/tests/calibration" / name, text));
  }
  /// One row of a kernel that stores `sectors` sectors and does nothing else.
  void measure(std::uint64_t sectors) const {
    std::string head = "Task,Case,Build,Kernel,Grid,Block", row = "01-task,plain,judged,f,2 1 1,32 1 1";
    for (const auto& [metric, value] : device::as_ncu_metrics({})) {
      head += "," + metric;
      row += "," + std::to_string(metric == "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum" ? sectors : 0);
    }
    write("launches.csv", head + "\n" + row + "\n");
  }
  void explain(const std::string& rest) const {
    write("launches-explained.csv",
          "Task,Case,Kernel,Grid,Block,Metric,Virtual GPU,Nsight Compute,Why\n01-task,plain,f,2 1 1,32 1 1," + rest + "\n");
  }
  Result<MeasuredCounts> read() const { return MeasuredCounts::read(folder.path(), "01-task"); }

  TemporaryFolder folder{"counts"};
};

CaseResult counted(std::uint64_t sectors) {
  CaseResult result;
  result.name = "plain";
  device::KernelMeters kernel;
  kernel.kernel = "void (anonymous namespace)::f<4, true>(float*)";
  kernel.grid = {2, 1, 1};
  kernel.block = {32, 1, 1};
  kernel.counters.global_store_sectors = sectors;
  result.kernels.push_back(kernel);
  return result;
}

constexpr const char* kStored = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum";

}  // namespace

TEST_CASE("counts equal those of the table, or those that are explained") {
  const CountsRoot root;
  REQUIRE(root.read());
  CHECK(root.read()->empty());
  root.measure(7);
  REQUIRE(root.read());
  CHECK(root.read()->differences(counted(7)).empty());
  CHECK(root.read()->differences(counted(8)) == fmt::format("case plain, f, grid 2 1 1, block 32 1 1: {} is 8, expected 7", kStored));
  CaseResult none = counted(7);
  none.kernels.clear();
  CHECK(root.read()->differences(none) == "case plain, f, grid 2 1 1, block 32 1 1: is not launched here");
  none.name = "another";
  CHECK(root.read()->differences(none).empty());

  root.explain(fmt::format("{},8,7,the assembler, for once, merges two stores", kStored));
  REQUIRE(root.read());
  CHECK(root.read()->differences(counted(8)).empty());
  CHECK_FALSE(root.read()->differences(counted(7)).empty());
  root.explain("launch,other,,the device is a larger one");
  CHECK(root.read()->empty());
}

TEST_CASE("a table that cannot be right says which line") {
  const CountsRoot root;
  root.measure(7);
  const auto trouble = [&](const std::string& rest) {
    root.explain(rest);
    const Result<MeasuredCounts> read = root.read();
    return read ? std::string("none") : read.error().text();
  };
  CHECK(trouble(fmt::format("{},8,6,why", kStored)).find("launches-explained.csv:2") != std::string::npos);
  CHECK(trouble(fmt::format("{},8,6,why", kStored)).find("was measured as 6, and launches.csv does not") != std::string::npos);
  CHECK(trouble(fmt::format("{},7,7,why", kStored)).find("equal counts") != std::string::npos);
  CHECK(trouble(fmt::format("{},8,7, ", kStored)).find("does not say why") != std::string::npos);
  CHECK(trouble(fmt::format("{},many,7,why", kStored)).find("'many' is no count") != std::string::npos);
}

TEST_CASE("every reference solution was measured") {
  const Result<std::string> text = read_file(fs::path(WARPBOOK_SOURCE_DIR) / "judge/tests/calibration/launches.csv");
  REQUIRE(text);
  std::set<std::string> measured;
  for (const std::string& line : split_lines(*text)) measured.insert(line.substr(0, line.find(',')));
  for (const task::TaskFolder& folder : task::list_tasks(WARPBOOK_SOURCE_DIR)) {
    INFO(folder.id);
    CHECK(measured.count(folder.id) == 1);
  }
}

}  // namespace warpbook::grade
