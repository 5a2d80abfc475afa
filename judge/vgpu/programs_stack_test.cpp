// Programs that ask for memory while they run: on the stack (alloca), from the heap (malloc, new).
#include "judge/vgpu/test_programs.hpp"

namespace warpbook::vgpu::testing {

TEST_CASE("program: an array whose length is known only at run time") {
  on_each_target("local_arrays", [](TestGpu& gpu) {
    constexpr std::size_t kThreads = 32, kEach = 9;
    const std::vector<int> values = mixed_values<int>(kThreads * kEach);
    const device::Address in = gpu.buffer(values), out = gpu.buffer(std::vector<int>(kThreads));
    REQUIRE(gpu.launch("on_the_stack", {1, 1, 1}, {kThreads, 1, 1}, in, out, static_cast<int>(kEach)).ok());
    gpu.require_clean();
    const std::vector<int> got = gpu.read<int>(out, kThreads);
    for (std::size_t t = 0; t < kThreads; ++t) {
      int sum = 0;
      for (std::size_t i = 0; i < kEach; ++i) sum = sum * 3 + values[t * kEach + kEach - 1 - i];
      CHECK(got[t] == sum);
    }
  });
}

TEST_CASE("an array on the stack that does not fit is a stack overflow") {
  TestGpu gpu(program_ptx("local_arrays", 80), options_for(80));
  const device::Address in = gpu.buffer(std::vector<int>(8)), out = gpu.buffer(std::vector<int>(1));
  REQUIRE(gpu.launch("on_the_stack", {1, 1, 1}, {1, 1, 1}, in, out, 1 << 20).ok());
  CHECK(gpu.fault().kind == device::FaultKind::kStackOverflow);
  CHECK(gpu.fault().message.find("alloca of 4194304 bytes") == 0);
}

TEST_CASE("program: lists and arrays from the heap of the device") {
  on_each_target("device_heap", [](TestGpu& gpu) {
    constexpr std::size_t kThreads = 64;
    constexpr int kLength = 7;
    const device::Address out = gpu.buffer(std::vector<int>(kThreads));
    REQUIRE(gpu.launch("device_heap", {2, 1, 1}, {32, 1, 1}, out, kLength).ok());
    gpu.require_clean();
    const std::vector<int> got = gpu.read<int>(out, kThreads);
    for (int t = 0; t < static_cast<int>(kThreads); ++t) {
      int sum = 0;
      for (int i = 0; i < kLength + t % 3; ++i) sum += i * t;
      for (int i = 0; i < kLength; ++i) sum += i * i;
      CHECK(got[static_cast<std::size_t>(t)] == sum);
    }
  });
}

TEST_CASE("the heap of the device has a limit") {
  Options options = options_for(80);
  options.heap_bytes = 4096;
  TestGpu gpu(program_ptx("device_heap", 80), options);
  const device::Address out = gpu.buffer(std::vector<int>(1, 7));
  for (int launch = 0; launch < 3; ++launch) {  // what was freed can be had again
    REQUIRE(gpu.launch("too_much", {1, 1, 1}, {1, 1, 1}, 4000ull, out).ok());
    CHECK(gpu.read<int>(out, 1)[0] == 0);
  }
  REQUIRE(gpu.launch("too_much", {1, 1, 1}, {1, 1, 1}, 4096ull, out).ok());
  CHECK(gpu.read<int>(out, 1)[0] == 1);
  gpu.require_clean();
}

TEST_CASE("memory from the heap that is freed twice, or used afterwards, is named") {
  {
    TestGpu gpu(program_ptx("device_heap", 80), options_for(80));
    REQUIRE(gpu.launch("frees_twice", {1, 1, 1}, {1, 1, 1}, gpu.buffer(std::vector<int>(1))).ok());
    CHECK(gpu.fault().kind == device::FaultKind::kUseAfterFree);
    CHECK(gpu.fault().message.find("which has been freed before") != std::string::npos);
  }
  TestGpu gpu(program_ptx("device_heap", 80), options_for(80));
  REQUIRE(gpu.launch("uses_freed", {1, 1, 1}, {1, 1, 1}, gpu.buffer(std::vector<int>(1))).ok());
  CHECK(gpu.fault().kind == device::FaultKind::kUseAfterFree);
  CHECK(gpu.fault().message.find("into memory from malloc (16 bytes at") != std::string::npos);
}

}  // namespace warpbook::vgpu::testing
