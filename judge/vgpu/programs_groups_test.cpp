// Programs in which threads work in groups: cooperative groups, CUB, warp intrinsics.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "judge/vgpu/test_programs.hpp"

namespace warpbook::vgpu::testing {

TEST_CASE("program: tiles of cooperative groups") {
  on_each_target("cg_tiles", [](TestGpu& gpu) {
    const std::vector<int> values = mixed_values<int>(192);
    const device::Address in = gpu.buffer(values), sums = gpu.buffer(std::vector<int>(192)), scans = gpu.buffer(std::vector<int>(192)),
                          largest = gpu.buffer(std::vector<int>(192));
    REQUIRE(gpu.launch("cg_tiles", {2, 1, 1}, {96, 1, 1}, in, sums, scans, largest).ok());
    gpu.require_clean();
    const std::vector<int> sum = gpu.read<int>(sums, 192), scan = gpu.read<int>(scans, 192), most = gpu.read<int>(largest, 192);
    for (std::size_t i = 0; i < 192; ++i) {
      const auto tile = values.begin() + static_cast<std::ptrdiff_t>(i / 16 * 16),
                 quad = values.begin() + static_cast<std::ptrdiff_t>(i / 4 * 4),
                 warp = values.begin() + static_cast<std::ptrdiff_t>(i / 32 * 32);
      CHECK(sum[i] == std::accumulate(tile, tile + 16, 0) + (i % 16 == 15 ? 0 : 1000 * values[i + 1]));
      CHECK(scan[i] == std::accumulate(quad, quad + static_cast<std::ptrdiff_t>(i % 4), 0));
      CHECK(most[i] == *std::max_element(warp, warp + 32));
    }
  });
}

TEST_CASE("program: groups of the lanes that took a branch") {
  on_each_target("cg_coalesced", [](TestGpu& gpu) {
    constexpr int kCount = 450;
    const std::vector<int> values = mixed_values<int>(kCount);
    const device::Address in = gpu.buffer(values), out = gpu.buffer(std::vector<int>(kCount)), count = gpu.buffer(std::vector<int>{0}),
                          labels = gpu.buffer(std::vector<int>(3));
    REQUIRE(gpu.launch("cg_coalesced", {4, 1, 1}, {128, 1, 1}, in, kCount, out, count, labels).ok());
    gpu.require_clean();
    std::multiset<int> positive;
    std::vector<int> sums(3);
    for (std::size_t i = 0; i < kCount; ++i) {
      if (values[i] > 0) positive.insert(values[i]);
      sums[i % 3] += values[i];
    }
    REQUIRE(gpu.read<int>(count, 1)[0] == static_cast<int>(positive.size()));
    const std::vector<int> got = gpu.read<int>(out, positive.size());
    CHECK(std::multiset<int>(got.begin(), got.end()) == positive);
    CHECK(gpu.read<int>(labels, 3) == sums);
  });
}

TEST_CASE("program: the whole grid meets in a cooperative launch") {
  on_each_target("cg_grid_sync", [](TestGpu& gpu) {
    constexpr std::size_t kCount = 1000;
    constexpr int kRounds = 6;
    std::vector<float> values = mixed_values<float>(kCount);
    const device::Address a = gpu.buffer(values), b = gpu.buffer(std::vector<float>(kCount));
    gpu.cooperative = true;
    REQUIRE(gpu.launch("cg_grid_sync", {8, 1, 1}, {64, 1, 1}, a, b, static_cast<int>(kCount), kRounds).ok());
    gpu.require_clean();
    for (int round = 0; round < kRounds; ++round) {
      std::vector<float> next(kCount);
      for (std::size_t i = 0; i < kCount; ++i) next[i] = values[i] + values[(i + kCount / 2) % kCount];
      values = next;
    }
    CHECK(gpu.read<float>(kRounds % 2 == 0 ? a : b, kCount) == values);
  });
}

TEST_CASE("program: block reductions of CUB") {
  on_each_target("cub_block_reduce", [](TestGpu& gpu) {
    constexpr std::size_t kRows = 3, kCols = 300;
    const std::vector<float> values = mixed_values<float>(kRows * kCols);
    const device::Address in = gpu.buffer(values), out = gpu.buffer(std::vector<float>(kRows * 4));
    REQUIRE(gpu.launch("cub_block_reduce", {kRows, 1, 1}, {128, 1, 1}, in, out, static_cast<int>(kCols)).ok());
    gpu.require_clean();
    const std::vector<float> got = gpu.read<float>(out, kRows * 4);
    for (std::size_t row = 0; row < kRows; ++row) {
      float sum = 0, most = -1e30f;
      for (std::size_t c = 0; c < kCols; ++c) {
        sum += values[row * kCols + c];
        if (c % 128 < 100) most = std::max(most, values[row * kCols + c]);
      }
      for (std::size_t k = 0; k < 3; ++k) CHECK(got[row * 4 + k] == sum);
      CHECK(got[row * 4 + 3] == most);
    }
  });
}

TEST_CASE("program: block scans of CUB") {
  on_each_target("cub_block_scan", [](TestGpu& gpu) {
    constexpr std::size_t kBlocks = 2, kEach = 512;
    const std::vector<int> values = mixed_values<int>(kBlocks * kEach);
    const device::Address in = gpu.buffer(values), out = gpu.buffer(std::vector<int>(values.size())),
                          totals = gpu.buffer(std::vector<int>(2 * kBlocks));
    REQUIRE(gpu.launch("cub_block_scan", {kBlocks, 1, 1}, {128, 1, 1}, in, out, totals).ok());
    gpu.require_clean();
    const std::vector<int> got = gpu.read<int>(out, values.size()), total = gpu.read<int>(totals, 2 * kBlocks);
    for (std::size_t block = 0; block < kBlocks; ++block) {
      int sum = 0;
      for (std::size_t i = block * kEach; i < (block + 1) * kEach; ++i) {
        sum += values[i];
        CHECK(got[i] == sum);
      }
      CHECK(total[2 * block] == sum);
      CHECK(total[2 * block + 1] == 127 * 1000 + 128);
    }
  });
}

TEST_CASE("program: warp reductions and scans of CUB") {
  on_each_target("cub_warp", [](TestGpu& gpu) {
    const std::vector<int> values = mixed_values<int>(256);
    const device::Address in = gpu.buffer(values), out = gpu.buffer(std::vector<int>(8 * 68));
    REQUIRE(gpu.launch("cub_warp", {2, 1, 1}, {128, 1, 1}, in, out).ok());
    gpu.require_clean();
    const std::vector<int> got = gpu.read<int>(out, 8 * 68);
    for (std::size_t warp = 0; warp < 8; ++warp) {
      const int* x = values.data() + warp * 32;
      const int* row = got.data() + warp * 68;
      CHECK(row[0] == std::accumulate(x, x + 32, 0));
      CHECK(row[1] == std::accumulate(x, x + 11, 0));
      CHECK(row[2] == std::accumulate(x, x + 5, 0));
      CHECK(row[3] == std::accumulate(x, x + 8, 0));
      for (std::size_t lane = 0; lane < 32; ++lane) {
        CHECK(row[4 + lane] == std::accumulate(x, x + lane + 1, 0));
        CHECK(row[36 + lane] == std::accumulate(x + lane / 8 * 8, x + lane, 0));
      }
    }
  });
}

TEST_CASE("program: lanes that hold the same key reduce together") {
  on_each_target("warp_match_reduce", [](TestGpu& gpu) {
    std::vector<unsigned> keys(128);
    for (unsigned i = 0; i < 128; ++i) keys[i] = i < 32 ? i % 5 : static_cast<unsigned>(mixed(i) + 100) % (i < 64 ? 16 : 20);
    const std::vector<int> values = mixed_values<int>(128, 7);
    const device::Address key = gpu.buffer(keys), value = gpu.buffer(values), sums = gpu.buffer(std::vector<int>(32)),
                          out = gpu.buffer(std::vector<unsigned>(512));
    REQUIRE(gpu.launch("warp_match_reduce", {1, 1, 1}, {128, 1, 1}, key, value, sums, out).ok());
    gpu.require_clean();
    std::vector<int> expected(32);
    for (std::size_t t = 0; t < 128; ++t) expected[keys[t]] += values[t];
    CHECK(gpu.read<int>(sums, 32) == expected);
    const std::vector<unsigned> got = gpu.read<unsigned>(out, 512);
    for (std::size_t t = 0; t < 128; ++t) {
      unsigned most = 0, bits = 0, odd = 0;
      bool same = true, three = false;
      for (std::size_t i = 0; i < 32; ++i) {
        const unsigned k = keys[t / 32 * 32 + i];
        most = std::max(most, k);
        bits |= 1u << k;
        odd |= (k & 1u) << i;
        same = same && k / 16 == keys[t / 32 * 32] / 16;
        three = three || k == 3;
      }
      CHECK(got[t * 4] == most);
      CHECK(got[t * 4 + 1] == bits);
      CHECK(got[t * 4 + 2] == (same ? 0xFFFFFFFFu + 1u : 0u));
      CHECK(got[t * 4 + 3] == (odd ^ (three ? 1u : 0u)));
    }
  });
}

}  // namespace warpbook::vgpu::testing
