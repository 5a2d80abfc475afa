// Rows of the table that leave no value behind: the ends of a kernel by trap and by breakpoint, and the register budget of a warp.
#include "judge/tests/catch.hpp"
#include "judge/vgpu/vgpu.hpp"

namespace warpbook::golden {
namespace {

/// Runs a kernel of one instruction; returns what was found.
std::vector<device::Fault> run(const std::string& instruction) {
  vgpu::Options options;
  options.properties.major = 9;
  options.properties.minor = 0;
  auto gpu = vgpu::VirtualGpu::create(options);
  std::uint64_t module = 0;
  const device::Answer loaded =
      gpu->load_module(".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry k() {\n" + instruction + "\nret;\n}\n", module);
  INFO(loaded.message);
  REQUIRE(loaded.ok());
  device::Launch launch;
  launch.module = module;
  launch.function = "k";
  launch.block = {128, 1, 1};
  (void)gpu->launch(launch);
  return gpu->faults();
}

}  // namespace

TEST_CASE("trap and brkpt end the kernel with a finding") {
  for (const char* instruction : {"trap;", "brkpt;"}) {
    INFO(instruction);
    const std::vector<device::Fault> faults = run(instruction);
    REQUIRE(faults.size() == 1);
    CHECK(faults.front().kind == device::FaultKind::kTrap);
  }
  CHECK(run("exit; trap;").empty());
}

TEST_CASE("setmaxnreg changes nothing here, and a policy is a number") {
  CHECK(run("setmaxnreg.inc.sync.aligned.u32 96;").empty());
  CHECK(run("setmaxnreg.dec.sync.aligned.u32 24;").empty());
  CHECK(run(".reg .b64 %d; createpolicy.fractional.L2::evict_last.b64 %d, 1.0;").empty());
}

}  // namespace warpbook::golden
