#include "judge/vgpu/profile.hpp"

#include "judge/tests/catch.hpp"
#include "judge/vgpu/test_gpu.hpp"

using namespace warpbook;

TEST_CASE("profiles have the limits of their compute capability") {
  const auto t4 = vgpu::find_profile("sm_75");
  REQUIRE(t4);
  CHECK(t4->max_threads_per_multiprocessor == 1024);
  CHECK(t4->shared_per_block_optin == 65536);
  const auto h200 = vgpu::find_profile("sm_90");
  REQUIRE(h200);
  CHECK(h200->shared_per_block_optin == 232448);  // 227 KiB
  CHECK(h200->multiprocessors == 132);
  for (const vgpu::Profile& profile : vgpu::profiles()) {
    INFO(profile.name);
    CHECK(profile.name == "sm_" + std::to_string(10 * profile.properties.major + profile.properties.minor));
    CHECK(profile.properties.shared_per_block == 49152);
    CHECK(profile.properties.shared_per_block_optin + profile.properties.reserved_shared_per_block ==
          profile.properties.shared_per_multiprocessor);
  }
}

TEST_CASE("the default device is the profile sm_80 under its own name") {
  const device::Properties plain;
  const auto a100 = vgpu::find_profile("sm_80");
  REQUIRE(a100);
  CHECK(a100->shared_per_block_optin == plain.shared_per_block_optin);
  CHECK(a100->shared_per_multiprocessor == plain.shared_per_multiprocessor);
  CHECK(a100->multiprocessors == plain.multiprocessors);
  CHECK(a100->memory == plain.memory);
}

TEST_CASE("peaks are those that the cards are sold with") {
  const auto peaks = [](const char* name) { return vgpu::peaks_of(*vgpu::find_profile(name)); };
  // A100 40 GB: 108 multiprocessors at 1.41 GHz, 1555 GB/s (its datasheet).
  CHECK(peaks("sm_80").warp_instructions == Approx(609.12e9));
  CHECK(peaks("sm_80").sectors * 32 == Approx(1555e9).epsilon(0.001));
  CHECK(peaks("sm_75").sectors * 32 == Approx(320e9).epsilon(0.001));   // T4: 320 GB/s
  CHECK(peaks("sm_89").sectors * 32 == Approx(1008e9).epsilon(0.001));  // RTX 4090: 1008 GB/s
  CHECK(peaks("sm_90").sectors * 32 == Approx(4.8e12).epsilon(0.03));   // H200: 4.8 TB/s, a rounded figure
}

TEST_CASE("an unknown profile is answered with those there are") {
  const auto none = vgpu::find_profile("sm_42");
  REQUIRE_FALSE(none);
  CHECK(none.error().what.find("sm_75, sm_80") != std::string::npos);
}

TEST_CASE("PTX for a newer device than the profile is refused, not run") {
  vgpu::Options options;
  options.properties = vgpu::find_profile("sm_75").value();
  const auto gpu = vgpu::VirtualGpu::create(options);
  std::uint64_t module = 0;
  const device::Answer answer = gpu->load_module(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n", module);
  CHECK(answer.code == device::Code::kUnsupportedPtxVersion);
  CHECK(answer.message.find("sm_90") != std::string::npos);
  CHECK(answer.message.find("sm_75") != std::string::npos);
}

TEST_CASE("a kernel without shared memory runs on every profile") {
  for (const vgpu::Profile& profile : vgpu::profiles()) {
    INFO(profile.name);
    vgpu::Options options;
    options.properties = profile.properties;
    vgpu::testing::TestGpu gpu(".version 6.4\n.target sm_75\n.address_size 64\n.visible .entry k() { ret; }\n", options);
    REQUIRE(gpu.launch("k", {3, 1, 1}, {32, 1, 1}).ok());
    gpu.require_clean();
  }
}
