#include "judge/vgpu/test_gpu.hpp"

namespace warpbook::vgpu::testing {

namespace {

struct Wide {
  int numbers[6];
  double factor;
};

int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

}  // namespace

TEST_CASE("functions call themselves, each lane to its own depth") {
  TestGpu gpu(test_ptx("vgpu/structure"));
  const device::Address out = gpu.buffer(std::vector<int>(64));
  REQUIRE(gpu.launch("recurse", {1, 1, 1}, {64, 1, 1}, out).ok());
  gpu.require_clean();
  const std::vector<int> got = gpu.read<int>(out, 64);
  for (int t = 0; t < 64; ++t) CHECK(got[static_cast<std::size_t>(t)] == fibonacci(t % 11));
}

TEST_CASE("lanes call different functions through a table of pointers") {
  TestGpu gpu(test_ptx("vgpu/structure"));
  const device::Address out = gpu.buffer(std::vector<float>(64));
  REQUIRE(gpu.launch("through_pointers", {1, 1, 1}, {64, 1, 1}, out).ok());
  gpu.require_clean();
  const std::vector<float> got = gpu.read<float>(out, 64);
  const float weights[4] = {1, 2, 4, 8};
  for (int t = 0; t < 64; ++t) {
    const float x = weights[t & 3] * static_cast<float>(t);
    const float y = t % 3 == 0 ? x + 1 : t % 3 == 1 ? x * 2 : x > 10 ? 10 : x;
    CHECK(got[static_cast<std::size_t>(t)] == y + 2);
  }
}

TEST_CASE("structs travel by value, into kernels and into functions") {
  TestGpu gpu(test_ptx("vgpu/structure"));
  const Wide wide{{3, 0, 5, 7, 11, 13}, 0.5};
  const device::Address out = gpu.buffer(std::vector<double>(32)), indexed = gpu.buffer(std::vector<int>(32));
  REQUIRE(gpu.launch("by_value", {1, 1, 1}, {32, 1, 1}, out, wide).ok());
  REQUIRE(gpu.launch("by_index", {1, 1, 1}, {32, 1, 1}, indexed, wide).ok());
  gpu.require_clean();
  const std::vector<double> got = gpu.read<double>(out, 32);
  const std::vector<int> picked = gpu.read<int>(indexed, 32);
  for (int t = 0; t < 32; ++t) {
    CHECK(got[static_cast<std::size_t>(t)] == (t % 6 == 1 ? t : wide.numbers[t % 6]) * 0.5);
    CHECK(picked[static_cast<std::size_t>(t)] == wide.numbers[t % 6]);
  }
}

TEST_CASE("device variables keep their value between launches and can be found by name") {
  TestGpu gpu(test_ptx("vgpu/structure"));
  const device::Address out = gpu.buffer(std::vector<int>(32));
  for (int i = 0; i < 2; ++i) REQUIRE(gpu.launch("count", {1, 1, 1}, {32, 1, 1}, out).ok());
  device::Address variable = 0;
  std::uint64_t bytes = 0;
  REQUIRE(gpu.gpu->find_variable(gpu.module, "counter", variable, bytes).ok());
  CHECK(bytes == 4);
  CHECK(gpu.read<int>(variable, 1)[0] == 5 + 2 * 64);
  CHECK(gpu.read<int>(out, 32)[31] == 5 + 2 * 63);
  CHECK(gpu.gpu->find_variable(gpu.module, "nothing", variable, bytes).code == device::Code::kInvalidSymbol);
}

TEST_CASE("printf knows its conversions") {
  TestGpu gpu(test_ptx("vgpu/structure"));
  REQUIRE(gpu.launch("say", {1, 1, 1}, {2, 1, 1}, 3).ok());
  gpu.require_clean();
  CHECK(gpu.gpu->take_output() ==
        "t 0 of 2:  4.50|abc   |1099511627776|ff|z|%|1.250000e-01|0x10\n"
        "t 1 of 2:  4.50|abc   |1099511627776|ff|z|%|1.250000e-01|0x10\n");
  CHECK(gpu.gpu->take_output().empty());
}

TEST_CASE("a failed assertion stops the kernel and says which") {
  TestGpu gpu(test_ptx("vgpu/structure"));
  const device::Address in = gpu.buffer(std::vector<int>{1, 2, 9, 4});
  REQUIRE(gpu.launch("check", {1, 1, 1}, {4, 1, 1}, in).ok());
  CHECK(gpu.fault().kind == device::FaultKind::kAssert);
  CHECK(gpu.fault().thread == device::Dim3{2, 0, 0});
  CHECK(gpu.fault().message.find("in[threadIdx.x] < 5") != std::string::npos);
  CHECK(gpu.gpu->synchronize().code == device::Code::kAssert);
  CHECK(gpu.gpu->take_output().find("Assertion `in[threadIdx.x] < 5` failed") != std::string::npos);
}

TEST_CASE("a trap is a launch failure, once it is reached") {
  TestGpu gpu(test_ptx("vgpu/structure"));
  const device::Address in = gpu.buffer(std::vector<int>{1});
  REQUIRE(gpu.launch("stop", {1, 1, 1}, {32, 1, 1}, in).ok());
  gpu.require_clean();
  REQUIRE(gpu.gpu->fill(in, 0, 4, 1).ok());
  REQUIRE(gpu.launch("stop", {1, 1, 1}, {32, 1, 1}, in).ok());
  CHECK(gpu.fault().kind == device::FaultKind::kTrap);
  CHECK(gpu.gpu->synchronize().code == device::Code::kLaunchFailure);
}

TEST_CASE("endless recursion fills the stack") {
  TestGpu gpu(test_ptx("vgpu/structure"));
  const device::Address out = gpu.buffer(std::vector<int>{1});
  REQUIRE(gpu.launch("overflow_stack", {1, 1, 1}, {1, 1, 1}, out).ok());
  CHECK(gpu.fault().kind == device::FaultKind::kStackOverflow);
}

TEST_CASE("a call through a wild pointer is named") {
  TestGpu gpu(test_ptx("vgpu/structure"));
  const device::Address out = gpu.buffer(std::vector<float>{0});
  REQUIRE(gpu.launch("wild_call", {1, 1, 1}, {1, 1, 1}, out).ok());
  CHECK(gpu.fault().kind == device::FaultKind::kInvalidCall);
  CHECK(gpu.gpu->synchronize().code == device::Code::kInvalidPc);
}

TEST_CASE("malloc on the device gives memory of its own") {
  TestGpu gpu(test_ptx("vgpu/structure"));
  const device::Address out = gpu.buffer(std::vector<std::uint64_t>{0});
  REQUIRE(gpu.launch("on_the_heap", {1, 1, 1}, {1, 1, 1}, out).ok());
  gpu.require_clean();
  CHECK(gpu.read<std::uint64_t>(out, 1)[0] % 16 == 0);
  CHECK(gpu.read<std::uint64_t>(out, 1)[0] != 0);
}

TEST_CASE("arrays indexed at run time live in local memory") {
  TestGpu gpu(test_ptx("vgpu/structure"));
  std::vector<int> index(32);
  for (int i = 0; i < 32; ++i) index[static_cast<std::size_t>(i)] = i * 5 + 3;
  const device::Address in = gpu.buffer(index), out = gpu.buffer(std::vector<float>(32));
  REQUIRE(gpu.launch("local_array", {1, 1, 1}, {32, 1, 1}, in, out).ok());
  gpu.require_clean();
  const std::vector<float> got = gpu.read<float>(out, 32);
  for (int t = 0; t < 32; ++t) CHECK(got[static_cast<std::size_t>(t)] == 496.0f * static_cast<float>(t));
}

TEST_CASE("clocks go forward") {
  TestGpu gpu(test_ptx("vgpu/structure"));
  const device::Address out = gpu.buffer(std::vector<long long>{0, 0});
  REQUIRE(gpu.launch("clocks", {1, 1, 1}, {1, 1, 1}, out).ok());
  gpu.require_clean();
  CHECK(gpu.read<long long>(out, 1)[0] > 0);
}

}  // namespace warpbook::vgpu::testing
