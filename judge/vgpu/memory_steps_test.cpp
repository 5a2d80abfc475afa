// Loads and stores of every shape, through every space.
#include "judge/vgpu/test_gpu.hpp"

namespace warpbook::vgpu::testing {

namespace {

/// A kernel k(in, out) around `body`; %rd1 and %rd2 point to the thread's `stride` bytes of each, %r1 is the thread.
std::string kernel(const std::string& body, int in_stride, int out_stride) {
  return R"(
.version 8.0
.target sm_80
.address_size 64
.global .align 4 .b8 table[16] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0};
.const .align 4 .b8 fixed[4] = {7, 0, 0, 0};
.visible .entry k(.param .u64 in, .param .u64 out)
{
  .shared .align 16 .b8 s[2048];
  .local .align 16 .b8 l[64];
  .reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<16>; .reg .b64 %rd<16>; .reg .f32 %f<8>; .reg .f64 %d<8>;
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  mov.u32 %r1, %tid.x;
  mad.wide.u32 %rd1, %r1, )" +
         std::to_string(in_stride) + ", %rd1;\n  mad.wide.u32 %rd2, %r1, " + std::to_string(out_stride) + ", %rd2;\n" + body +
         "\n  ret;\n}\n";
}

template <class In, class Out>
std::vector<Out> run(const std::string& body, const std::vector<In>& in, int in_stride, std::size_t out_count, int out_stride,
                     unsigned threads = 32) {
  TestGpu gpu(kernel(body, in_stride, out_stride));
  const device::Address from = gpu.buffer(in), to = gpu.buffer(std::vector<Out>(out_count));
  const device::Answer launched = gpu.launch("k", {1, 1, 1}, {threads, 1, 1}, from, to);
  INFO(launched.message);
  REQUIRE(launched.ok());
  gpu.require_clean();
  return gpu.read<Out>(to, out_count);
}

std::vector<std::uint8_t> bytes(std::size_t count) {
  std::vector<std::uint8_t> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<std::uint8_t>(i * 37 + 200);
  return values;
}

}  // namespace

TEST_CASE("bytes and halves widen with and without sign") {
  const std::vector<std::uint8_t> in = bytes(128);
  for (const unsigned threads : {32u, 9u}) {
    const auto got = run<std::uint8_t, std::int64_t>(
        "ld.global.u8 %h1, [%rd1]; cvt.u64.u16 %rd3, %h1; st.global.u64 [%rd2], %rd3;\n"
        "ld.global.s8 %r2, [%rd1+1]; cvt.s64.s32 %rd3, %r2; st.global.u64 [%rd2+8], %rd3;\n"
        "ld.global.s16 %rd3, [%rd1+2]; st.global.u64 [%rd2+16], %rd3;\n"
        "ld.global.u16 %r3, [%rd1+2]; cvt.u64.u32 %rd3, %r3; st.global.u64 [%rd2+24], %rd3;",
        in, 4, 128, 32, threads);
    for (std::size_t t = 0; t < threads; ++t) {
      const auto half = static_cast<std::uint16_t>(in[4 * t + 2] | in[4 * t + 3] << 8);
      CHECK(got[4 * t] == in[4 * t]);
      CHECK(got[4 * t + 1] == static_cast<std::int8_t>(in[4 * t + 1]));
      CHECK(got[4 * t + 2] == static_cast<std::int16_t>(half));
      CHECK(got[4 * t + 3] == half);
    }
    if (threads == 9) CHECK(got[36] == 0);
  }
}

TEST_CASE("vectors of two and four") {
  std::vector<float> in(256);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i);
  for (const unsigned threads : {32u, 5u}) {
    const auto got = run<float, float>(
        "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];\nld.global.v2.f32 {_, %f5}, [%rd1+16];\n"
        "st.global.v4.f32 [%rd2], {%f4, %f3, %f5, %f1};\nst.global.v2.f64 [%rd2+16], {0d3FF0000000000000, 0d0000000000000000};",
        in, 32, 256, 32, threads);
    for (std::size_t t = 0; t < threads; ++t) {
      const auto base = static_cast<float>(8 * t);
      CHECK(std::vector<float>(got.begin() + static_cast<std::ptrdiff_t>(8 * t), got.begin() + static_cast<std::ptrdiff_t>(8 * t + 4)) ==
            std::vector<float>{base + 3, base + 2, base + 5, base});
      CHECK(got[8 * t + 5] == 1.875f);  // the upper half of 1.0
    }
  }
}

TEST_CASE("four bytes leave four registers") {
  const std::vector<std::uint8_t> in = bytes(128);
  const auto got = run<std::uint8_t, std::uint8_t>(
      "ld.global.v4.u8 {%h1, %h2, %h3, %h4}, [%rd1]; st.global.v4.u8 [%rd2], {%h4, %h3, %h2, %h1};", in, 4, 128, 4);
  for (std::size_t i = 0; i < 128; ++i) CHECK(got[i] == in[i / 4 * 4 + 3 - i % 4]);
}

TEST_CASE("shared, local, constant addresses and negative offsets") {
  std::vector<int> in(32);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i) * 3;
  const auto got = run<int, int>(
      "ld.global.u32 %r2, [%rd1];\nmov.u32 %r3, s; shl.b32 %r4, %r1, 2; add.s32 %r5, %r3, %r4;\n"
      "st.shared.u32 [%r5+64], %r2;\nbar.sync 0;\nxor.b32 %r6, %r4, 124; add.s32 %r6, %r6, %r3; ld.shared.u32 %r7, [%r6+64];\n"
      "st.local.u32 [l+8], %r7;\nmov.u64 %rd4, l; ld.local.u32 %r8, [%rd4+8];\nld.global.u32 %r9, [table+8];\n"
      "add.s32 %r8, %r8, %r9;\nadd.s64 %rd2, %rd2, 16; st.global.u32 [%rd2+-16], %r8;",
      in, 4, 36, 4);
  for (int t = 0; t < 32; ++t) CHECK(got[static_cast<std::size_t>(t)] == (31 - t) * 3 + 3);
}

TEST_CASE("one generic load reaches into three spaces") {
  const auto got = run<int, int>(
      "mov.u64 %rd4, s; cvta.shared.u64 %rd4, %rd4; mov.u64 %rd5, l; cvta.local.u64 %rd5, %rd5;\n"
      "st.shared.u32 [s], 11; st.local.u32 [l], %r1; bar.sync 0;\n"
      "and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; and.b32 %r3, %r1, 2; setp.eq.u32 %p2, %r3, 0;\n"
      "selp.b64 %rd6, %rd4, %rd5, %p1; selp.b64 %rd6, %rd6, %rd1, %p2; ld.u32 %r4, [%rd6];\n"
      "isspacep.shared %p3, %rd6; selp.b32 %r5, 100, 0, %p3; isspacep.global %p3, %rd6; selp.b32 %r6, 1000, 0, %p3;\n"
      "add.s32 %r4, %r4, %r5; add.s32 %r4, %r4, %r6; st.u32 [%rd2], %r4;",
      std::vector<int>(32, 5), 4, 32, 4);
  for (int t = 0; t < 32; ++t) CHECK(got[static_cast<std::size_t>(t)] == ((t & 2) != 0 ? 1005 : (t & 1) == 0 ? 111 : t));
}

TEST_CASE("isspacep tells constants and the kernel's parameters from other memory, and parameters are global as well") {
  const auto got = run<int, int>(
      "mov.u64 %rd4, fixed; cvta.const.u64 %rd4, %rd4; mov.b64 %rd5, in; cvta.param::entry.u64 %rd5, %rd5;\n"
      "isspacep.const %p1, %rd4; selp.b32 %r5, 1, 0, %p1; isspacep.global %p1, %rd4; selp.b32 %r6, 2, 0, %p1;\n"
      "isspacep.const %p1, %rd1; selp.b32 %r7, 4, 0, %p1; isspacep.global %p1, %rd1; selp.b32 %r8, 8, 0, %p1;\n"
      "isspacep.param %p1, %rd1; selp.b32 %r9, 16, 0, %p1; isspacep.param %p1, %rd5; selp.b32 %r10, 32, 0, %p1;\n"
      "isspacep.global %p1, %rd5; selp.b32 %r11, 64, 0, %p1; ld.u32 %r12, [%rd4]; shl.b32 %r12, %r12, 7;\n"
      "or.b32 %r4, %r5, %r6; or.b32 %r4, %r4, %r7; or.b32 %r4, %r4, %r8; or.b32 %r4, %r4, %r9; or.b32 %r4, %r4, %r10;\n"
      "or.b32 %r4, %r4, %r11; or.b32 %r4, %r4, %r12; st.global.u32 [%rd2], %r4;",
      std::vector<int>(32, 5), 4, 32, 4);
  for (const int one : got) CHECK(one == (1 | 8 | 32 | 64 | 7 << 7));  // and a generic load reads a constant
}

TEST_CASE("asynchronous copies, short ones filled with zeros") {
  const std::vector<std::uint8_t> in = bytes(512);
  const auto got = run<std::uint8_t, std::uint8_t>(
      "mov.u32 %r2, s; shl.b32 %r3, %r1, 4; add.s32 %r2, %r2, %r3;\nand.b32 %r4, %r1, 15;\n"
      "cp.async.cg.shared.global [%r2], [%rd1], 16, %r4;\ncp.async.commit_group;\ncp.async.wait_group 0;\nbar.sync 0;\n"
      "ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [%r2]; st.global.v4.u32 [%rd2], {%r5, %r6, %r7, %r8};",
      in, 16, 512, 16);
  for (std::size_t i = 0; i < 512; ++i) CHECK(got[i] == (i % 16 < i / 16 % 16 ? in[i] : 0));
}

TEST_CASE("asynchronous copies are checked like loads and stores") {
  TestGpu gpu(kernel("mov.u32 %r2, s; cp.async.ca.shared.global [%r2], [%rd1], 8; cp.async.wait_all;", 8, 8));
  const device::Address in = gpu.buffer(std::vector<float>(63), "x");
  REQUIRE(gpu.launch("k", {1, 1, 1}, {32, 1, 1}, in, in).ok());
  CHECK(gpu.fault().kind == device::FaultKind::kOutOfBounds);
  CHECK(gpu.fault().message.find("read of 8 bytes") == 0);
  CHECK(gpu.fault().thread == device::Dim3{31, 0, 0});
}

TEST_CASE("a branch through a table of labels") {
  const auto got = run<int, int>(
      "ts: .branchtargets A, B, C;\nrem.u32 %r2, %r1, 3; brx.idx %r2, ts;\n"
      "A: mov.u32 %r3, 10; bra D;\nB: mov.u32 %r3, 20; bra D;\nC: mov.u32 %r3, 30;\nD: activemask.b32 %r4; popc.b32 %r4, %r4;\n"
      "add.s32 %r3, %r3, %r4; st.global.u32 [%rd2], %r3;",
      std::vector<int>(1), 0, 32, 4);
  for (int t = 0; t < 32; ++t) CHECK(got[static_cast<std::size_t>(t)] == 10 * (t % 3 + 1) + 32);
}

TEST_CASE("coordinates of threads and blocks in three dimensions") {
  const char* text = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
  .reg .b32 %r<20>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %ctaid.z; mov.u32 %r2, %nctaid.y; mov.u32 %r3, %ctaid.y; mad.lo.u32 %r4, %r1, %r2, %r3;
  mov.u32 %r5, %nctaid.x; mov.u32 %r6, %ctaid.x; mad.lo.u32 %r4, %r4, %r5, %r6;
  mov.u32 %r7, %ntid.z; mov.u32 %r8, %tid.z; mad.lo.u32 %r4, %r4, %r7, %r8;
  mov.u32 %r9, %ntid.y; mov.u32 %r10, %tid.y; mad.lo.u32 %r4, %r4, %r9, %r10;
  mov.u32 %r11, %ntid.x; mov.u32 %r12, %tid.x; mad.lo.u32 %r4, %r4, %r11, %r12;
  mad.wide.u32 %rd2, %r4, 4, %rd1;
  mov.u32 %r13, %laneid; mov.u32 %r14, %warpid; mad.lo.u32 %r13, %r14, 32, %r13;
  mov.u32 %r15, %lanemask_lt; popc.b32 %r15, %r15; mad.lo.u32 %r13, %r15, 1000, %r13;
  st.global.u32 [%rd2], %r13;
  ret;
}
)";
  TestGpu gpu(text);
  constexpr unsigned kThreadsEach = 3 * 5 * 4, kBlocksAll = 2 * 3 * 2;
  const device::Address out = gpu.buffer(std::vector<unsigned>(kThreadsEach * kBlocksAll));
  REQUIRE(gpu.launch("k", {2, 3, 2}, {3, 5, 4}, out).ok());
  gpu.require_clean();
  const std::vector<unsigned> got = gpu.read<unsigned>(out, kThreadsEach * kBlocksAll);
  for (unsigned i = 0; i < got.size(); ++i) {
    const unsigned thread = i % kThreadsEach;
    CHECK(got[i] == thread + thread % 32 * 1000);
  }
}

TEST_CASE("an addition nobody looks at counts as written, not as read") {
  for (const bool looks : {false, true}) {
    TestGpu gpu(kernel(std::string("atom.global.add.u32 %r2, [%rd1], 1;") + (looks ? "st.global.u32 [%rd2], %r2;" : ""), 4, 4));
    const device::Address in = gpu.buffer(std::vector<int>(32)), out = gpu.buffer(std::vector<int>(32));
    REQUIRE(gpu.launch("k", {1, 1, 1}, {32, 1, 1}, in, out).ok());
    gpu.require_clean();
    CHECK(gpu.gpu->traffic(in).stored_bytes == 128);
    CHECK(gpu.gpu->traffic(in).loaded_bytes == (looks ? 128 : 0));
    CHECK(gpu.read<int>(in, 32)[31] == 1);
  }
}

}  // namespace warpbook::vgpu::testing
