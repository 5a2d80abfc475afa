// Programs in which threads and blocks talk through memory: atomics, flags, locks, barriers of their own.
#include <algorithm>

#include "judge/vgpu/test_programs.hpp"

namespace warpbook::vgpu::testing {

TEST_CASE("program: cuda::atomic_ref") {
  on_each_target("atomic_ref", [](TestGpu& gpu) {
    constexpr int kCount = 300;
    std::vector<float> values = mixed_values<float>(kCount);
    for (float& value : values) value += 100;
    const device::Address in = gpu.buffer(values), histogram = gpu.buffer(std::vector<unsigned>(8)),
                          largest = gpu.buffer(std::vector<float>{-1}), total = gpu.buffer(std::vector<unsigned long long>{0});
    REQUIRE(gpu.launch("atomic_ref", {5, 1, 1}, {64, 1, 1}, in, kCount, histogram, largest, total).ok());
    gpu.require_clean();
    std::vector<unsigned> expected(8);
    for (const float value : values) ++expected[static_cast<unsigned>(value) & 7u];
    CHECK(gpu.read<unsigned>(histogram, 8) == expected);
    CHECK(gpu.read<float>(largest, 1)[0] == *std::max_element(values.begin(), values.end()));
    CHECK(gpu.read<unsigned long long>(total, 1)[0] == kCount * (kCount - 1) / 2);
  });
}

TEST_CASE("program: a message behind a flag that is released and acquired") {
  on_each_target("atomic_ref", [](TestGpu& gpu) {
    const device::Address message = gpu.buffer(std::vector<int>(32)), flag = gpu.buffer(std::vector<int>{0}),
                          out = gpu.buffer(std::vector<int>(96));
    REQUIRE(gpu.launch("mailbox", {4, 1, 1}, {32, 1, 1}, message, flag, out).ok());
    gpu.require_clean();
    const std::vector<int> got = gpu.read<int>(out, 96);
    for (std::size_t i = 0; i < 96; ++i) CHECK(got[i] == 100 + static_cast<int>(i % 32));
  });
}

TEST_CASE("program: the block that finishes last adds up what the others left") {
  on_each_target("last_block", [](TestGpu& gpu) {
    constexpr int kCount = 5000;
    const std::vector<float> values = mixed_values<float>(kCount);
    float sum = 0;
    for (const float value : values) sum += value;
    const device::Address in = gpu.buffer(values), partial = gpu.buffer(std::vector<float>(16)), out = gpu.buffer(std::vector<float>{0});
    for (int launch = 0; launch < 2; ++launch) {  // the counter is back at zero for the second one
      REQUIRE(gpu.launch("last_block", {16, 1, 1}, {128, 1, 1}, in, kCount, partial, out).ok());
      gpu.require_clean();
      CHECK(gpu.read<float>(out, 1)[0] == sum);
    }
  });
}

TEST_CASE("program: a grid barrier made by hand works while all blocks are resident") {
  on_each_target("grid_barrier_by_hand", [](TestGpu& gpu) {
    constexpr std::size_t kBlocks = 20, kThreads = 64;
    constexpr int kRounds = 5;
    std::vector<int> values = mixed_values<int>(kBlocks * kThreads);
    const device::Address a = gpu.buffer(values), b = gpu.buffer(std::vector<int>(values.size())),
                          state = gpu.buffer(std::vector<unsigned>(2));
    REQUIRE(gpu.launch("grid_barrier_by_hand", {kBlocks, 1, 1}, {kThreads, 1, 1}, a, b, state, kRounds).ok());
    gpu.require_clean();
    for (int round = 0; round < kRounds; ++round) {
      std::vector<int> next(values.size());
      for (std::size_t i = 0; i < values.size(); ++i) next[i] = values[i] + values[(i + kThreads) % values.size()];
      values = next;
    }
    CHECK(gpu.read<int>(kRounds % 2 == 0 ? a : b, values.size()) == values);
    CHECK(gpu.read<unsigned>(state, 2) == std::vector<unsigned>{0, kRounds});
  });
}

TEST_CASE("program: a grid barrier made by hand hangs when blocks cannot be resident") {
  Options options = options_for(80);
  options.properties.multiprocessors = 2;
  options.properties.max_blocks_per_multiprocessor = 4;
  TestGpu gpu(program_ptx("grid_barrier_by_hand", 80), options);
  const device::Address a = gpu.buffer(std::vector<int>(10 * 64)), b = gpu.buffer(std::vector<int>(10 * 64)),
                        state = gpu.buffer(std::vector<unsigned>(2));
  REQUIRE(gpu.launch("grid_barrier_by_hand", {8, 1, 1}, {64, 1, 1}, a, b, state, 3).ok());
  gpu.require_clean();
  REQUIRE(gpu.launch("grid_barrier_by_hand", {10, 1, 1}, {64, 1, 1}, a, b, state, 3).ok());
  CHECK(gpu.fault().kind == device::FaultKind::kDeadlock);
  CHECK(gpu.fault().message ==
        "all 8 blocks that fit on the device wait for memory to change, and 2 of 10 blocks have not begun: whoever waits for the whole grid "
        "needs at most 8 blocks of this size (4 on each of 2 multiprocessors)");
  REQUIRE_FALSE(gpu.fault().waiters.empty());
  CHECK(gpu.fault().waiters.front().threads.starts_with("8 blocks, (0, 0, 0) to (7, 0, 0), warp 0, "));
}

TEST_CASE("program: every thread takes a lock") {
  on_each_target("spin_lock", [](TestGpu& gpu) {
    const device::Address lock = gpu.buffer(std::vector<int>{0}), counter = gpu.buffer(std::vector<int>{0}),
                          order = gpu.buffer(std::vector<int>(192));
    REQUIRE(gpu.launch("spin_lock", {3, 1, 1}, {64, 1, 1}, lock, counter, order).ok());
    gpu.require_clean();
    CHECK(gpu.read<int>(counter, 1)[0] == 192);
    std::vector<int> seen = gpu.read<int>(order, 192);
    std::sort(seen.begin(), seen.end());
    for (std::size_t i = 0; i < seen.size(); ++i) CHECK(seen[i] == static_cast<int>(i));
  });
}

TEST_CASE("program: blocks take a lock in the order of their tickets") {
  on_each_target("spin_lock", [](TestGpu& gpu) {
    const device::Address tickets = gpu.buffer(std::vector<unsigned>{0}), serving = gpu.buffer(std::vector<unsigned>{0}),
                          values = gpu.buffer(std::vector<int>(64));
    REQUIRE(gpu.launch("ticket_lock", {7, 1, 1}, {64, 1, 1}, tickets, serving, values).ok());
    gpu.require_clean();
    CHECK(gpu.read<int>(values, 64) == std::vector<int>(64, 127));
  });
}

TEST_CASE("program: more than 48 KB of shared memory") {
  on_each_target("large_shared", [](TestGpu& gpu) {
    constexpr std::size_t kSize = 140;
    const std::vector<float> values = mixed_values<float>(kSize * kSize);
    const device::Address in = gpu.buffer(values), out = gpu.buffer(std::vector<float>(values.size())),
                          sums = gpu.buffer(std::vector<double>(kSize));
    gpu.dynamic_shared = kSize * (kSize + 1) * sizeof(float) + kSize * sizeof(double);
    CHECK_FALSE(gpu.launch("large_shared", {1, 1, 1}, {256, 1, 1}, in, out, sums, static_cast<int>(kSize)).ok());
    gpu.dynamic_shared_limit = gpu.dynamic_shared;
    REQUIRE(gpu.launch("large_shared", {1, 1, 1}, {256, 1, 1}, in, out, sums, static_cast<int>(kSize)).ok());
    gpu.require_clean();
    const std::vector<float> got = gpu.read<float>(out, values.size());
    const std::vector<double> columns = gpu.read<double>(sums, kSize);
    for (std::size_t r = 0; r < kSize; ++r) {
      double sum = 0;
      for (std::size_t c = 0; c < kSize; ++c) {
        CHECK(got[r * kSize + c] == values[c * kSize + r]);
        sum += static_cast<double>(values[c * kSize + kSize - 1 - r]);
      }
      CHECK(columns[r] == sum);
    }
  });
}

}  // namespace warpbook::vgpu::testing
