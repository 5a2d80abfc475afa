// The kernels of judge/tests/ptx/vgpu/races.cu: right ones draw no finding, wrong ones one that names both lines and both threads.
#include <algorithm>
#include <numeric>

#include "judge/vgpu/test_gpu.hpp"

namespace warpbook::vgpu::testing {

namespace {

using device::Severity;

/// Number of the line of races.cu that carries `mark` behind the beginning of `function`; 0: the function has none.
int marked(const std::string& function, const std::string& mark) {
  const Result<std::string> text = read_file(std::string(WARPBOOK_SOURCE_DIR) + "/judge/tests/ptx/vgpu/races.cu");
  if (!text) FAIL(text.error().text());
  bool inside = false;
  int number = 0;
  for (const std::string& line : split_lines(*text)) {
    ++number;
    if (line.find("void " + function + "(") != std::string::npos) inside = true;
    else if (inside && line.find("__global__") != std::string::npos) return 0;
    if (inside && line.find(mark) != std::string::npos) return number;
  }
  FAIL("no function " << function);
  return 0;
}

std::vector<int> counting(std::size_t count) {
  std::vector<int> values(count);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

/// A device on which any number of findings ends nothing.
TestGpu patient(Schedule schedule = {}) {
  Options options;
  options.max_faults = 1000;
  options.schedule = schedule;
  return TestGpu(test_ptx("vgpu/races"), options);
}

/// Every order of warps and blocks that the tests look at. What is a race must not depend on it.
const Schedule kSchedules[] = {{}, {Schedule::Order::kDescending, 0}, {Schedule::Order::kSeeded, 1}, {Schedule::Order::kSeeded, 2}};

/// The one pair of lines that `function` marks, in either order (which access comes first is a matter of the schedule).
void check_race(const TestGpu& gpu, const std::string& function, Severity severity, const std::string& space) {
  REQUIRE_FALSE(gpu.gpu->faults().empty());
  const int here = marked(function, "// here"), there = marked(function, "// there");
  bool found = false;
  for (const device::Fault& fault : gpu.gpu->faults()) {
    INFO(fault.message);
    CHECK(fault.kind == device::FaultKind::kRace);
    REQUIRE(fault.related.size() == 1);
    REQUIRE_FALSE(fault.frames.empty());
    REQUIRE_FALSE(fault.related[0].frames.empty());
    // An atomic is inlined from a header: any frame of the place may be the marked one.
    const auto at = [](const std::vector<device::Frame>& frames, int line) {
      return std::any_of(frames.begin(), frames.end(), [&](const device::Frame& frame) { return frame.line == line; });
    };
    const std::vector<device::Frame>&later = fault.frames, &earlier = fault.related[0].frames;
    const int other = there == 0 ? here : there;
    const bool pair = (at(later, here) && at(earlier, other)) || (at(later, other) && at(earlier, here));
    if (!pair || fault.severity != severity) continue;
    found = true;
    CHECK(fault.space == space);
    CHECK((fault.thread.x != fault.related[0].thread.x || fault.block.x != fault.related[0].block.x));
    CHECK(fault.message.find("nothing orders them") + 1 + fault.message.find("blocks run in any order") + 1 != 0);
  }
  CHECK(found);
}

struct Run {
  std::string kernel;
  device::Dim3 grid, block;
  std::vector<std::size_t> buffers;  ///< ints in each
  std::vector<int> numbers = {};     ///< arguments behind them
};

void launch(TestGpu& gpu, const Run& run) {
  std::vector<device::Address> at;
  for (const std::size_t ints : run.buffers) at.push_back(gpu.buffer(std::vector<int>(ints)));
  device::Answer answer;
  const auto& n = run.numbers;
  const auto go = [&](const auto&... arguments) { answer = gpu.launch(run.kernel, run.grid, run.block, arguments...); };
  if (at.size() == 1 && n.empty()) go(at[0]);
  else if (at.size() == 1) go(at[0], n[0]);
  else if (at.size() == 2 && n.empty()) go(at[0], at[1]);
  else if (at.size() == 2) go(at[0], at[1], n[0]);
  else if (at.size() == 3) go(at[0], at[1], at[2]);
  else go(at[0], at[1], at[2], at[3]);
  INFO(run.kernel << ": " << answer.message);
  REQUIRE(answer.ok());
}

const device::Dim3 kOne{1, 1, 1};

}  // namespace

TEST_CASE("kernels without races draw no finding, whatever the order of warps and blocks") {
  const std::vector<Run> runs = {
      {"raw_ok", kOne, {256, 1, 1}, {256, 256}},
      {"war_loop_ok", kOne, {64, 1, 1}, {640, 64}, {10}},
      {"lanes_ok", kOne, {32, 1, 1}, {32}},
      {"halves_ok", kOne, {32, 1, 1}, {32}},
      {"chain_ok", kOne, {32, 1, 1}, {1}},
      {"bytes_ok", kOne, {64, 1, 1}, {32, 32}},
      {"halves_of_words_ok", kOne, {64, 1, 1}, {64, 64}},
      {"pipeline_ok", kOne, {128, 1, 1}, {320, 960}, {10}},
      {"flag_ok", kOne, {64, 1, 1}, {64}},
      {"last_one_ok", {7, 1, 1}, {64, 1, 1}, {64, 64, 1, 1}},
      {"last_each_ok", {7, 1, 1}, {64, 1, 1}, {64, 448, 1, 1}},
      {"last_after_ok", {7, 1, 1}, {64, 1, 1}, {64, 448, 1, 1}},
      {"grid_ok", {5, 1, 1}, {64, 1, 1}, {1, 320, 320}},
      {"ordered_ok", {5, 1, 1}, {64, 1, 1}, {5, 320}},
      {"lock_ok", {4, 1, 1}, {64, 1, 1}, {1, 1}},
      {"atomics_ok", {3, 1, 1}, {64, 1, 1}, {8}},
      {"own_rows_ok", {3, 1, 1}, {64, 1, 1}, {300}, {100}},
  };
  for (const Schedule& schedule : kSchedules) {
    TestGpu gpu = patient(schedule);
    for (const Run& run : runs) {
      INFO(run.kernel << " in order " << static_cast<int>(schedule.order) << ", " << schedule.seed);
      launch(gpu, run);
      launch(gpu, run);  // nothing of one launch is left for the next
      gpu.require_clean();
    }
  }
}

TEST_CASE("a race is found in every order of warps and blocks, with both lines") {
  struct Wrong {
    Run run;
    std::string function;  ///< that carries the marks
    Severity severity = Severity::kError;
    std::string space = "shared";
  };
  const std::vector<Wrong> wrongs = {
      {{"raw", kOne, {256, 1, 1}, {256, 256}}, "raw"},
      {{"war_loop", kOne, {64, 1, 1}, {640, 64}, {10}}, "war_loop"},
      {{"many_readers", kOne, {96, 1, 1}, {96}}, "many_readers"},
      {{"waw", kOne, {96, 1, 1}, {96}}, "waw"},
      {{"waw_same", kOne, {96, 1, 1}, {96}}, "waw_same", Severity::kInfo},
      {{"waw_lanes", kOne, {32, 1, 1}, {32}}, "waw_lanes", Severity::kWarning},
      {{"waw_lanes", kOne, {64, 1, 1}, {64}}, "waw_lanes"},
      {{"lanes", kOne, {32, 1, 1}, {32}}, "lanes", Severity::kWarning},
      {{"lanes_shuffle", kOne, {32, 1, 1}, {32}}, "lanes_shuffle", Severity::kWarning},
      {{"in_step", kOne, {64, 1, 1}, {64}}, "in_step", Severity::kWarning},
      {{"halves", kOne, {32, 1, 1}, {32}}, "halves", Severity::kWarning},
      {{"bytes", kOne, {64, 1, 1}, {16}}, "bytes"},
      {{"flag_bare", kOne, {64, 1, 1}, {64}}, "flag_in_block"},
      {{"last_bare", {7, 1, 1}, {64, 1, 1}, {64, 448, 1, 1}}, "last_block", Severity::kError, "global"},
      {{"last_early", {7, 1, 1}, {64, 1, 1}, {64, 448, 1, 1}}, "last_block", Severity::kError, "global"},
      {{"grid_bare", {5, 1, 1}, {64, 1, 1}, {1, 320, 320}}, "rotate", Severity::kError, "global"},
      {{"relaxed", {2, 1, 1}, {1, 1, 1}, {1, 2}}, "relaxed", Severity::kError, "global"},
      {{"lock_bare", {4, 1, 1}, {64, 1, 1}, {1, 1}}, "lock_bare", Severity::kError, "global"},
      {{"between_blocks", {2, 1, 1}, {32, 1, 1}, {4}}, "between_blocks", Severity::kError, "global"},
      {{"read_by_blocks", {3, 1, 1}, {32, 1, 1}, {1, 1}}, "read_by_blocks", Severity::kError, "global"},
      {{"in_place", {2, 1, 1}, {64, 1, 1}, {128}, {128}}, "in_place", Severity::kError, "global"},
  };
  for (const Schedule& schedule : kSchedules) {
    for (const Wrong& wrong : wrongs) {
      INFO(wrong.run.kernel << " in order " << static_cast<int>(schedule.order) << ", " << schedule.seed);
      TestGpu gpu = patient(schedule);
      launch(gpu, wrong.run);
      check_race(gpu, wrong.function, wrong.severity, wrong.space);
    }
  }
}

TEST_CASE("a producer that does not wait until its buffer is empty races or hangs") {
  for (const Schedule& schedule : kSchedules) {
    INFO("order " << static_cast<int>(schedule.order) << ", " << schedule.seed);
    TestGpu gpu = patient(schedule);
    launch(gpu, {"pipeline_early", kOne, {128, 1, 1}, {320, 960}, {10}});
    REQUIRE_FALSE(gpu.gpu->faults().empty());
    for (const device::Fault& fault : gpu.gpu->faults()) {
      INFO(fault.message);
      CHECK((fault.kind == device::FaultKind::kRace || fault.kind == device::FaultKind::kDeadlock));
    }
  }
}

TEST_CASE("an atomic against another thread's plain write, also behind the writer's own atomic") {
  for (const Schedule& schedule : kSchedules) {
    for (const std::string kernel : {"plain_then_atomic", "plain_and_atomic"}) {
      INFO(kernel << " in order " << static_cast<int>(schedule.order) << ", " << schedule.seed);
      TestGpu gpu = patient(schedule);
      launch(gpu, {kernel, kOne, {64, 1, 1}, {1}});
      check_race(gpu, kernel, Severity::kError, "shared");
    }
  }
}

TEST_CASE("the words of a race: what, where, with whom, and which lines") {
  TestGpu gpu(test_ptx("vgpu/races"));
  const device::Address in = gpu.buffer(counting(256)), out = gpu.buffer(std::vector<int>(256));
  REQUIRE(gpu.launch("raw", {1, 1, 1}, {256, 1, 1}, in, out).ok());
  const device::Fault& fault = gpu.fault();
  const int here = marked("raw", "// here"), there = marked("raw", "// there");
  CHECK(fault.message ==
        "write of 4 bytes of shared memory s (offset 512) races with a read by thread (127, 0, 0): nothing orders them; is a "
        "__syncthreads() missing between line " +
            std::to_string(here) + " and line " + std::to_string(there) + "?");
  CHECK(fault.thread.x == 128);
  CHECK(fault.lanes_affected == 32);
  CHECK(fault.related[0].what == "read of 4 bytes");
  CHECK(fault.related[0].frames[0].file == "races.cu");
  CHECK(gpu.gpu->synchronize().code == device::Code::kLaunchFailure);
}

TEST_CASE("a race of two writes says which values, a warning ends nothing, and one pair of lines is one finding") {
  TestGpu gpu(test_ptx("vgpu/races"));
  const device::Address out = gpu.buffer(std::vector<int>(32));
  REQUIRE(gpu.launch("waw_lanes", {4, 1, 1}, {32, 1, 1}, out).ok());
  REQUIRE(gpu.gpu->synchronize().ok());
  std::vector<device::Fault> faults = gpu.gpu->faults();
  std::erase_if(faults, [](const device::Fault& fault) { return fault.severity == Severity::kInfo; });  // all blocks write the same output
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].severity == Severity::kWarning);
  CHECK(faults[0].message.find("(0 or 1 may stay there)") != std::string::npos);
  CHECK(faults[0].message.find("another lane of its warp") != std::string::npos);
  CHECK(gpu.read<int>(out, 1)[0] == 31);
}

TEST_CASE("writes of one value are no reason to try another order, any other race is") {
  TestGpu same = patient(), different = patient();
  launch(same, {"waw_same", kOne, {96, 1, 1}, {96}});
  REQUIRE_FALSE(same.gpu->faults().empty());
  CHECK_FALSE(same.gpu->order_matters());
  launch(different, {"waw", kOne, {96, 1, 1}, {96}});
  CHECK(different.gpu->order_matters());
}

TEST_CASE("an allocation that is expected to be read only has no shadow until somebody writes there, and then is watched") {
  TestGpu gpu = patient();
  const device::Address in = gpu.buffer(counting(256)), out = gpu.buffer(std::vector<int>(256));
  gpu.gpu->expect_only_reads(in);
  const std::uint64_t before = gpu.gpu->shadow_bytes(in);
  REQUIRE(gpu.launch("raw_ok", {1, 1, 1}, {256, 1, 1}, in, out).ok());
  CHECK(gpu.gpu->shadow_bytes(in) == before);
  gpu.require_clean();
  REQUIRE(gpu.launch("between_blocks", {2, 1, 1}, {32, 1, 1}, in).ok());
  CHECK(gpu.gpu->shadow_bytes(in) > before);
  check_race(gpu, "between_blocks", Severity::kError, "global");
}

TEST_CASE("what a kernel may only read has no shadow and cannot race") {
  TestGpu gpu(test_ptx("vgpu/races"));
  const device::Address in = gpu.buffer(counting(64)), out = gpu.buffer(std::vector<int>(64));
  gpu.gpu->set_read_only(in, true);
  REQUIRE(gpu.launch("war_loop_ok", {1, 1, 1}, {64, 1, 1}, in, out, 1).ok());
  gpu.require_clean();
}

TEST_CASE("switched off, races go unnoticed") {
  Options options;
  options.check_races = options.check_initialised = false;
  TestGpu gpu(test_ptx("vgpu/races"), options);
  const device::Address in = gpu.buffer(counting(256)), out = gpu.buffer(std::vector<int>(256));
  REQUIRE(gpu.launch("raw", {1, 1, 1}, {256, 1, 1}, in, out).ok());
  gpu.require_clean();
}

}  // namespace warpbook::vgpu::testing
