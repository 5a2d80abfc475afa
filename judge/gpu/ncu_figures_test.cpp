// What ncu prints, reduced to what a learner can act on.
#include "judge/gpu/ncu_figures.hpp"

#include <algorithm>

#include "judge/tests/catch.hpp"

using namespace warpbook::gpu;

namespace {

/// As ncu 2025.3 prints with --csv --page raw --print-units base: chatter, names, units, a line for each launch.
constexpr const char* kPrinted =
    "==PROF== Connected to process 42\n"
    "==PROF== Profiling \"rows\" - 0: 0%....50%....100% - 3 passes\n"
    "\"ID\",\"Process ID\",\"Kernel Name\",\"dram__bytes_read.sum\",\"dram__bytes_write.sum\","
    "\"dram__throughput.avg.pct_of_peak_sustained_elapsed\",\"gpu__time_duration.sum\",\"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum\","
    "\"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum\",\"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum\",\"l1tex__data_pipe_lsu_"
    "wavefronts_mem_shared.sum\","
    "\"sm__warps_active.avg.pct_of_peak_sustained_active\",\"smsp__issue_active.avg.pct_of_peak_sustained_active\"\n"
    "\"\",\"\",\"\",\"byte\",\"byte\",\"%\",\"ns\",\"request\",\"sector\",\"\",\"\",\"%\",\"%\"\n"
    "\"0\",\"42\",\"warpbook_next_case()\",\"0\",\"0\",\"0\",\"1500\",\"0\",\"0\",\"0\",\"0\",\"2\",\"1\"\n"
    "\"0\",\"42\",\"rows(const float *, float *, "
    "int)\",\"3,000,000\",\"1000000\",\"85.5\",\"12500\",\"1000\",\"16000\",\"0\",\"50\",\"92\",\"20\"\n"
    "\"1\",\"42\",\"merge\",\"10\",\"n/a\",\"2\",\"1,500\",\"10\",\"10\",\"7\",\"20\",\"12\",\"90\"\n";

const ProfileFigure& named(const std::vector<ProfileFigure>& figures, const std::string& name) {
  const auto found = std::find_if(figures.begin(), figures.end(), [&](const ProfileFigure& f) { return f.name == name; });
  REQUIRE(found != figures.end());
  return *found;
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("each launch that ncu saw, with its metrics in base units") {
  const auto launches = read_ncu(kPrinted);
  REQUIRE(launches);
  REQUIRE(launches->size() == 2);
  CHECK(launches->at(0).kernel == "rows(const float *, float *, int)");
  CHECK(launches->at(0).metrics.at("gpu__time_duration.sum") == Approx(12.5e-6));
  CHECK(launches->at(0).metrics.at("dram__bytes_read.sum") == 3e6);
  CHECK(launches->at(1).metrics.count("dram__bytes_write.sum") == 0);
}

TEST_CASE("figures and what follows from them") {
  const auto launches = read_ncu(kPrinted);
  REQUIRE(launches);
  const auto figures = figures_of(launches->at(0), 2'000'000);
  CHECK(named(figures, "time").value == "12.50 us");
  CHECK(has(named(figures, "memory").sentence, "memory is the limit"));
  CHECK(named(figures, "bytes moved").value == "2.00 times what must be");
  CHECK(has(named(figures, "bytes moved").sentence, "more than once"));
  CHECK(named(figures, "loads").value == "16.0 sectors a request");
  CHECK(has(named(figures, "bank conflicts").sentence, "at once"));
  CHECK(has(named(figures, "warps").sentence, "enough"));
  CHECK(figures.size() == 7);  // nothing was said of stores
  CHECK(has(named(figures_of(launches->at(0), 4'000'000), "bytes moved").sentence, "nothing is moved twice"));

  const auto merge = figures_of(launches->at(1), 2'000'000);
  CHECK(has(named(merge, "bank conflicts").sentence, "same bank"));
  CHECK(has(named(merge, "warps").sentence, "few warps"));
  CHECK(has(named(merge, "instructions").sentence, "arithmetic is the limit"));
  CHECK(has(named(merge, "loads").sentence, "few lanes"));
}

TEST_CASE("what ncu says instead of figures is told") {
  const auto refused = read_ncu("==PROF== Connected\n==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n");
  REQUIRE_FALSE(refused);
  CHECK(has(refused.error().what, "ERR_NVGPUCTRPERM"));
  CHECK(has(read_ncu("").error().what, "no launch"));
}

TEST_CASE("ncu is asked for every metric that a figure needs") {
  const auto words = ncu_words();
  CHECK(has(words.back(), "dram__bytes_read.sum,dram__bytes_write.sum"));
  CHECK(has(words.back(), "smsp__issue_active"));
}
