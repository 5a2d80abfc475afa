// What the hardware would refuse, and what is counted when it does not.
#include "judge/vgpu/test_gpu.hpp"

namespace warpbook::vgpu::testing {

namespace {

using device::Code;

constexpr const char* kSmall = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry bounded(.param .u64 p) .maxntid 64, 1, 1 { ret; }
.visible .entry fat(.param .u64 p) { .shared .align 4 .b8 s[40000]; .reg .b32 %r<2>; mov.u32 %r1, s; ret; }
.visible .entry deep(.param .u64 p) { .local .align 8 .b8 l[1000000]; .reg .b64 %rd<2>; mov.u64 %rd1, l; ret; }
.visible .entry copy(.param .u64 from, .param .u64 to)
{
  .reg .b64 %rd<6>; .reg .b32 %r<2>; .reg .f32 %f<2>;
  ld.param.u64 %rd1, [from];
  ld.param.u64 %rd2, [to];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  ld.global.f32 %f1, [%rd4];
  st.global.f32 [%rd5], %f1;
  ret;
}
)";

}  // namespace

TEST_CASE("launches of a shape that cannot be") {
  TestGpu gpu(kSmall);
  const device::Address p = 0;
  CHECK(gpu.launch("bounded", {0, 1, 1}, {32, 1, 1}, p).code == Code::kInvalidConfiguration);
  CHECK(gpu.launch("bounded", {1, 1, 1}, {0, 1, 1}, p).code == Code::kInvalidConfiguration);
  CHECK(gpu.launch("fat", {1, 1, 1}, {1025, 1, 1}, p).code == Code::kInvalidConfiguration);
  CHECK(gpu.launch("fat", {1, 1, 1}, {1, 1, 65}, p).code == Code::kInvalidConfiguration);
  CHECK(gpu.launch("fat", {1, 65536, 1}, {1, 1, 1}, p).code == Code::kInvalidConfiguration);
  CHECK(gpu.launch("bounded", {1, 1, 1}, {65, 1, 1}, p).code == Code::kLaunchOutOfResources);
  CHECK(gpu.launch("deep", {1, 1, 1}, {1, 1, 1}, p).code == Code::kLaunchOutOfResources);
  CHECK(gpu.launch("absent", {1, 1, 1}, {1, 1, 1}, p).code == Code::kInvalidDeviceFunction);
  CHECK(gpu.gpu->launches() == 0);
  CHECK(gpu.gpu->synchronize().ok());
  CHECK(gpu.launch("bounded", {1, 1, 1}, {64, 1, 1}, p).ok());
  CHECK(gpu.gpu->launches() == 1);
}

TEST_CASE("shared memory beyond 48 KB must be asked for") {
  TestGpu gpu(kSmall);
  const device::Address p = 0;
  gpu.dynamic_shared = 9152;
  CHECK(gpu.launch("fat", {1, 1, 1}, {1, 1, 1}, p).ok());
  gpu.dynamic_shared = 9153;
  CHECK(gpu.launch("fat", {1, 1, 1}, {1, 1, 1}, p).code == Code::kInvalidValue);
  gpu.dynamic_shared_limit = 9153;
  CHECK(gpu.launch("fat", {1, 1, 1}, {1, 1, 1}, p).ok());
  gpu.dynamic_shared = gpu.dynamic_shared_limit = 166912 - 40000 + 1;
  CHECK(gpu.launch("fat", {1, 1, 1}, {1, 1, 1}, p).code == Code::kInvalidValue);
}

TEST_CASE("what a function needs can be asked") {
  TestGpu gpu(kSmall);
  device::FunctionInfo info;
  REQUIRE(gpu.gpu->function_info(gpu.module, "bounded", info).ok());
  CHECK(info.max_threads_per_block == 64);
  CHECK(info.parameter_bytes == 8);
  REQUIRE(gpu.gpu->function_info(gpu.module, "fat", info).ok());
  CHECK(info.static_shared == 40000);
}

TEST_CASE("requests, sectors and bytes are counted, and who was read") {
  TestGpu gpu(kSmall);
  const device::Address from = gpu.buffer(std::vector<float>(128, 2.0f)), to = gpu.buffer(std::vector<float>(128));
  REQUIRE(gpu.launch("copy", {1, 1, 1}, {100, 1, 1}, from, to).ok());
  gpu.require_clean();
  const device::Counters counters = gpu.gpu->counters();
  CHECK(counters.global_load_requests == 4);
  CHECK(counters.global_load_sectors == 3 * 4 + 1);
  CHECK(counters.global_load_bytes == 400);
  CHECK(counters.global_store_requests == 4);
  CHECK(counters.warp_instructions == 4 * 9);
  CHECK(counters.thread_instructions == 100 * 9);
  CHECK(gpu.gpu->traffic(from).loaded_bytes == 400);
  CHECK(gpu.gpu->traffic(from).stored_bytes == 0);
  CHECK(gpu.gpu->traffic(to).stored_bytes == 400);
}

TEST_CASE("PTX for a newer device is refused") {
  Options options;
  options.properties.major = 7;
  options.properties.minor = 5;
  const auto gpu = VirtualGpu::create(options);
  std::uint64_t module = 0;
  CHECK(gpu->load_module(kSmall, module).code == Code::kUnsupportedPtxVersion);
  CHECK(gpu->load_module("this is no PTX", module).code == Code::kInvalidKernelImage);
}

TEST_CASE("an adopted module answers for whatever is loaded") {
  const Result<ImagePointer> image = make_image(kSmall);
  REQUIRE(image);
  CHECK(entry_names(**image) == std::vector<std::string>{"bounded", "fat", "deep", "copy"});
  const auto gpu = VirtualGpu::create({});
  const std::uint64_t adopted = gpu->adopt(*image);
  std::uint64_t module = 0;
  REQUIRE(gpu->load_module("whatever the worker sends", module).ok());
  CHECK(module == adopted);
}

TEST_CASE("an unsupported instruction is named when it is reached, and only then") {
  const char* text = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u32 on)
{
  .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<2>;
  ld.param.u32 %r1, [on];
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra DONE;
  ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2];
DONE:
  ret;
}
)";
  TestGpu gpu(text);
  REQUIRE(gpu.launch("k", {1, 1, 1}, {32, 1, 1}, 0u).ok());
  gpu.require_clean();
  REQUIRE(gpu.launch("k", {1, 1, 1}, {32, 1, 1}, 1u).ok());
  CHECK(gpu.fault().kind == device::FaultKind::kUnsupported);
  CHECK(gpu.fault().message == "not supported yet: ldmatrix.sync.aligned.m8n8.x1.shared.b16");
}

}  // namespace warpbook::vgpu::testing
