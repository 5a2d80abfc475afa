// Programs whose interest lies in the code itself: functions, recursion, tables of branches, arrays of a thread, inline PTX, halves,
// printf.
#include <algorithm>
#include <bit>
#include <cmath>

#include "judge/vgpu/test_programs.hpp"

namespace warpbook::vgpu::testing {

namespace {

int ackermann(int m, int n) { return m == 0 ? n + 1 : ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1)); }

using Half = _Float16;

std::uint16_t to_bfloat(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return static_cast<std::uint16_t>((bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16);
}
float from_bfloat(std::uint16_t x) { return std::bit_cast<float>(std::uint32_t{x} << 16); }

unsigned reversed(unsigned x) {
  unsigned y = 0;
  for (int i = 0; i < 32; ++i) y |= (x >> i & 1u) << (31 - i);
  return y;
}

/// What switch_table.cu does to one element.
bool switch_once(const std::vector<int>& in, int i, int& x) {
  const auto u = [&] { return static_cast<unsigned>(x); };
  switch (x & 15) {
    case 0: x = static_cast<int>(u() * 3 + 1); break;
    case 1: x ^= 0x55; break;
    case 2: x = std::popcount(u()) + i; break;
    case 3: x = static_cast<int>((u() << 3) - u()); break;
    case 4: x = ~x; break;
    case 5: x = x / 7; break;
    case 6: x = static_cast<int>(u() * u()); break;
    case 7: x += in[(static_cast<std::size_t>(i) + 1) % in.size()]; break;
    case 8: x = x % 1000; break;
    case 9: x = static_cast<int>(reversed(u())); break;
    case 10: x = static_cast<int>(0u - u()); [[fallthrough]];
    case 11: x |= 1; break;
    case 12: return false;
    default: x = x > 100 ? x - 100 : x + 13; break;
  }
  return true;
}

}  // namespace

TEST_CASE("program: function pointers, virtual functions, lambdas") {
  on_each_target("function_pointers", [](TestGpu& gpu) {
    constexpr int kCount = 90;
    const std::vector<float> values = mixed_values<float>(kCount);
    const device::Address in = gpu.buffer(values), out = gpu.buffer(std::vector<float>(kCount));
    REQUIRE(gpu.launch("function_pointers", {3, 1, 1}, {32, 1, 1}, in, out, kCount).ok());
    gpu.require_clean();
    const std::vector<float> got = gpu.read<float>(out, kCount);
    for (std::size_t i = 0; i < kCount; ++i) {
      const float x = values[i], a = i % 3 == 0 ? x * 0.5f : i % 3 == 1 ? x * x : -x;
      const float area = i % 2 == 0 ? x * x : 3 * x * x;
      CHECK(got[i] == a + area + (a + static_cast<float>(2 * i)));
    }
  });
}

TEST_CASE("program: recursion that sorts, and recursion that only recurs") {
  on_each_target("recursion", [](TestGpu& gpu) {
    constexpr std::size_t kThreads = 48, kEach = 25;
    std::vector<int> values = mixed_values<int>(kThreads * kEach);
    const device::Address in = gpu.buffer(values), out = gpu.buffer(std::vector<int>(kThreads));
    REQUIRE(gpu.launch("recursion", {2, 1, 1}, {24, 1, 1}, in, static_cast<int>(kEach), out).ok());
    gpu.require_clean();
    for (std::size_t t = 0; t < kThreads; ++t)
      std::sort(values.begin() + static_cast<std::ptrdiff_t>(t * kEach), values.begin() + static_cast<std::ptrdiff_t>((t + 1) * kEach));
    CHECK(gpu.read<int>(in, values.size()) == values);
    const std::vector<int> got = gpu.read<int>(out, kThreads);
    for (int t = 0; t < static_cast<int>(kThreads); ++t) CHECK(got[static_cast<std::size_t>(t)] == ackermann(t % 3, t % 4));
  });
}

TEST_CASE("program: a dense switch") {
  on_each_target("switch_table", [](TestGpu& gpu) {
    constexpr int kCount = 500;
    const std::vector<int> values = mixed_values<int>(kCount);
    const device::Address in = gpu.buffer(values), out = gpu.buffer(std::vector<int>(kCount, -12345));
    REQUIRE(gpu.launch("switch_table", {4, 1, 1}, {128, 1, 1}, in, out, kCount).ok());
    gpu.require_clean();
    const std::vector<int> got = gpu.read<int>(out, kCount);
    for (int i = 0; i < kCount; ++i) {
      int x = values[static_cast<std::size_t>(i)];
      bool goes_on = true;
      for (int step = 0; step < 3 && goes_on; ++step) goes_on = switch_once(values, i, x);
      CHECK(got[static_cast<std::size_t>(i)] == (goes_on ? x : -12345));
    }
  });
}

TEST_CASE("program: arrays of a thread, indexed and passed on") {
  on_each_target("local_arrays", [](TestGpu& gpu) {
    constexpr std::size_t kThreads = 64, kEach = 21;
    const std::vector<int> values = mixed_values<int>(kThreads * kEach);
    const device::Address in = gpu.buffer(values), out = gpu.buffer(std::vector<int>(kThreads));
    REQUIRE(gpu.launch("local_arrays", {2, 1, 1}, {32, 1, 1}, in, out, static_cast<int>(kEach)).ok());
    gpu.require_clean();
    const std::vector<int> got = gpu.read<int>(out, kThreads);
    for (std::size_t t = 0; t < kThreads; ++t) {
      std::vector<int> mine(values.begin() + static_cast<std::ptrdiff_t>(t * kEach),
                            values.begin() + static_cast<std::ptrdiff_t>((t + 1) * kEach));
      std::sort(mine.begin(), mine.end());
      CHECK(got[t] == mine[kEach / 2]);
    }
  });
}

TEST_CASE("program: pairs of halves") {
  on_each_target("half2", [](TestGpu& gpu) {
    constexpr std::size_t kCount = 60;
    std::vector<Half> a(2 * kCount), b(2 * kCount);
    for (std::size_t i = 0; i < 2 * kCount; ++i) {
      a[i] = static_cast<Half>(static_cast<float>(mixed(static_cast<std::uint32_t>(i))) / 64);
      b[i] = static_cast<Half>(static_cast<float>(mixed(static_cast<std::uint32_t>(i) + 500)) / 32);
    }
    const device::Address x = gpu.buffer(a), y = gpu.buffer(b), out = gpu.buffer(std::vector<Half>(2 * kCount)),
                          wide = gpu.buffer(std::vector<float>(2 * kCount)), sum = gpu.buffer(std::vector<Half>(2));
    REQUIRE(gpu.launch("half2_math", {1, 1, 1}, {64, 1, 1}, x, y, out, wide, sum, static_cast<int>(kCount)).ok());
    gpu.require_clean();
    const std::vector<Half> got = gpu.read<Half>(out, 2 * kCount), sums = gpu.read<Half>(sum, 2);
    const std::vector<float> differences = gpu.read<float>(wide, 2 * kCount);
    Half low = 0, high = 0;
    for (std::size_t i = 0; i < kCount; ++i) {
      const bool greater = a[2 * i] > b[2 * i] && a[2 * i + 1] > b[2 * i + 1];
      for (std::size_t k = 2 * i; k < 2 * i + 2; ++k) {
        const auto p = static_cast<float>(a[k]), q = static_cast<float>(b[k]);
        const auto product = static_cast<float>(static_cast<Half>(std::fma(static_cast<double>(p), static_cast<double>(q), 0.5)));
        const float expected = greater ? std::max(product, -p) : std::clamp(p + q, 0.0f, 1.0f);
        CHECK(got[k] == static_cast<Half>(expected));
        CHECK(differences[k] == static_cast<float>(static_cast<Half>(p - q)));
      }
      low = static_cast<Half>(static_cast<float>(low) + static_cast<float>(a[2 * i]));
      high = static_cast<Half>(static_cast<float>(high) + static_cast<float>(i));
    }
    CHECK(sums[0] == low);
    CHECK(sums[1] == high);
  });
}

TEST_CASE("program: rows of bfloat16") {
  on_each_target("bf16", [](TestGpu& gpu) {
    constexpr std::size_t kRows = 3;
    std::vector<std::uint16_t> values(kRows * 64);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = to_bfloat(static_cast<float>(mixed(static_cast<std::uint32_t>(i))));
    values[70] = 0x7FC0;  // a NaN in the second row
    const device::Address rows = gpu.buffer(values), out = gpu.buffer(std::vector<std::uint16_t>(2 * kRows));
    REQUIRE(gpu.launch("bf16_row", {kRows, 1, 1}, {32, 1, 1}, rows, out, 0.25f).ok());
    gpu.require_clean();
    const std::vector<std::uint16_t> got = gpu.read<std::uint16_t>(out, 2 * kRows), scaled = gpu.read<std::uint16_t>(rows, values.size());
    for (std::size_t row = 0; row < kRows; ++row) {
      float sum = 0, most = -1000;
      for (std::size_t i = 0; i < 64; ++i) {
        const float x = from_bfloat(values[row * 64 + i]);
        sum += x;
        most = std::max(most, x);
        if (!std::isnan(x)) CHECK(scaled[row * 64 + i] == to_bfloat(x * 0.25f));
      }
      if (row == 1) {
        CHECK(std::isnan(from_bfloat(got[2])));
        CHECK(std::isnan(from_bfloat(got[3])));
        continue;
      }
      CHECK(got[2 * row] == to_bfloat(sum));
      CHECK(got[2 * row + 1] == to_bfloat(most));
    }
  });
}

TEST_CASE("program: inline PTX") {
  on_each_target("inline_ptx", [](TestGpu& gpu) {
    constexpr unsigned kThreads = 64;
    const std::vector<int> values = mixed_values<int>(kThreads);
    const device::Address in = gpu.buffer(values), out = gpu.buffer(std::vector<unsigned>(kThreads)),
                          specials = gpu.buffer(std::vector<unsigned>(8 * kThreads));
    gpu.dynamic_shared = 300;
    REQUIRE(gpu.launch("inline_ptx", {1, 1, 1}, {kThreads, 1, 1}, in, out, specials).ok());
    gpu.require_clean();
    const std::vector<unsigned> got = gpu.read<unsigned>(out, kThreads), special = gpu.read<unsigned>(specials, 8 * kThreads);
    for (unsigned t = 0; t < kThreads; ++t) {
      const auto value = static_cast<unsigned>(values[t]);
      const unsigned folded = values[t] > 7 ? value * 3 : 0u - value;
      const unsigned bytes = (value & 0xFFu) | (t & 0xFFu) << 8 | (value >> 8 & 0xFFu) << 16 | (t >> 8 & 0xFFu) << 24;
      CHECK(got[t] == ((bytes * 2 + folded) ^ bytes ^ folded));
      const unsigned lane = t % 32;
      const unsigned expected[8] = {lane, t / 32, (1u << lane) - 1, ~((1u << lane) - 1), 2, 300, 384, 108};
      for (unsigned i = 0; i < 8; ++i) CHECK(special[i * kThreads + t] == expected[i]);
    }
  });
}

TEST_CASE("program: printf and an assertion that holds") {
  on_each_target("printf_assert", [](TestGpu& gpu) {
    const device::Address in = gpu.buffer(std::vector<int>{1, 3, 2, 99});
    REQUIRE(gpu.launch("printf_assert", {1, 1, 1}, {4, 1, 1}, in, 4).ok());
    gpu.require_clean();
    CHECK(gpu.gpu->take_output() == "1:  0.75 odd b 8589934592\n3: 24.75 odd d 34359738368\n");
  });
}

}  // namespace warpbook::vgpu::testing
