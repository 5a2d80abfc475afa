// Work in two streams that touches the same bytes: reported when nothing orders it, with both lines, and never when something does.
#include "judge/vgpu/stream_task.hpp"
#include "judge/vgpu/test_gpu.hpp"

namespace warpbook::vgpu::testing {

namespace {

/// Work number `number` of `stream`, which begins when `knows` is over.
StreamTask task(std::size_t stream, std::uint64_t number, std::vector<std::uint64_t> knows = {}, std::vector<std::uint64_t> settled = {}) {
  knows.resize(3);
  settled.resize(3);
  return {stream, number, std::move(knows), std::move(settled), "stream " + std::to_string(stream), "cudaMemcpyAsync"};
}

/// increment of 32 ints from `first` on, as work of a stream.
void increment(TestGpu& gpu, device::Address at, StreamTask work) {
  begin_task(*gpu.gpu, std::move(work));
  REQUIRE(gpu.launch("increment", {1, 1, 1}, {32, 1, 1}, at).ok());
  begin_task(*gpu.gpu, {});
}

}  // namespace

TEST_CASE("two launches in two streams that write the same words race, and the device goes on") {
  TestGpu gpu(test_ptx("vgpu/advice"));
  const device::Address a = gpu.buffer(std::vector<int>(64), "a");
  increment(gpu, a, task(1, 1));
  increment(gpu, a, task(2, 1));
  const std::vector<device::Fault> faults = gpu.gpu->faults();
  REQUIRE_FALSE(faults.empty());
  const device::Fault& fault = faults.front();
  INFO(fault.message);
  CHECK(fault.kind == device::FaultKind::kRace);
  CHECK(fault.message.starts_with("increment in stream 2 "));
  CHECK(fault.message.find("global memory a (offset 0), which increment in stream 1 ") != std::string::npos);
  CHECK(fault.message.find("cudaStreamWaitEvent") != std::string::npos);
  REQUIRE_FALSE(fault.frames.empty());
  CHECK(fault.frames.front().line == marked_line("increment", "advice.cu"));
  REQUIRE(fault.related.size() == 1);
  CHECK(fault.related[0].frames.front().line == marked_line("increment", "advice.cu"));
  CHECK(gpu.gpu->synchronize().ok());
  CHECK(gpu.read<int>(a, 64)[31] == 2);
}

TEST_CASE("order between the streams, other bytes and reading alone are no race") {
  TestGpu gpu(test_ptx("vgpu/advice"));
  const device::Address a = gpu.buffer(std::vector<int>(64));
  increment(gpu, a, task(1, 1));
  increment(gpu, a, task(2, 1, {0, 1}));  // waits for an event
  increment(gpu, a + 128, task(1, 2));    // the other half, in the middle of a page
  increment(gpu, a, task(1, 3, {0, 2, 1}));
  std::vector<int> back(64);
  begin_task(*gpu.gpu, task(2, 2, {0, 3, 1}));
  REQUIRE(gpu.gpu->read(std::as_writable_bytes(std::span(back)), a).ok());
  begin_task(*gpu.gpu, task(1, 4, {0, 3, 2}));
  REQUIRE(gpu.gpu->copy(a + 128, a, 128).ok());  // reads and writes one allocation
  REQUIRE(gpu.gpu->read(std::as_writable_bytes(std::span(back)), a).ok());
  gpu.require_clean();
}

TEST_CASE("a copy that does not wait for the kernel that writes, and a fill under a kernel that reads") {
  TestGpu gpu(test_ptx("vgpu/advice"));
  const device::Address a = gpu.buffer(std::vector<int>(64)), b = gpu.buffer(std::vector<int>(64));
  increment(gpu, a, task(1, 1));
  std::vector<int> back(32);
  begin_task(*gpu.gpu, task(2, 1));
  REQUIRE(gpu.gpu->read(std::as_writable_bytes(std::span(back)), a + 128).ok());  // the half that nobody writes
  gpu.require_clean();
  REQUIRE(gpu.gpu->read(std::as_writable_bytes(std::span(back)), a + 124).ok());
  REQUIRE(gpu.gpu->faults().size() == 1);
  CHECK(gpu.gpu->faults()[0].message.starts_with("cudaMemcpyAsync in stream 2 reads global memory (offset 124"));
  begin_task(*gpu.gpu, task(2, 2));
  REQUIRE(gpu.gpu->fill(b, 0, 4, 64).ok());
  increment(gpu, b, task(1, 2));
  REQUIRE(gpu.gpu->faults().size() >= 2);
  CHECK(gpu.gpu->faults()[1].message.starts_with("increment in stream 1 "));
}

TEST_CASE("what the host has waited for, what was freed and atomics on both sides are no race") {
  TestGpu gpu(test_ptx("vgpu/advice"));
  const device::Address a = gpu.buffer(std::vector<int>(64)), word = gpu.buffer(std::vector<int>{5});
  increment(gpu, a, task(1, 1));
  increment(gpu, a, task(2, 1, {0, 1}, {0, 1}));
  REQUIRE(gpu.gpu->free(a).ok());
  for (const std::size_t stream : {1u, 2u}) {
    begin_task(*gpu.gpu, task(stream, 2, {0, 1, 1}));
    REQUIRE(gpu.launch("count", {1, 1, 1}, {32, 1, 1}, word).ok());
  }
  gpu.require_clean();
}

TEST_CASE("of a stream that does the same again and again, one entry is kept, and an older one of another place is not lost") {
  TestGpu gpu(test_ptx("vgpu/advice"));
  const device::Address a = gpu.buffer(std::vector<int>(512));
  increment(gpu, a + 1024, task(1, 1));
  for (std::uint64_t i = 2; i < 40; ++i) increment(gpu, a, task(1, i, {0, i - 1}));
  increment(gpu, a + 1024, task(2, 1));
  CHECK(gpu.gpu->faults().size() >= 1);
}

}  // namespace warpbook::vgpu::testing
