#include <algorithm>
#include <bit>
#include <numeric>

#include "judge/vgpu/test_gpu.hpp"

namespace warpbook::vgpu::testing {

namespace {

std::vector<int> counting(int count) {
  std::vector<int> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 0);
  return values;
}

}  // namespace

TEST_CASE("a warp sums its values with shuffles") {
  TestGpu gpu(test_ptx("vgpu/together"));
  std::vector<float> values(64);
  std::iota(values.begin(), values.end(), 1.0f);
  const device::Address in = gpu.buffer(values), out = gpu.buffer(std::vector<float>(2));
  REQUIRE(gpu.launch("sum_warp", {1, 1, 1}, {64, 1, 1}, in, out).ok());
  gpu.require_clean();
  CHECK(gpu.read<float>(out, 2) == std::vector<float>{528, 1552});
}

TEST_CASE("all modes of the shuffle, with segments") {
  TestGpu gpu(test_ptx("vgpu/together"));
  const device::Address out = gpu.buffer(std::vector<int>(192));
  REQUIRE(gpu.launch("shuffles", {1, 1, 1}, {32, 1, 1}, out).ok());
  gpu.require_clean();
  const std::vector<int> got = gpu.read<int>(out, 192);
  for (int lane = 0; lane < 32; ++lane) {
    const auto at = [&](int row) { return got[static_cast<std::size_t>(row * 32 + lane)]; };
    INFO("lane " << lane);
    CHECK(at(0) == (lane + 3) % 32 * 10);
    CHECK(at(1) == (lane < 5 ? lane : lane - 5));
    CHECK(at(2) == (lane % 16 + 7 < 16 ? lane + 7 : lane));
    CHECK(at(3) == (((lane ^ 9) | 7) <= (lane | 7) ? lane ^ 9 : lane));
    CHECK(at(4) == lane / 8 * 8 + 2);
    CHECK(at(5) == (lane % 4 < 3 ? lane : lane - 3));
  }
}

TEST_CASE("the predicate of a shuffle says whether the partner is in range") {
  TestGpu gpu(test_ptx("vgpu/together"));
  const device::Address out = gpu.buffer(std::vector<int>(32));
  REQUIRE(gpu.launch("predicated", {1, 1, 1}, {32, 1, 1}, out, 20).ok());
  gpu.require_clean();
  const std::vector<int> got = gpu.read<int>(out, 32);
  for (int lane = 0; lane < 32; ++lane) CHECK(got[static_cast<std::size_t>(lane)] == (lane + 4 <= 20 ? 2 * lane + 4 : lane));
}

TEST_CASE("votes, matches and reductions of a warp") {
  TestGpu gpu(test_ptx("vgpu/together"));
  std::vector<int> values(32);
  for (int i = 0; i < 32; ++i) values[static_cast<std::size_t>(i)] = i % 8;
  const device::Address in = gpu.buffer(values), out = gpu.buffer(std::vector<unsigned>(224));
  REQUIRE(gpu.launch("votes", {1, 1, 1}, {32, 1, 1}, in, out).ok());
  gpu.require_clean();
  const std::vector<unsigned> got = gpu.read<unsigned>(out, 224);
  for (unsigned lane = 0; lane < 32; ++lane) {
    INFO("lane " << lane);
    CHECK(got[lane] == 0xF0F0F0F0u);
    CHECK(got[32 + lane] == 3u);
    CHECK(got[64 + lane] == 0x01010101u << lane % 8);
    CHECK(got[96 + lane] == 0u);  // ~0 + 1: everybody matches, and the predicate is 1
    CHECK(got[128 + lane] == 112u);
    CHECK(got[160 + lane] == static_cast<unsigned>(-7));
    CHECK(got[192 + lane] == 0u);
  }
}

TEST_CASE("halves of a warp shuffle under their own masks") {
  TestGpu gpu(test_ptx("vgpu/together"));
  const device::Address out = gpu.buffer(std::vector<int>(32));
  REQUIRE(gpu.launch("halves", {1, 1, 1}, {32, 1, 1}, out).ok());
  gpu.require_clean();
  const std::vector<int> got = gpu.read<int>(out, 32);
  for (int lane = 0; lane < 32; ++lane) CHECK(got[static_cast<std::size_t>(lane)] == (lane < 16 ? (lane ^ 1) + 100 : (lane ^ 3) + 200));
}

TEST_CASE("lanes meet at two different shuffle instructions") {
  TestGpu gpu(test_ptx("vgpu/together"));
  const device::Address out = gpu.buffer(std::vector<int>(32));
  REQUIRE(gpu.launch("two_places", {1, 1, 1}, {32, 1, 1}, out).ok());
  gpu.require_clean();
  const std::vector<int> got = gpu.read<int>(out, 32);
  for (int lane = 0; lane < 32; ++lane) CHECK(got[static_cast<std::size_t>(lane)] == (lane < 10 ? 62 : 1000));
}

TEST_CASE("lanes of one warp take a lock in turn") {
  TestGpu gpu(test_ptx("vgpu/together"));
  const device::Address lock = gpu.buffer(std::vector<int>{0}), out = gpu.buffer(std::vector<int>{1});
  REQUIRE(gpu.launch("lock_lanes", {2, 1, 1}, {64, 1, 1}, lock, out).ok());
  gpu.require_clean();
  unsigned expected = 1;
  for (int i = 0; i < 128; ++i) expected = expected * 3 + 1;
  CHECK(gpu.read<unsigned>(out, 1)[0] == expected);
}

TEST_CASE("dynamic and static shared memory of a block") {
  TestGpu gpu(test_ptx("vgpu/together"));
  const device::Address in = gpu.buffer(counting(1024)), out = gpu.buffer(std::vector<int>(1024));
  gpu.dynamic_shared = 4096;
  REQUIRE(gpu.launch("reverse", {1, 1, 1}, {1024, 1, 1}, in, out).ok());
  gpu.require_clean();
  const std::vector<int> got = gpu.read<int>(out, 1024);
  for (int t = 0; t < 1024; ++t) CHECK(got[static_cast<std::size_t>(t)] == 1023 - t + (t & 3));
}

TEST_CASE("a barrier waits only for threads that have not returned") {
  for (const int n : {70, 64, 33, 1}) {
    TestGpu gpu(test_ptx("vgpu/together"));
    const device::Address out = gpu.buffer(std::vector<int>(96, -1));
    REQUIRE(gpu.launch("some_return", {1, 1, 1}, {96, 1, 1}, out, n).ok());
    gpu.require_clean();
    const std::vector<int> got = gpu.read<int>(out, 96);
    for (int t = 0; t < 96; ++t) CHECK(got[static_cast<std::size_t>(t)] == (t < n ? n * (n - 1) / 2 : -1));
  }
}

TEST_CASE("barriers that count, and a block that is no multiple of the warp") {
  TestGpu gpu(test_ptx("vgpu/together"));
  const device::Address out = gpu.buffer(std::vector<int>(70));
  REQUIRE(gpu.launch("counted", {1, 1, 1}, {70, 1, 1}, out).ok());
  gpu.require_clean();
  for (const int value : gpu.read<int>(out, 70)) CHECK(value == 24 * 100 + 10);
}

TEST_CASE("a warp spins on shared memory while others meet at a named barrier") {
  TestGpu gpu(test_ptx("vgpu/together"));
  const device::Address out = gpu.buffer(std::vector<int>(32));
  REQUIRE(gpu.launch("flags", {1, 1, 1}, {96, 1, 1}, out).ok());
  gpu.require_clean();
  CHECK(gpu.read<int>(out, 32) == std::vector<int>(32, 42));
}

TEST_CASE("a grid barrier by hand works while all blocks fit") {
  constexpr unsigned kBlocks = 40;
  Options options;
  options.properties.multiprocessors = 2;  // room for 64 blocks
  TestGpu gpu(test_ptx("vgpu/together"), options);
  const device::Address arrived = gpu.buffer(std::vector<int>{0}), out = gpu.buffer(std::vector<int>(2 * kBlocks));
  REQUIRE(gpu.launch("all_blocks", {kBlocks, 1, 1}, {64, 1, 1}, arrived, out).ok());
  gpu.require_clean();
  const std::vector<int> got = gpu.read<int>(out, 2 * kBlocks);
  for (unsigned b = 0; b < kBlocks; ++b) CHECK(got[kBlocks + b] == static_cast<int>((b + 1) % kBlocks) + 1);
}

TEST_CASE("a grid barrier by hand hangs when blocks are left over, and the report says so") {
  Options options;
  options.properties.multiprocessors = 1;  // room for 32 blocks
  TestGpu gpu(test_ptx("vgpu/together"), options);
  const device::Address arrived = gpu.buffer(std::vector<int>{0}), out = gpu.buffer(std::vector<int>(80));
  REQUIRE(gpu.launch("all_blocks", {40, 1, 1}, {64, 1, 1}, arrived, out).ok());
  CHECK(gpu.fault().kind == device::FaultKind::kDeadlock);
  CHECK(gpu.fault().message ==
        "all 32 blocks that fit on the device wait for memory to change, and 8 of 40 blocks have not begun: whoever waits for the whole "
        "grid needs at most 32 blocks of this size (32 on each of 1 multiprocessors)");
  REQUIRE(gpu.fault().waiters.size() <= 3);
  CHECK(gpu.fault().waiters.front().threads.starts_with("32 blocks, (0, 0, 0) to (31, 0, 0), "));
  CHECK(gpu.gpu->counters().thread_instructions < 1'000'000);  // found at once, not by exhaustion
}

TEST_CASE("cooperative groups meet across the grid") {
  TestGpu gpu(test_ptx("vgpu/together"));
  gpu.cooperative = true;
  const device::Address out = gpu.buffer(std::vector<int>(8 * 64 + 8));
  REQUIRE(gpu.launch("whole_grid", {8, 1, 1}, {64, 1, 1}, out).ok());
  gpu.require_clean();
  const std::vector<int> got = gpu.read<int>(out, 8 * 64 + 8);
  for (int b = 0; b < 8; ++b) CHECK(got[static_cast<std::size_t>(512 + b)] == (b + 1) % 8 * 64);
  CHECK(gpu.launch("whole_grid", {100000, 1, 1}, {64, 1, 1}, out).code == device::Code::kCooperativeLaunchTooLarge);
}

TEST_CASE("atomics of every kind") {
  TestGpu gpu(test_ptx("vgpu/together"));
  std::vector<int> start(48, 0);
  start[2] = -5;
  start[3] = -1;
  start[40] = 77;
  const device::Address i = gpu.buffer(start), f = gpu.buffer(std::vector<float>{1}), d = gpu.buffer(std::vector<double>{2}),
                        u = gpu.buffer(std::vector<std::uint64_t>{0, 1, 0});
  REQUIRE(gpu.launch("atomics", {1, 1, 1}, {32, 1, 1}, i, f, d, u).ok());
  gpu.require_clean();
  const std::vector<int> got = gpu.read<int>(i, 48);
  CHECK(got[0] == 496);
  CHECK(got[1] == -31);
  CHECK(got[2] == 30);
  CHECK(got[3] == 0);
  CHECK(got[4] == -1);
  CHECK(got[5] == 0);
  CHECK(got[6] == 2);  // 0, 1, ... 9, 0 ...: 32 steps of a cycle of ten
  CHECK(got[7] == 8);  // 0 -> 9 -> 8 ... -> 0 -> 9
  for (int t = 0; t < 32; ++t) CHECK(got[static_cast<std::size_t>(8 + t)] == (t == 0 ? 77 : t - 1));
  CHECK(got[40] == 31);
  CHECK(gpu.read<float>(f, 1)[0] == 17.0f);
  CHECK(gpu.read<double>(d, 1)[0] == 10.0);
  CHECK(gpu.read<std::uint64_t>(u, 3) == std::vector<std::uint64_t>{std::uint64_t{32} << 33, std::uint64_t{31} << 32, 32});
}

TEST_CASE("the last block to finish adds up what the others left") {
  TestGpu gpu(test_ptx("vgpu/together"));
  std::vector<float> values(50);
  std::iota(values.begin(), values.end(), 0.0f);
  const device::Address in = gpu.buffer(values), partial = gpu.buffer(std::vector<float>(50)), done = gpu.buffer(std::vector<unsigned>{0}),
                        out = gpu.buffer(std::vector<float>{0});
  REQUIRE(gpu.launch("last_block", {50, 1, 1}, {64, 1, 1}, in, partial, done, out).ok());
  gpu.require_clean();
  CHECK(gpu.read<float>(out, 1)[0] == 2450.0f);
}

TEST_CASE("another order of warps gives the same answer") {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    Options options;
    options.schedule = {Schedule::Order::kSeeded, seed};
    TestGpu gpu(test_ptx("vgpu/together"), options);
    const device::Address in = gpu.buffer(counting(512)), out = gpu.buffer(std::vector<int>(512));
    gpu.dynamic_shared = 2048;
    REQUIRE(gpu.launch("reverse", {1, 1, 1}, {512, 1, 1}, in, out).ok());
    gpu.require_clean();
    CHECK(gpu.read<int>(out, 1)[0] == 511);
  }
}

}  // namespace warpbook::vgpu::testing
