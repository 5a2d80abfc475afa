// Counting by line, what DRAM must move, and the pieces that counting is made of. That the rules are hardware's: calibration_test.cpp.
#include "judge/vgpu/meters.hpp"

#include <random>
#include <set>

#include "judge/vgpu/distinct.hpp"
#include "judge/vgpu/test_gpu.hpp"

namespace warpbook::vgpu::testing {

namespace {

std::uint32_t line_of(const device::LineMeters& line) { return static_cast<std::uint32_t>(line.frames.front().line); }

/// x[0..63], strided by `step` elements, summed into y[0]: one warp, every line of its own. Line 5 loads, line 7 branches, line 9 adds.
const char* const kLines = R"(
.version 7.0
.target sm_80
.address_size 64
.file 1 "kernel.cu"
.visible .entry walk(.param .u64 x, .param .u64 y, .param .u32 step) {
  .reg .u64 %rd<6>;
  .reg .u32 %r<6>;
  .reg .f32 %f<4>;
  .reg .pred %p<3>;
  .loc 1 3 0
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  ld.param.u32 %r1, [step];
  mov.u32 %r2, %tid.x;
  mul.lo.u32 %r3, %r2, %r1;
  mul.wide.u32 %rd3, %r3, 4;
  add.u64 %rd4, %rd1, %rd3;
  .loc 1 5 0
  ld.global.f32 %f1, [%rd4];
  ld.global.f32 %f2, [%rd4];
  .loc 1 7 0
  setp.lt.u32 %p1, %r2, 8;
  @%p1 bra LOW;
  .loc 1 9 0
  red.global.add.f32 [%rd2], %f1;
LOW:
  .loc 1 11 0
  bar.sync 0;
  ret;
}
)";

}  // namespace

TEST_CASE("counts stand at the line where they arise") {
  Options options;
  options.line_meters = true;
  TestGpu gpu(kLines, options);
  const device::Address x = gpu.buffer(std::vector<float>(32 * 8, 1.0f)), y = gpu.buffer(std::vector<float>(8, 0.0f));
  REQUIRE(gpu.launch("walk", {1, 1, 1}, {32, 1, 1}, x, y, 8).ok());
  REQUIRE(gpu.launch("walk", {1, 1, 1}, {32, 1, 1}, x, y, 8).ok());
  REQUIRE(gpu.launch("walk", {1, 1, 1}, {32, 1, 1}, x, y, 1).ok());
  gpu.require_clean();

  const std::vector<device::KernelMeters> kernels = gpu.gpu->kernel_meters();
  REQUIRE(kernels.size() == 1);
  const device::KernelMeters& kernel = kernels.front();
  CHECK(kernel.launches == 3);
  CHECK(kernel.block == device::Dim3{32, 1, 1});
  std::map<std::uint32_t, device::Counters> at;
  for (const device::LineMeters& line : kernel.lines) at[line_of(line)] += line.counters;
  REQUIRE(at.count(5) == 1);
  CHECK(at[5].warp_instructions == 6);
  CHECK(at[5].thread_instructions == 6 * 32);
  CHECK(at[5].global_load_requests == 6);
  CHECK(at[5].global_load_sectors == 2 * (32 + 32 + 4));
  CHECK(at[5].global_ideal_sectors == 6 * 4);
  CHECK(at[7].divergent_branches == 3);
  CHECK(at[9].thread_instructions == 3 * 24);
  CHECK(at[9].global_reduction_requests == 3);
  CHECK(at[9].global_reduction_sectors == 3 * 24);
  CHECK(at[11].barriers == 3);
  CHECK(at[3].global_load_requests == 0);

  // Lines add up to the kernel, and the kernel to the device.
  device::Counters sum;
  for (const device::LineMeters& line : kernel.lines) sum += line.counters;
  const device::Counters total = gpu.gpu->counters();
#define COUNTER(name)            \
  CHECK(sum.name == total.name); \
  CHECK(kernel.counters.name == total.name);
#include "judge/device/counters.def"
#undef COUNTER

  // Each launch touches 32, 32 and 4 sectors of x, and reads and writes one of y; loads go there twice.
  CHECK(kernel.compulsory_read_bytes == (32 + 32 + 4 + 3) * 32);
  CHECK(kernel.compulsory_write_bytes == 3 * 32);
  CHECK(kernel.uncached_read_bytes() == (2 * (32 + 32 + 4) + 3) * 32);
  CHECK(kernel.uncached_write_bytes() == 3 * 32);
}

TEST_CASE("a line keeps the request that wastes most, counted from the tensor") {
  Options options;
  options.line_meters = true;
  TestGpu gpu(kLines, options);
  const device::Address x = gpu.buffer(std::vector<float>(32 * 8, 1.0f), "x"), y = gpu.buffer(std::vector<float>(8, 0.0f), "y");
  for (const int step : {1, 8, 2}) REQUIRE(gpu.launch("walk", {1, 1, 1}, {32, 1, 1}, x + 32, y, step == 8 ? 7 : step).ok());
  gpu.require_clean();
  const std::vector<device::KernelMeters> kernels = gpu.gpu->kernel_meters();
  const auto example = [&](std::uint32_t number) -> const device::AccessExample& {
    for (const device::LineMeters& line : kernels.front().lines)
      if (line_of(line) == number && !line.examples.empty()) return line.examples.front();
    FAIL("no example at line " << number);
    return kernels.front().lines.front().examples.front();
  };
  const device::AccessExample& load = example(5);
  CHECK(load.tensor == "x");
  CHECK(load.reads);
  CHECK_FALSE(load.writes);
  CHECK_FALSE(load.shared);
  CHECK(load.bytes == 4);
  CHECK(load.lanes == kAllLanes);
  CHECK(load.at[0] == 32);
  CHECK(load.at[31] == 32 + 31 * 7 * 4);
  CHECK(load.phase == 0);
  CHECK(load.count == 28);  // 31 steps of 28 bytes are 872 bytes, every sector of which somebody touches
  CHECK(load.ideal == 4);
  const device::AccessExample& sum = example(9);
  CHECK(sum.atomic);
  CHECK(sum.tensor == "y");
  CHECK(std::popcount(sum.lanes) == 24);
  CHECK(sum.count == 1);
  CHECK(sum.ideal == 1);
  for (const device::LineMeters& line : kernels.front().lines)
    if (line_of(line) == 7) CHECK(line.examples.empty());
}

TEST_CASE("a line keeps its heaviest request of shared memory") {
  const char* const kernel = R"(
.version 7.0
.target sm_80
.address_size 64
.file 1 "kernel.cu"
.visible .entry columns(.param .u32 step) {
  .reg .u32 %r<6>;
  .shared .align 4 .b8 tile[4096];
  .loc 1 4 0
  ld.param.u32 %r1, [step];
  mov.u32 %r2, %tid.x;
  mul.lo.u32 %r3, %r2, %r1;
  mov.u32 %r4, tile;
  add.u32 %r5, %r4, %r3;
  .loc 1 6 0
  st.shared.u32 [%r5], %r2;
  ret;
}
)";
  Options options;
  options.line_meters = true;
  TestGpu gpu(kernel, options);
  for (const int step : {4, 128, 8}) REQUIRE(gpu.launch("columns", {1, 1, 1}, {32, 1, 1}, step).ok());
  gpu.require_clean();
  const std::vector<device::KernelMeters> kernels = gpu.gpu->kernel_meters();
  const auto line =
      std::find_if(kernels.front().lines.begin(), kernels.front().lines.end(), [](const device::LineMeters& l) { return line_of(l) == 6; });
  REQUIRE(line != kernels.front().lines.end());
  REQUIRE(line->examples.size() == 1);
  const device::AccessExample& store = line->examples.front();
  CHECK(store.shared);
  CHECK(store.writes);
  CHECK(store.tensor == "tile");
  CHECK(store.count == 32);
  CHECK(store.ideal == 1);
  CHECK(store.at[2] == 256);
  CHECK(store.phase == 0);
}

TEST_CASE("without line meters only totals are kept, and another configuration has a row of its own") {
  TestGpu gpu(kLines);
  const device::Address x = gpu.buffer(std::vector<float>(64 * 8, 1.0f)), y = gpu.buffer(std::vector<float>(8, 0.0f));
  REQUIRE(gpu.launch("walk", {1, 1, 1}, {32, 1, 1}, x, y, 1).ok());
  REQUIRE(gpu.launch("walk", {1, 1, 1}, {64, 1, 1}, x, y, 1).ok());
  const std::vector<device::KernelMeters> kernels = gpu.gpu->kernel_meters();
  REQUIRE(kernels.size() == 2);
  CHECK(kernels[0].lines.empty());
  CHECK(kernels[1].counters.global_load_requests == 2 * kernels[0].counters.global_load_requests);
}

TEST_CASE("different keys are counted, whatever their order and whoever is off") {
  std::mt19937 random(7);
  const auto check = [&](const std::uint64_t* address, LaneMask active) {
    const LaneKeys keys = keys_of(address, active, 5);
    std::set<std::uint64_t> seen;
    LaneMask first = 0;
    for (int lane = 0; lane < kWarpSize; ++lane)
      if ((active >> lane & 1u) != 0 && seen.insert(address[lane] >> 5).second) first |= LaneMask{1} << lane;
    CHECK(count_distinct(keys, active) == seen.size());
    CHECK(first_lanes(keys, active) == first);
  };
  for (int round = 0; round < 2000; ++round) {
    std::uint64_t address[kWarpSize];
    const std::uint64_t base = 0x7f00'0000'0000 + random() % 4096, spread = 1 + random() % (round % 3 == 0 ? 200 : 4000);
    for (int lane = 0; lane < kWarpSize; ++lane) {
      const auto step = static_cast<std::uint64_t>(lane) * (spread % 97);
      address[lane] = round % 4 == 0 ? base + step : round % 4 == 1 ? base + 8192 - step : base + random() % spread;
    }
    LaneMask active = static_cast<LaneMask>(random());
    if (round % 5 == 0) active = kAllLanes;
    if (active != 0) check(address, active);
  }
}

}  // namespace warpbook::vgpu::testing
