#include <bit>
#include <numeric>

#include "judge/vgpu/test_gpu.hpp"

namespace warpbook::vgpu::testing {

namespace {

constexpr int kThreads = 64;

std::vector<int> numbers() {
  std::vector<int> values(kThreads);
  for (int t = 0; t < kThreads; ++t) values[static_cast<std::size_t>(t)] = t * 13 % 57 + 1;
  return values;
}

template <class Expected>
void check_lanes(const std::vector<int>& got, const Expected& expected) {
  for (int t = 0; t < static_cast<int>(got.size()); ++t) {
    INFO("thread " << t);
    CHECK(got[static_cast<std::size_t>(t)] == expected(t));
  }
}

}  // namespace

TEST_CASE("nested branches bring all lanes together again") {
  TestGpu gpu(test_ptx("vgpu/divergence"));
  const std::vector<int> in = numbers();
  const device::Address out = gpu.buffer(in);
  REQUIRE(gpu.launch("nested", {1, 1, 1}, {kThreads, 1, 1}, out).ok());
  gpu.require_clean();
  check_lanes(gpu.read<int>(out, kThreads), [&](int t) {
    const int x = in[static_cast<std::size_t>(t)];
    int value = 0;
    if (t & 1) {
      value += 10;
      if (t & 2) {
        value += x * 3;
        if (t & 4) value -= x + 7;
      } else {
        value ^= x + 5;
      }
      value += 1;
    } else if (t % 3 == 0) {
      value = x - 100;
    }
    return value + 32;
  });
}

TEST_CASE("loops of different length end together") {
  TestGpu gpu(test_ptx("vgpu/divergence"));
  const std::vector<int> in = numbers();
  const device::Address out = gpu.buffer(in);
  REQUIRE(gpu.launch("trips", {1, 1, 1}, {kThreads, 1, 1}, out).ok());
  gpu.require_clean();
  check_lanes(gpu.read<int>(out, kThreads), [&](int t) {
    int sum = 0;
    for (int i = 0; i < t % 7; ++i) {
      for (int j = t; j > i; j -= 5) sum += j * (i + 1) + in[static_cast<std::size_t>(t)];
    }
    return sum * 100 + 32;
  });
}

TEST_CASE("break and continue leave a loop lane by lane") {
  TestGpu gpu(test_ptx("vgpu/divergence"));
  const std::vector<int> in = numbers();
  const device::Address out = gpu.buffer(in);
  REQUIRE(gpu.launch("leave", {1, 1, 1}, {kThreads, 1, 1}, out, 40).ok());
  gpu.require_clean();
  check_lanes(gpu.read<int>(out, kThreads), [&](int t) {
    int kept = 0;
    for (int i = 0; i < 40; ++i) {
      if ((i ^ t) % 5 == 0) continue;
      kept += i + in[static_cast<std::size_t>(t)];
      if (kept > t * 8) break;
    }
    return kept;
  });
}

TEST_CASE("a switch sends each lane its own way") {
  TestGpu gpu(test_ptx("vgpu/divergence"));
  const std::vector<int> in = numbers();
  const device::Address out = gpu.buffer(in);
  // One warp: the kernel reads out[0] and out[1] while lanes write them, in the order of the switch; these two leave through `return`.
  std::vector<int> values(32);
  for (int t = 0; t < 32; ++t) values[static_cast<std::size_t>(t)] = t < 2 ? 4 + 9 * t : t * 13 % 57;
  REQUIRE(gpu.gpu->write(out, std::as_bytes(std::span(values))).ok());
  REQUIRE(gpu.launch("choose", {1, 1, 1}, {32, 1, 1}, out).ok());
  gpu.require_clean();
  check_lanes(gpu.read<int>(out, 32), [&](int t) {
    int x = values[static_cast<std::size_t>(t)];
    switch (x % 9) {
      case 0: return x + 3;
      case 1: return x * x - 4;
      case 2: return (x ^ 0x55) - 8;
      case 3: return x - 8;
      case 4: return x;
      case 5: return x / 3;
      case 6: return 13 * 7;
      case 7: return -x;
      default: return x;
    }
  });
}

TEST_CASE("a loop whose length only each lane knows") {
  TestGpu gpu(test_ptx("vgpu/divergence"));
  const device::Address out = gpu.buffer(std::vector<int>(1024));
  REQUIRE(gpu.launch("collatz", {1, 1, 1}, {1024, 1, 1}, out).ok());
  gpu.require_clean();
  check_lanes(gpu.read<int>(out, 1024), [](int t) {
    unsigned n = static_cast<unsigned>(t) + 1;
    int steps = 0;
    for (; n != 1; ++steps) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    return steps;
  });
}

}  // namespace warpbook::vgpu::testing
