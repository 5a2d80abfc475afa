// Shadow stays within 8 bytes for each byte of device memory, whatever the width of the elements and whoever touches them. The kernels are
// those of judge/tests/ptx/vgpu/widths.cu; each goes over a buffer that is far larger than what a shadow costs at least.
#include <fmt/format.h>

#include "judge/vgpu/test_gpu.hpp"

namespace warpbook::vgpu::testing {

namespace {

constexpr std::uint64_t kBufferBytes = 1 << 20;
constexpr unsigned kThreads = 256;
constexpr int kCols = 33;     ///< of row_a_thread
constexpr int kStep = 77773;  ///< of scattered: a prime, so that every element has its turn

/// Bytes of shadow per byte of memory after `kernel` has gone over elements of `width` bytes.
double shadow_after(const std::string& kernel, int width) {
  const std::string name = fmt::format("{}_u{}", kernel, 8 * width);
  INFO(name);
  TestGpu gpu(test_ptx("vgpu/widths"));
  const device::Address buffer = gpu.buffer(std::vector<std::byte>(kBufferBytes));
  const int elements = static_cast<int>(kBufferBytes) / width;
  const auto blocks = [&](int per_thread) { return device::Dim3{static_cast<unsigned>(elements / per_thread) / kThreads + 1, 1, 1}; };
  device::Answer answer;
  if (kernel == "row_a_thread") answer = gpu.launch(name, blocks(kCols), {kThreads, 1, 1}, buffer, elements, kCols);
  else if (kernel == "scattered") answer = gpu.launch(name, blocks(4), {kThreads, 1, 1}, buffer, elements, kStep);
  else answer = gpu.launch(name, {8, 1, 1}, {kThreads, 1, 1}, buffer, elements);
  INFO(answer.message);
  REQUIRE(answer.ok());
  gpu.require_clean();
  return static_cast<double>(gpu.gpu->shadow_bytes(buffer)) / static_cast<double>(kBufferBytes);
}

}  // namespace

TEST_CASE("shadow stays within 8 bytes a byte, for elements of every width and all ways to touch them") {
  for (const std::string kernel : {"write", "exchange", "row_a_thread", "scattered"}) {
    for (const int width : {1, 2, 4, 8, 16}) {
      const double shadow = shadow_after(kernel, width);
      INFO(kernel << ", " << width << " bytes: " << shadow);
      CHECK(shadow > 0.125);  // more than the bit a byte of the watcher of undefined values: there is something to bound
      CHECK(shadow <= 8.0);
    }
  }
}

TEST_CASE("what a kernel may only read has no shadow of races") {
  TestGpu gpu(test_ptx("vgpu/races"));
  const device::Address in = gpu.buffer(std::vector<int>(4096)), out = gpu.buffer(std::vector<int>(4096));
  gpu.gpu->set_read_only(in, true);
  REQUIRE(gpu.launch("raw_ok", {1, 1, 1}, {256, 1, 1}, in, out).ok());
  CHECK(gpu.gpu->shadow_bytes(in) <= 4096 * sizeof(int) / 8 + 8);
  CHECK(gpu.gpu->shadow_bytes(out) > 4096 * sizeof(int) / 8 + 8);
}

}  // namespace warpbook::vgpu::testing
