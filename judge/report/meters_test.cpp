#include "judge/report/meters.hpp"

#include <sstream>

#include "judge/report/markdown_terminal.hpp"
#include "judge/report/passes.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook;
using namespace warpbook::report;

namespace {

grade::SubmissionResult measured() {
  grade::SubmissionResult r;
  r.file = "work/a.cu";
  grade::CaseResult c;
  c.name = "wide";
  c.rows = 2;
  c.cols = 5125;
  c.passes = {{"x", 2.0, 0.0}, {"y", 0.0, 1.0}};
  device::KernelMeters k;
  k.kernel = "softmax_kernel(float const*, float*, int)";
  k.block = {256, 1, 1};
  k.launches = 1;
  device::LineMeters load{{{"common/reduce.cuh", "inner", 9, 1}, {"work/a.cu", "outer", 12, 3}}, {}};
  load.counters.warp_instructions = 100;
  load.counters.thread_instructions = 1600;
  load.counters.global_load_requests = 10;
  load.counters.global_load_sectors = load.counters.global_sectors = 320;
  load.counters.global_ideal_sectors = 40;
  load.counters.divergent_branches = 3;
  load.counters.uniform_branches = 4;
  device::LineMeters foreign{{{"/usr/include/math.h", "exp", 77, 1}}, {}};
  foreign.counters.warp_instructions = 5;
  k.lines = {load, foreign};
  k.counters += load.counters;
  k.counters += foreign.counters;
  k.compulsory_read_bytes = 41000;
  k.occupancy = device::occupancy_of(256, 40, 49152, {});
  c.kernels = {k};
  r.cases = {c};
  return r;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("the margin stands beside the learner's line") {
  TerminalOptions options;
  options.source = [](const std::string&, int line) { return line == 12 ? "  v = row[col * 32];" + std::string(200, '/') : std::string(); };
  const std::string text = render_meters(measured(), "", options);
  INFO(text);
  CHECK(has(text, "meters of case wide (2 x 5125)"));
  CHECK(has(text, "     100  16.0|     10 32.00  4.00|"));
  CHECK(has(text, "3/7|  12    v = row[col * 32];"));
  CHECK(has(text, "math.h:77"));
  CHECK(has(text, "320 sectors; 40 would do"));
  CHECK(has(text, "DRAM at least"));
  CHECK(has(text, "38%  3 blocks, 24 of 64 warps; limit: shared memory; 40 registers a thread"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) CHECK(display_width(line) <= 140);
  CHECK(render_meters(measured(), "another", options).empty());
  CHECK(render_meters({}, "", options).empty());
}

TEST_CASE("passes are told as a sentence, and fewer only where the task promises fewer") {
  grade::SubmissionResult r = measured();
  const auto sentence = [&] { return passes_sentence(r, task::CaseKind::kNormal); };
  CHECK(sentence() == "passes over memory (case wide): x read 2.00 times, y written 1.00 times: two passes");
  r.promised = {{"x", 2, -1}};
  CHECK_FALSE(has(sentence(), "possible"));
  r.promised = {{"x", 1, -1}};
  CHECK(has(sentence(), ": two passes; one is possible with the row in registers or shared memory"));
  r.cases.front().passes = {{"x", 1.5, 0.0}};
  CHECK(has(sentence(), "x read 1.50 times: 1.50 passes; one is possible"));
  r.cases.front().passes = {{"x", 1.0, 0.0}};
  CHECK(sentence() == "passes over memory (case wide): x read 1.00 times: one pass");
  CHECK(passes_sentence(r, task::CaseKind::kBoundary).empty());
}
