// Undefined values: reported where they matter, with the line that matters and the one that read them; carried about in silence where they
// do not. Kernels: judge/tests/ptx/vgpu/undefined.cu.
#include "judge/vgpu/test_gpu.hpp"

namespace warpbook::vgpu::testing {

namespace {

struct Undefined : TestGpu {
  explicit Undefined(Options options = {}) : TestGpu(test_ptx("vgpu/undefined"), options) {}

  /// Memory that nobody writes.
  device::Address unwritten(std::uint64_t bytes, const std::string& name = "") {
    device::Address address = 0;
    REQUIRE(gpu->allocate_named(bytes, 0, name, address).ok());
    return address;
  }

  void check(const std::string& kernel, const std::string& what, const std::string& origin) {
    const device::Fault& found = fault();
    INFO(found.message);
    CHECK(found.kind == device::FaultKind::kUninitialised);
    CHECK(found.severity == device::Severity::kError);
    REQUIRE_FALSE(found.frames.empty());
    CHECK(found.frames.back().line == marked_line(kernel, "undefined.cu"));
    CHECK(found.message.find(what) == 0);
    CHECK(found.message.find(origin) != std::string::npos);
    REQUIRE(found.related.size() == 1);
    CHECK(gpu->synchronize().code == device::Code::kLaunchFailure);
  }
};

}  // namespace

TEST_CASE("a result made from memory that nobody wrote is reported when it is stored") {
  Undefined gpu;
  const device::Address a = gpu.unwritten(256, "a"), out = gpu.unwritten(256, "out");
  for (const char* kernel : {"stored", "copied"}) {
    Undefined fresh;
    const device::Address from = fresh.unwritten(256, "a"), to = fresh.unwritten(256, "out");
    REQUIRE(fresh.launch(kernel, {1, 1, 1}, {64, 1, 1}, from, to).ok());
    fresh.check(kernel, "an undefined value is stored to out", "a at byte 0, which nobody had written");
    CHECK(fresh.fault().related[0].frames.back().line == marked_line(kernel, "undefined.cu"));
  }
  // Part of the allocation is enough when nobody looks at the rest.
  REQUIRE(gpu.gpu->fill(a, 0, 4, 32).ok());
  REQUIRE(gpu.launch("stored", {1, 1, 1}, {32, 1, 1}, a, out).ok());
  gpu.require_clean();
}

TEST_CASE("a branch, an address, a shuffle, an atomic") {
  {
    Undefined gpu;
    const device::Address a = gpu.unwritten(128), out = gpu.buffer(std::vector<int>(32));
    REQUIRE(gpu.launch("branched", {1, 1, 1}, {32, 1, 1}, a, out).ok());
    gpu.check("branched", "a branch depends on an undefined value", "nobody had written");
  }
  {
    Undefined gpu;
    const device::Address index = gpu.unwritten(128), a = gpu.buffer(std::vector<float>(32)), out = gpu.unwritten(128);
    REQUIRE(gpu.launch("addressed", {1, 1, 1}, {32, 1, 1}, index, a, out).ok());
    gpu.check("addressed", "an address is computed from an undefined value", "nobody had written");
    CHECK(gpu.fault().related[0].frames.back().line == marked_line("addressed", "undefined.cu") - 1);
  }
  {
    Undefined gpu;
    REQUIRE(gpu.launch("shuffled", {1, 1, 1}, {32, 1, 1}, gpu.unwritten(4)).ok());
    gpu.check("shuffled", "an undefined value goes to other lanes", "shared memory s at byte 32");
    CHECK(gpu.fault().thread == device::Dim3{8, 0, 0});
  }
  {
    Undefined gpu;
    REQUIRE(gpu.launch("accumulated", {1, 1, 1}, {32, 1, 1}, gpu.buffer(std::vector<float>(32)), gpu.unwritten(4, "sum")).ok());
    gpu.check("accumulated", "an atomic operation combines with an undefined value", "sum at byte 0");
  }
}

TEST_CASE("shared memory, local memory, and a variable that one path leaves unset") {
  {
    Undefined gpu;
    REQUIRE(gpu.launch("shared_stored", {1, 1, 1}, {64, 1, 1}, gpu.unwritten(256)).ok());
    gpu.check("shared_stored", "an undefined value is stored", "shared memory s");
  }
  {
    Undefined gpu;
    REQUIRE(gpu.launch("local_stored", {1, 1, 1}, {1, 1, 1}, gpu.unwritten(4), 2, 3).ok());
    gpu.check("local_stored", "an undefined value is stored", "local memory");
  }
  {
    Undefined gpu;
    REQUIRE(gpu.launch("unset", {1, 1, 1}, {32, 1, 1}, gpu.buffer(std::vector<float>(32)), gpu.unwritten(128), 20).ok());
    gpu.check("unset", "an undefined value is stored", "a variable that is not set on every path");
    CHECK(gpu.fault().thread == device::Dim3{20, 0, 0});
  }
  Undefined gpu;
  REQUIRE(gpu.launch("local_stored", {1, 1, 1}, {1, 1, 1}, gpu.unwritten(4), 2, 2).ok());
  REQUIRE(gpu.launch("unset", {1, 1, 1}, {32, 1, 1}, gpu.buffer(std::vector<float>(32)), gpu.unwritten(128), 32).ok());
  gpu.require_clean();
}

TEST_CASE("undefined bytes that are only carried about are no finding") {
  Undefined gpu;
  const device::Address out = gpu.unwritten(4096);
  const device::Address padded = gpu.unwritten(16 * 32);
  for (std::uint64_t i = 0; i < 32; ++i) {
    REQUIRE(gpu.gpu->fill(padded + 16 * i, 1, 1, 1).ok());
    REQUIRE(gpu.gpu->fill(padded + 16 * i + 8, 0, 4, 2).ok());
  }
  REQUIRE(gpu.launch("padding", {1, 1, 1}, {32, 1, 1}, padded, out).ok());
  const device::Address tail = gpu.unwritten(16 * 32);
  REQUIRE(gpu.gpu->fill(tail, 0, 4, 4 * 31 + 2).ok());
  REQUIRE(gpu.launch("unused_tail", {1, 1, 1}, {32, 1, 1}, tail, out).ok());
  const device::Address ones = gpu.buffer(std::vector<float>(32, 1.0f));
  REQUIRE(gpu.launch("chosen", {1, 1, 1}, {32, 1, 1}, ones, out, 20).ok());
  const device::Address words = gpu.unwritten(4 * 32);
  for (std::uint64_t i = 0; i < 32; ++i) REQUIRE(gpu.gpu->fill(words + 4 * i + 1, 7, 1, 1).ok());
  REQUIRE(gpu.launch("bytes_apart", {1, 1, 1}, {32, 1, 1}, words, out).ok());
  gpu.require_clean();
  CHECK(gpu.read<char>(out, 1)[0] == 7);
  REQUIRE(gpu.launch("last_lanes_idle", {1, 1, 1}, {32, 1, 1}, ones, out, 20).ok());
  gpu.require_clean();
  CHECK(gpu.read<float>(out, 1)[0] == 20.0f);
  REQUIRE(gpu.launch("written_first", {1, 1, 1}, {64, 1, 1}, out).ok());
  gpu.require_clean();
}

TEST_CASE("what was written before can be forgotten, and the checker can be switched off") {
  Undefined gpu;
  const device::Address a = gpu.buffer(std::vector<float>(64), "a"), out = gpu.unwritten(256, "out");
  gpu.gpu->forget(a + 128, 4);
  REQUIRE(gpu.launch("stored", {1, 1, 1}, {32, 1, 1}, a, out).ok());
  gpu.require_clean();
  REQUIRE(gpu.launch("stored", {1, 1, 1}, {64, 1, 1}, a, out).ok());
  CHECK(gpu.fault().thread == device::Dim3{32, 0, 0});

  Options options;
  options.check_initialised = false;
  Undefined off(options);
  REQUIRE(off.launch("stored", {1, 1, 1}, {64, 1, 1}, off.unwritten(256), off.unwritten(256)).ok());
  off.require_clean();
}

TEST_CASE("copies between allocations take along what is defined") {
  Undefined gpu;
  const device::Address from = gpu.unwritten(256, "from"), to = gpu.buffer(std::vector<float>(64), "to"), out = gpu.unwritten(256, "out");
  REQUIRE(gpu.gpu->copy(to, from, 256).ok());
  REQUIRE(gpu.launch("stored", {1, 1, 1}, {32, 1, 1}, to, out).ok());
  CHECK(gpu.fault().kind == device::FaultKind::kUninitialised);
}

}  // namespace warpbook::vgpu::testing
