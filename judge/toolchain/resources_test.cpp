#include "judge/toolchain/resources.hpp"

#include "judge/tests/catch.hpp"

namespace warpbook::toolchain {

TEST_CASE("registers and spills of each entry") {
  const auto found = parse_resources(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function '_Z5shortPf' for 'sm_80'\n"
      "ptxas info    : Function properties for _Z5shortPf\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 12 registers, used 1 barriers, 128 bytes smem, 368 bytes cmem[0]\n"
      "ptxas info    : Compile time = 3.1 ms\n"
      "ptxas info    : Function properties for helper\n"
      "    0 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads\n"
      "ptxas info    : Compiling entry function '_Z4longPf' for 'sm_80'\n"
      "ptxas info    : Function properties for _Z4longPf\n"
      "    40 bytes stack frame, 36 bytes spill stores, 52 bytes spill loads\n"
      "ptxas info    : Used 255 registers, 360 bytes cmem[0]\n");
  REQUIRE(found.size() == 2);
  CHECK(found.at("_Z5shortPf").registers == 12);
  CHECK(found.at("_Z5shortPf").spilled_bytes == 0);
  CHECK(found.at("_Z4longPf").registers == 255);
  CHECK(found.at("_Z4longPf").spilled_bytes == 36);
  CHECK(parse_resources("ptxas fatal   : Unresolved extern function 'f'\n").empty());
}

TEST_CASE("the assembler is asked where there is one") {
  const Result<Toolkit> toolkit = find_toolkit();
  if (!toolkit) {
    WARN("no toolkit: " << toolkit.error().what);
    return;
  }
  const auto found = kernel_resources(*toolkit, std::string(WARPBOOK_SOURCE_DIR) + "/judge/tests/ptx/vgpu/rows.ptx", 80);
  if (!found) FAIL(found.error().what);
  CHECK(found->size() >= 3);
  for (const auto& [entry, resources] : *found) {
    INFO(entry);
    CHECK(resources.registers >= 8);
    CHECK(resources.registers <= 255);
  }
  CHECK_FALSE(kernel_resources(*toolkit, "/nonexistent.ptx", 80));
}

}  // namespace warpbook::toolchain
