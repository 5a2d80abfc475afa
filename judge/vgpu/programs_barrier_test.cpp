// cuda::barrier, cuda::pipeline, cuda::memcpy_async and cp.async as programs use them.
#include "judge/vgpu/test_programs.hpp"

namespace warpbook::vgpu::testing {

namespace {

const std::vector<int> kBarrierTargets{80, 90, 100};  // without try_wait, with it, and from the other compiler

}  // namespace

TEST_CASE("program: cuda::barrier splits arriving from waiting") {
  on_each_target(
      "cuda_barrier",
      [](TestGpu& gpu) {
        const std::vector<int> values = mixed_values<int>(128);
        const device::Address in = gpu.buffer(values), out = gpu.buffer(std::vector<int>(128));
        constexpr int kRounds = 5;
        REQUIRE(gpu.launch("split_barrier", {1, 1, 1}, {128, 1, 1}, in, out, kRounds).ok());
        gpu.require_clean();
        const std::vector<int> got = gpu.read<int>(out, 128);
        for (std::size_t t = 0; t < 128; ++t) CHECK(got[t] == kRounds * (1 + values[(t + 33) % 128]) + kRounds * (kRounds - 1) / 2);
      },
      kBarrierTargets);
}

TEST_CASE("program: producers and consumers meet at four mbarriers") {
  on_each_target(
      "cuda_barrier",
      [](TestGpu& gpu) {
        const std::vector<int> values = mixed_values<int>(640);
        const device::Address in = gpu.buffer(values), out = gpu.buffer(std::vector<int>(640));
        REQUIRE(gpu.launch("producer_consumer", {1, 1, 1}, {128, 1, 1}, in, out, 640).ok());
        gpu.require_clean();
        const std::vector<int> got = gpu.read<int>(out, 640);
        for (std::size_t i = 0; i < 640; ++i) CHECK(got[i] == 2 * values[i / 64 * 64 + 63 - i % 64]);
      },
      kBarrierTargets);
}

TEST_CASE("program: threads drop out of a barrier") {
  on_each_target(
      "cuda_barrier",
      [](TestGpu& gpu) {
        const device::Address out = gpu.buffer(std::vector<int>(4));
        REQUIRE(gpu.launch("drops_out", {1, 1, 1}, {64, 1, 1}, out).ok());
        gpu.require_clean();
        CHECK(gpu.read<int>(out, 4) == std::vector<int>{64, 64 + 48, 64 + 48 + 32, 64 + 48 + 32 + 16});
      },
      kBarrierTargets);
}

TEST_CASE("program: a pipeline of a block loads tiles ahead of their use") {
  on_each_target(
      "cuda_pipeline",
      [](TestGpu& gpu) {
        constexpr std::size_t kBlocks = 3, kTiles = 5;
        const std::vector<float> values = mixed_values<float>(kBlocks * kTiles * 64);
        const device::Address in = gpu.buffer(values), out = gpu.buffer(std::vector<float>(kBlocks * 64));
        REQUIRE(gpu.launch("pipeline_block", {kBlocks, 1, 1}, {64, 1, 1}, in, out, static_cast<int>(kTiles)).ok());
        gpu.require_clean();
        const std::vector<float> got = gpu.read<float>(out, kBlocks * 64);
        for (std::size_t i = 0; i < got.size(); ++i) {
          float sum = 0;
          for (std::size_t tile = 0; tile < kTiles; ++tile) sum += values[(i / 64 * kTiles + tile) * 64 + 63 - i % 64];
          CHECK(got[i] == sum);
        }
      },
      kBarrierTargets);
}

TEST_CASE("program: a pipeline of a thread") {
  on_each_target(
      "cuda_pipeline",
      [](TestGpu& gpu) {
        constexpr std::size_t kCopies = 6;
        const std::vector<float> values = mixed_values<float>(kCopies * 64 * 4);
        const device::Address in = gpu.buffer(values), out = gpu.buffer(std::vector<float>(64));
        REQUIRE(gpu.launch("pipeline_thread", {1, 1, 1}, {64, 1, 1}, in, out, static_cast<int>(kCopies)).ok());
        gpu.require_clean();
        const std::vector<float> got = gpu.read<float>(out, 64);
        for (std::size_t t = 0; t < 64; ++t) {
          float sum = 0;
          for (std::size_t i = 0; i < kCopies * 4; ++i) sum += values[(i / 4 * 64 + t) * 4 + i % 4];
          CHECK(got[t] == sum);
        }
      },
      kBarrierTargets);
}

TEST_CASE("program: memcpy_async signals a barrier or a group") {
  on_each_target(
      "cuda_pipeline",
      [](TestGpu& gpu) {
        const std::vector<int> values = mixed_values<int>(512);
        const device::Address in = gpu.buffer(values), out = gpu.buffer(std::vector<int>(256));
        REQUIRE(gpu.launch("copy_with_barrier", {1, 1, 1}, {64, 1, 1}, in, out).ok());
        gpu.require_clean();
        const std::vector<int> got = gpu.read<int>(out, 256);
        for (std::size_t i = 0; i < 256; ++i) CHECK(got[i] == values[255 - i] + values[256 + i]);
      },
      kBarrierTargets);
}

TEST_CASE("program: cp.async in four groups, waited for one by one") {
  on_each_target("cp_async", [](TestGpu& gpu) {
    const std::vector<float> values = mixed_values<float>(4 * 64 * 4);
    const device::Address in = gpu.buffer(values), out = gpu.buffer(std::vector<float>(64 * 4));
    REQUIRE(gpu.launch("cp_async", {1, 1, 1}, {64, 1, 1}, in, out).ok());
    gpu.require_clean();
    const std::vector<float> got = gpu.read<float>(out, 64 * 4);
    for (std::size_t i = 0; i < got.size(); ++i) {
      const std::size_t from = 63 - i / 4;
      float sum = 0;
      for (std::size_t k = 0; k < 4; ++k) sum += k == 3 && from >= 32 && i % 4 >= 2 ? 0 : values[(k * 64 + from) * 4 + i % 4];
      CHECK(got[i] == sum);
    }
  });
}

TEST_CASE("program: cp.async of four and of eight bytes") {
  on_each_target("cp_async", [](TestGpu& gpu) {
    const std::vector<int> values = mixed_values<int>(192);
    const device::Address in = gpu.buffer(values), out = gpu.buffer(std::vector<int>(64));
    REQUIRE(gpu.launch("cp_async_narrow", {1, 1, 1}, {64, 1, 1}, in, out).ok());
    gpu.require_clean();
    const std::vector<int> got = gpu.read<int>(out, 64);
    for (std::size_t t = 0; t < 64; ++t) CHECK(got[t] == values[t] + values[64 + 2 * t] * values[65 + 2 * t]);
  });
}

TEST_CASE("what cp.async copies is not there before it is waited for") {
  for (const bool checked : {true, false}) {
    Options options = options_for(80);
    options.check_races = checked;
    TestGpu gpu(program_ptx("cp_async", 80), options);
    const std::vector<int> values = mixed_values<int>(64);
    const device::Address in = gpu.buffer(values), out = gpu.buffer(std::vector<int>(128));
    REQUIRE(gpu.launch("reads_too_early", {1, 1, 1}, {64, 1, 1}, in, out).ok());
    if (checked) {
      CHECK(gpu.fault().kind == device::FaultKind::kRace);
      CHECK(gpu.fault().message.find("a cp.async is still filling") != std::string::npos);
      REQUIRE(gpu.fault().related.size() == 1);
      CHECK(gpu.fault().related.front().what == "cp.async.ca.shared.global of 4 bytes that nobody has waited for");
      continue;
    }
    gpu.require_clean();
    const std::vector<int> got = gpu.read<int>(out, 128);
    for (std::size_t t = 0; t < 64; ++t) {
      CHECK(got[t] == -7);
      CHECK(got[64 + t] == values[t]);
    }
  }
}

}  // namespace warpbook::vgpu::testing
