// Every kind of finding, with the line it must name (`// here` in judge/tests/ptx/vgpu/wrong.cu), its code and its thread.
#include "judge/vgpu/test_gpu.hpp"

namespace warpbook::vgpu::testing {

namespace {

using device::Code;
using device::FaultKind;

void check_fault(TestGpu& gpu, const std::string& kernel, FaultKind kind, Code code) {
  const device::Fault& fault = gpu.fault();
  INFO(fault.message);
  CHECK(fault.kind == kind);
  CHECK(fault.code == code);
  CHECK(gpu.gpu->synchronize().code == code);
  CHECK(fault.kernel.find(kernel) != std::string::npos);
  REQUIRE_FALSE(fault.frames.empty());
  CHECK(fault.frames.back().file == "wrong.cu");
  CHECK(fault.frames.back().line == marked_line(kernel));
}

bool says(const device::Fault& fault, const std::string& part) {
  INFO(fault.message);
  return fault.message.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a write past the end of an allocation, however far") {
  TestGpu gpu(test_ptx("vgpu/wrong"));
  const device::Address a = gpu.buffer(std::vector<float>(64), "x");
  REQUIRE(gpu.launch("past_the_end", {1, 1, 1}, {64, 1, 1}, a).ok());
  check_fault(gpu, "past_the_end", FaultKind::kOutOfBounds, Code::kIllegalAddress);
  CHECK(says(gpu.fault(), "write of 4 bytes at 0x700000fa0 is 3744 bytes past the end of x (256 bytes at 0x700000000)"));
  CHECK(gpu.fault().lanes_affected == 32);
  CHECK(gpu.fault().instruction == "st.global.u32");
  CHECK(gpu.fault().space == "global");
  CHECK(gpu.fault().bytes == 4);
}

TEST_CASE("a vector load that only its tail carries past the end") {
  TestGpu gpu(test_ptx("vgpu/wrong"));
  const device::Address a = gpu.buffer(std::vector<float>(4 * 8 - 2), "x"), out = gpu.buffer(std::vector<float>(8));
  REQUIRE(gpu.launch("tail", {1, 1, 1}, {8, 1, 1}, a, out).ok());
  check_fault(gpu, "tail", FaultKind::kOutOfBounds, Code::kIllegalAddress);
  CHECK(says(gpu.fault(), "read of 16 bytes at 0x700000070 ends 8 bytes past the end of x (120 bytes"));
  CHECK(gpu.fault().thread == device::Dim3{7, 0, 0});
}

TEST_CASE("misaligned accesses") {
  TestGpu gpu(test_ptx("vgpu/wrong"));
  const device::Address a = gpu.buffer(std::vector<char>(64));
  REQUIRE(gpu.launch("misaligned", {1, 1, 1}, {1, 1, 1}, a).ok());
  check_fault(gpu, "misaligned", FaultKind::kMisaligned, Code::kMisalignedAddress);
}

TEST_CASE("an allocation that does not begin at a multiple of 16") {
  TestGpu gpu(test_ptx("vgpu/wrong"));
  device::Address a = 0;
  REQUIRE(gpu.gpu->allocate_named(1024, 4, "x", a).ok());
  CHECK(a % 256 == 4);
  const device::Address out = gpu.buffer(std::vector<float>(8));
  REQUIRE(gpu.launch("tail", {1, 1, 1}, {8, 1, 1}, a, out).ok());
  check_fault(gpu, "tail", FaultKind::kMisaligned, Code::kMisalignedAddress);
}

TEST_CASE("a pointer to host memory") {
  TestGpu gpu(test_ptx("vgpu/wrong"));
  const int here = 0;
  REQUIRE(gpu.launch("null", {1, 1, 1}, {1, 1, 1}, reinterpret_cast<device::Address>(&here)).ok());
  check_fault(gpu, "null", FaultKind::kHostPointer, Code::kIllegalAddress);
}

TEST_CASE("shared memory ends where the launch says") {
  TestGpu gpu(test_ptx("vgpu/wrong"));
  const device::Address out = gpu.buffer(std::vector<float>(64));
  gpu.dynamic_shared = 256;
  REQUIRE(gpu.launch("past_shared", {1, 1, 1}, {64, 1, 1}, out).ok());
  check_fault(gpu, "past_shared", FaultKind::kOutOfBounds, Code::kIllegalAddress);
  CHECK(says(gpu.fault(),
             "write of 4 bytes at 0x100 of shared memory is right past the end of the dynamic shared memory (256 bytes at 0x0)"));
  CHECK(gpu.fault().space == "shared");
}

TEST_CASE("one shared array does not run over into the next") {
  TestGpu fine(test_ptx("vgpu/wrong"));
  REQUIRE(fine.launch("between_shared", {1, 1, 1}, {8, 1, 1}, fine.buffer(std::vector<int>(8)), 0).ok());
  fine.require_clean();
  TestGpu gpu(test_ptx("vgpu/wrong"));
  REQUIRE(gpu.launch("between_shared", {1, 1, 1}, {8, 1, 1}, gpu.buffer(std::vector<int>(8)), 1).ok());
  check_fault(gpu, "between_shared", FaultKind::kOutOfBounds, Code::kIllegalAddress);
  CHECK(gpu.fault().thread == device::Dim3{7, 0, 0});
}

TEST_CASE("local arrays have an end") {
  TestGpu gpu(test_ptx("vgpu/wrong"));
  REQUIRE(gpu.launch("past_local", {1, 1, 1}, {1, 1, 1}, gpu.buffer(std::vector<int>(1)), 8).ok());
  check_fault(gpu, "past_local", FaultKind::kOutOfBounds, Code::kIllegalAddress);
  CHECK(gpu.fault().space == "local");
}

TEST_CASE("null pointers, also with an index") {
  TestGpu gpu(test_ptx("vgpu/wrong"));
  REQUIRE(gpu.launch("null", {1, 1, 1}, {1, 1, 1}, device::Address{0}).ok());
  check_fault(gpu, "null", FaultKind::kNullPointer, Code::kIllegalAddress);
  CHECK(says(gpu.fault(), "goes through a null pointer plus 8 bytes"));
}

TEST_CASE("use after free names the allocation that was") {
  TestGpu gpu(test_ptx("vgpu/wrong"));
  const device::Address a = gpu.buffer(std::vector<float>(64), "scratch");
  REQUIRE(gpu.gpu->free(a).ok());
  gpu.buffer(std::vector<float>(64), "other");
  REQUIRE(gpu.launch("constant_input", {1, 1, 1}, {1, 1, 1}, a).ok());
  check_fault(gpu, "constant_input", FaultKind::kUseAfterFree, Code::kIllegalAddress);
  CHECK(says(gpu.fault(), "scratch (256 bytes"));
}

TEST_CASE("inputs that kernels may only read") {
  TestGpu gpu(test_ptx("vgpu/wrong"));
  const device::Address a = gpu.buffer(std::vector<float>{1}, "x");
  REQUIRE(gpu.launch("constant_input", {1, 1, 1}, {1, 1, 1}, a).ok());
  gpu.require_clean();
  gpu.gpu->set_read_only(a, true);
  REQUIRE(gpu.launch("constant_input", {1, 1, 1}, {1, 1, 1}, a).ok());
  check_fault(gpu, "constant_input", FaultKind::kReadOnly, Code::kIllegalAddress);
}

TEST_CASE("barriers in divergent code") {
  for (const std::string kernel : {"part_of_the_block", "odd_lanes"}) {
    TestGpu gpu(test_ptx("vgpu/wrong"));
    REQUIRE(gpu.launch(kernel, {1, 1, 1}, {64, 1, 1}, gpu.buffer(std::vector<int>(64))).ok());
    check_fault(gpu, kernel, FaultKind::kBarrierDivergence, Code::kLaunchFailure);
    CHECK(gpu.fault().waiters.size() == 2);
  }
}

TEST_CASE("the divergent barrier names the lanes on both sides") {
  TestGpu gpu(test_ptx("vgpu/wrong"));
  REQUIRE(gpu.launch("part_of_the_block", {1, 1, 1}, {64, 1, 1}, gpu.buffer(std::vector<int>(64))).ok());
  CHECK(gpu.fault().message == "bar.sync in divergent code: lanes 0-7 of warp 1 reach it, lanes 8-31 do not");
}

TEST_CASE("a lane outside its own mask") {
  TestGpu gpu(test_ptx("vgpu/wrong"));
  REQUIRE(gpu.launch("not_in_mask", {1, 1, 1}, {32, 1, 1}, gpu.buffer(std::vector<int>(32))).ok());
  check_fault(gpu, "not_in_mask", FaultKind::kBadShuffleMask, Code::kLaunchFailure);
  CHECK(gpu.fault().message == "lane 16 executes bar.warp.sync with mask 0x0000ffff, in which it is not itself");
}

TEST_CASE("a mask that names lanes which never come") {
  TestGpu gpu(test_ptx("vgpu/wrong"));
  REQUIRE(gpu.launch("half_shuffles", {1, 1, 1}, {32, 1, 1}, gpu.buffer(std::vector<int>(32))).ok());
  check_fault(gpu, "half_shuffles", FaultKind::kBadShuffleMask, Code::kLaunchFailure);
  CHECK(says(gpu.fault(), "lanes 16-31, which ended without executing shfl.sync.idx.b32"));
}

TEST_CASE("a shuffle from a lane that the block does not have") {
  TestGpu gpu(test_ptx("vgpu/wrong"));
  REQUIRE(gpu.launch("absent_lane", {1, 1, 1}, {31, 1, 1}, gpu.buffer(std::vector<int>(31))).ok());
  check_fault(gpu, "absent_lane", FaultKind::kBadShuffleMask, Code::kLaunchFailure);
  CHECK(says(gpu.fault(), "lane 15 reads from lane 31, which does not exist"));
}

TEST_CASE("returning before a shuffle that names everybody") {
  TestGpu gpu(test_ptx("vgpu/wrong"));
  REQUIRE(gpu.launch("early_return", {1, 1, 1}, {64, 1, 1}, gpu.buffer(std::vector<int>(64)), 50).ok());
  check_fault(gpu, "early_return", FaultKind::kBadShuffleMask, Code::kLaunchFailure);
}

TEST_CASE("a barrier that waits for more threads than come") {
  TestGpu gpu(test_ptx("vgpu/wrong"));
  REQUIRE(gpu.launch("wait_for_nobody", {1, 1, 1}, {64, 1, 1}, gpu.buffer(std::vector<int>(64))).ok());
  check_fault(gpu, "wait_for_nobody", FaultKind::kDeadlock, Code::kLaunchTimeout);
  REQUIRE(gpu.fault().waiters.size() == 2);
  CHECK(gpu.fault().waiters[0].what == "bar.sync 1");
  CHECK(gpu.fault().waiters[0].threads == "warp 0, lanes 0-31");
  CHECK(gpu.fault().waiters[1].what == "exited");
}

TEST_CASE("waiting for a flag that nobody sets is found at once") {
  TestGpu gpu(test_ptx("vgpu/wrong"));
  REQUIRE(gpu.launch("spin_alone", {1, 1, 1}, {32, 1, 1}, gpu.buffer(std::vector<int>(1))).ok());
  check_fault(gpu, "spin_alone", FaultKind::kDeadlock, Code::kLaunchTimeout);
  CHECK(gpu.gpu->counters().thread_instructions < 100'000);
}

TEST_CASE("an endless loop ends with its budget") {
  Options options;
  options.instruction_budget = 1'000'000;
  TestGpu gpu(test_ptx("vgpu/wrong"), options);
  REQUIRE(gpu.launch("endless", {1, 1, 1}, {32, 1, 1}, gpu.buffer(std::vector<int>(2))).ok());
  const device::Fault& fault = gpu.fault();
  CHECK(fault.kind == FaultKind::kBudget);
  CHECK(gpu.gpu->synchronize().code == Code::kLaunchTimeout);
  REQUIRE_FALSE(fault.frames.empty());
  CHECK(std::abs(fault.frames.back().line - marked_line("endless")) <= 1);
  CHECK(gpu.gpu->counters().thread_instructions < 1'100'000);
}

TEST_CASE("a launch can go on to its second finding") {
  Options options;
  options.max_faults = 2;
  TestGpu gpu(test_ptx("vgpu/wrong"), options);
  const device::Address a = gpu.buffer(std::vector<float>(64), "x");
  REQUIRE(gpu.launch("past_the_end", {1, 1, 1}, {64, 1, 1}, a).ok());
  CHECK(gpu.gpu->faults().size() == 2);
  CHECK(gpu.gpu->faults()[1].thread == device::Dim3{32, 0, 0});
}

TEST_CASE("after a finding the device is of no more use") {
  TestGpu gpu(test_ptx("vgpu/wrong"));
  const device::Address a = gpu.buffer(std::vector<float>(64));
  REQUIRE(gpu.launch("null", {1, 1, 1}, {1, 1, 1}, device::Address{0}).ok());
  device::Address other = 0;
  std::vector<float> values(64);
  CHECK(gpu.gpu->allocate(16, other).code == Code::kIllegalAddress);
  CHECK(gpu.gpu->read(std::as_writable_bytes(std::span(values)), a).code == Code::kIllegalAddress);
  CHECK(gpu.launch("null", {1, 1, 1}, {1, 1, 1}, a).code == Code::kIllegalAddress);
}

}  // namespace warpbook::vgpu::testing
