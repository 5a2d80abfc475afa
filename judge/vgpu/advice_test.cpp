// What a finding tells its reader to do: the advice follows from how far apart the threads of a race are and from what they did, the place
// is the reader's own line, and one mistake is one report.
#include "judge/vgpu/test_gpu.hpp"

namespace warpbook::vgpu::testing {

namespace {

using device::FaultKind;

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// The first finding of a launch that is one of races.
std::string race(const std::string& kernel, device::Dim3 grid, device::Dim3 block) {
  Options options;
  options.max_faults = 1000;
  TestGpu gpu(test_ptx("vgpu/advice"), options);
  const device::Address word = gpu.buffer(std::vector<int>(128)), out = gpu.buffer(std::vector<int>(1));
  device::Answer answer;
  if (kernel == "look_then_claim") answer = gpu.launch(kernel, grid, block, word, out);
  else answer = gpu.launch(kernel, grid, block, word);
  REQUIRE(answer.ok());
  REQUIRE_FALSE(gpu.gpu->faults().empty());
  const device::Fault& fault = gpu.gpu->faults().front();
  CHECK(fault.kind == FaultKind::kRace);
  return fault.message;
}

}  // namespace

TEST_CASE("a plain read beside an atomic: blocks are told of no barrier, threads of a block of both ways") {
  const std::string blocks = race("look_then_claim", {2, 1, 1}, {1, 1, 1}), block = race("look_then_claim", {1, 1, 1}, {33, 1, 1}),
                    warp = race("reset_and_count", {1, 1, 1}, {2, 1, 1});
  INFO(blocks << "\n" << block << "\n" << warp);
  CHECK(says(blocks, "blocks run in any order"));
  CHECK(says(blocks, "make the plain read an atomic one, too (a load of cuda::atomic_ref"));
  CHECK(says(blocks, "in another launch"));
  CHECK_FALSE(says(blocks, "__sync"));
  CHECK(says(block, "make the plain read an atomic one"));
  CHECK(says(warp, "make the plain write an atomic one"));
  CHECK(says(warp, "__syncwarp()"));
  CHECK_FALSE(says(warp, "_atomic_functions"));  // the header that atomicAdd is inlined from
}

TEST_CASE("a race of global memory within a block of several says that a barrier of the block may not do") {
  const std::string alone = race("shift", {1, 1, 1}, {64, 1, 1}), among = race("shift", {2, 1, 1}, {64, 1, 1});
  INFO(alone << "\n" << among);
  CHECK_FALSE(says(alone, "barrier of the grid"));
  CHECK(says(among, "barrier of the grid"));
}

TEST_CASE("a[i]++ out of bounds is one report; a read here and a write there are two") {
  Options options;
  options.max_faults = 1000;
  for (const std::string kernel : {"increment", "read_here_write_there"}) {
    TestGpu gpu(test_ptx("vgpu/advice"), options);
    const device::Address a = gpu.buffer(std::vector<int>(16));
    REQUIRE(gpu.launch(kernel, {1, 1, 1}, {32, 1, 1}, a).ok());
    INFO(kernel);
    CHECK(gpu.gpu->faults().size() == (kernel == "increment" ? 1u : 2u));
    CHECK(says(gpu.gpu->faults().front().message, "read of 4 bytes"));
    CHECK(gpu.gpu->faults().front().lanes_affected == 16);
    CHECK(gpu.gpu->faults().front().frames.front().line != 0);
  }
}

TEST_CASE("a call through a null function pointer names thread, line and how many lanes did it") {
  TestGpu gpu(test_ptx("vgpu/advice"));
  std::vector<int> which(64);
  for (const std::size_t bad : {35u, 37u}) which[bad] = 2;
  REQUIRE(gpu.launch("call_by_table", {1, 1, 1}, {64, 1, 1}, gpu.buffer(std::vector<float>(64)), gpu.buffer(which)).ok());
  const device::Fault& fault = gpu.fault();
  CHECK(fault.message == "call through a null function pointer");
  CHECK(fault.kind == FaultKind::kInvalidCall);
  CHECK(fault.code == device::Code::kInvalidPc);
  CHECK(fault.thread == device::Dim3{35, 0, 0});
  CHECK(fault.lanes_affected == 2);
  CHECK_FALSE(fault.instruction.empty());
  CHECK(fault.frames.back().line == marked_line("call_by_table", "advice.cu"));
}

TEST_CASE("a trap says that the compiler may have put it there") {
  TestGpu gpu(test_ptx("vgpu/advice"));
  REQUIRE(gpu.launch("folded_store", {1, 1, 1}, {32, 1, 1}, 5).ok());
  CHECK(gpu.fault().kind == FaultKind::kTrap);
  CHECK(says(gpu.fault().message, "the compiler saw undefined behaviour here"));
  CHECK(gpu.fault().frames.back().line == marked_line("folded_store", "advice.cu"));
}

TEST_CASE("two blocks that wait for each other: the loop, and both blocks by name") {
  TestGpu gpu(test_ptx("vgpu/advice"));
  REQUIRE(gpu.launch("each_other", {2, 1, 1}, {64, 1, 1}, gpu.buffer(std::vector<int>(2))).ok());
  const device::Fault& fault = gpu.fault();
  CHECK(fault.kind == FaultKind::kDeadlock);
  CHECK(fault.frames.front().line == marked_line("each_other", "advice.cu"));
  REQUIRE_FALSE(fault.waiters.empty());
  CHECK(fault.waiters.front().threads == "blocks (0, 0, 0) and (1, 0, 0), warp 0, lane 0");
  CHECK(fault.waiters.front().what == "a loop that waits for memory to change");
}

TEST_CASE("what was freed is told with its size and when") {
  TestGpu gpu(test_ptx("vgpu/advice"));
  const device::Address early = gpu.buffer(std::vector<int>(64)), late = gpu.buffer(std::vector<int>(16));
  REQUIRE(gpu.gpu->free(early).ok());
  REQUIRE(gpu.launch("increment", {1, 1, 1}, {16, 1, 1}, late).ok());
  REQUIRE(gpu.gpu->free(late).ok());
  CHECK(says(gpu.gpu->free(early).message, "has been freed before: an allocation of 256 bytes, freed before the first launch"));
  CHECK(says(gpu.gpu->free(late).message, "an allocation of 64 bytes, freed after launch 1, of increment"));
  REQUIRE(gpu.launch("increment", {1, 1, 1}, {16, 1, 1}, late).ok());
  CHECK(says(gpu.fault().message, "which has been freed after launch 1, of increment"));
}

TEST_CASE("a refused launch names the kernel, what it asked for and what is allowed") {
  TestGpu gpu(test_ptx("vgpu/advice"));
  const device::Address a = gpu.buffer(std::vector<int>(16));
  CHECK(gpu.launch("increment", {1, 1, 1}, {2048, 1, 1}, a).message ==
        "increment: the block (2048, 1, 1) has 2048 threads and is larger than (1024, 1024, 64); all its threads together may be 1024");
  gpu.dynamic_shared = 60000;
  CHECK(gpu.launch("increment", {1, 1, 1}, {32, 1, 1}, a).message ==
        "increment: 60000 bytes of shared memory (0 static, 60000 dynamic) need cudaFuncAttributeMaxDynamicSharedMemorySize: without it a "
        "block has 49152, with it up to 166912");
}

}  // namespace warpbook::vgpu::testing
