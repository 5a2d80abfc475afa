// Instructions that are rare, each in a kernel of a few lines: wide loads and stores, atomics on vectors and on 128 bits, redux of floats,
// hints, clusters of one block.
#include <bit>
#include <cstdint>

#include "judge/vgpu/test_programs.hpp"

namespace warpbook::vgpu::testing {

namespace {

/// A kernel for sm_100; %in and %out point at the thread's own `stride` bytes.
std::string kernel(const std::string& body, int stride) {
  return ".version 8.8\n.target sm_100\n.address_size 64\n"
         ".visible .entry k(.param .u64 in, .param .u64 out) {\n"
         "  .reg .pred %p<4>; .reg .b16 %h<20>; .reg .b32 %t, %r<20>; .reg .f32 %f<9>; .reg .b64 %in, %out, %first, %d<20>; .reg .b128 "
         "%q<4>;\n"
         "  .shared .align 16 .b8 tile[512];\n"
         "  ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u64 %first, %out;\n"
         "  mov.u32 %t, %tid.x; mul.wide.u32 %d0, %t, " +
         std::to_string(stride) + "; add.u64 %in, %in, %d0; add.u64 %out, %out, %d0;\n" + body + "  ret;\n}\n";
}

template <class T>
std::vector<T> run(const std::string& ptx, const std::vector<T>& in, const std::vector<T>& out, std::uint32_t threads = 32) {
  TestGpu gpu(ptx, options_for(100));
  const device::Address to = gpu.buffer(out);
  REQUIRE(gpu.launch("k", {1, 1, 1}, {threads, 1, 1}, gpu.buffer(in), to).ok());
  gpu.require_clean();
  return gpu.template read<T>(to, out.size());
}

std::vector<std::uint32_t> counting(std::size_t count) {
  std::vector<std::uint32_t> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<std::uint32_t>(i * 2654435761u);
  return values;
}

}  // namespace

TEST_CASE("eight words, four doublewords or 128 bits in one access") {
  const std::vector<std::uint32_t> in = counting(256), zero(256);
  CHECK(run(kernel("  ld.global.v8.b32 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%in];\n"
                   "  st.global.v8.b32 [%out], {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8};\n",
                   32),
            in, zero) == in);
  CHECK(run(kernel("  ld.global.v4.b64 {%d1,%d2,%d3,%d4}, [%in];\n  st.global.v4.b64 [%out], {%d1,%d2,%d3,%d4};\n", 32), in, zero) == in);
  std::vector<std::uint32_t> half = in;
  half.resize(128);
  CHECK(run(kernel("  ld.global.b128 %q1, [%in];\n  st.global.b128 [%out], %q1;\n", 16), half, std::vector<std::uint32_t>(128)) == half);
}

TEST_CASE("a wide access past the end or off its alignment is refused") {
  const std::string load = "  ld.global.v8.b32 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%in+16];\n  st.global.b32 [%out], %r8;\n";
  TestGpu gpu(kernel(load, 32), options_for(100));
  REQUIRE(gpu.launch("k", {1, 1, 1}, {32, 1, 1}, gpu.buffer(counting(256)), gpu.buffer(counting(256))).ok());
  CHECK(gpu.fault().kind == device::FaultKind::kMisaligned);
  TestGpu short_gpu(kernel("  ld.global.v8.b32 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%in];\n  st.global.b32 [%out], %r8;\n", 32),
                    options_for(100));
  REQUIRE(short_gpu.launch("k", {1, 1, 1}, {32, 1, 1}, short_gpu.buffer(counting(252)), short_gpu.buffer(counting(256))).ok());
  CHECK(short_gpu.fault().kind == device::FaultKind::kOutOfBounds);
}

TEST_CASE("128 bits are exchanged, and swapped where they are equal") {
  // Thread t exchanges its own piece; then only an odd thread's comparison holds.
  const std::vector<std::uint32_t> in = counting(128);
  std::vector<std::uint32_t> out = counting(256);
  out.erase(out.begin(), out.begin() + 128);
  const std::vector<std::uint32_t> got =
      run(kernel("  ld.global.b128 %q1, [%in];\n  atom.global.exch.b128 %q2, [%out], %q1;\n"
                 "  and.b32 %r1, %t, 1; setp.eq.u32 %p1, %r1, 1;\n  @!%p1 ld.global.b128 %q1, [%out];\n"
                 "  @%p1 ld.global.b128 %q1, [%in];\n  @!%p1 mov.b128 %q1, {%d0, %d0};\n  atom.global.cas.b128 %q3, [%out], %q1, %q2;\n",
                 16),
          in, out);
  for (std::size_t i = 0; i < 128; ++i) CHECK(got[i] == (i / 4 % 2 == 1 ? out[i] : in[i]));
}

TEST_CASE("128 bits are packed and unpacked") {
  const std::vector<std::uint32_t> in = counting(128);
  const std::vector<std::uint32_t> got =
      run(kernel("  ld.global.v2.b64 {%d1,%d2}, [%in];\n  mov.b128 %q1, {%d2, %d1};\n  mov.b128 %q2, %q1;\n"
                 "  mov.b128 {%d3, %d4}, %q2;\n  st.global.v2.b64 [%out], {%d3,%d4};\n",
                 16),
          in, std::vector<std::uint32_t>(128));
  for (std::size_t i = 0; i < 128; ++i) CHECK(got[i] == in[i ^ 2]);
}

TEST_CASE("atomics on vectors change each element") {
  const std::vector<float> ones(128, 1.5f);
  const std::vector<float> got = run(kernel("  ld.global.v4.f32 {%f1,%f2,%f3,%f4}, [%in];\n  cvt.rn.f32.u32 %f2, %t;\n"
                                            "  atom.global.v4.f32.add {%f5,%f6,%f7,%f8}, [%first], {%f1,%f2,%f3,%f4};\n"
                                            "  setp.ne.u32 %p1, %t, 0; @%p1 st.global.v4.f32 [%out], {%f5,%f6,%f7,%f8};\n",
                                            16),
                                     ones, std::vector<float>(128));
  CHECK(got[0] == 48.0f);
  CHECK(got[1] == 496.0f);
  for (std::size_t t = 1; t < 32; ++t) {  // lanes go in order: each finds what those before it left
    CHECK(got[4 * t] == 1.5f * static_cast<float>(t));
    CHECK(got[4 * t + 1] == static_cast<float>(t * (t - 1) / 2));
  }
}

TEST_CASE("minima of halves, eight at a time") {
  std::vector<_Float16> in(256), out(256, static_cast<_Float16>(3));
  for (std::size_t i = 0; i < 256; ++i) in[i] = static_cast<_Float16>(static_cast<float>(i % 8 == 3 ? 100 : i % 11) - 2.0f);
  in[8 * 5 + 1] = std::bit_cast<_Float16>(std::uint16_t{0x7E00});
  const std::vector<_Float16> got =
      run(kernel("  ld.global.v4.b32 {%r1,%r2,%r3,%r4}, [%in];\n"
                 "  mov.b32 {%h1,%h2}, %r1; mov.b32 {%h3,%h4}, %r2; mov.b32 {%h5,%h6}, %r3; mov.b32 {%h7,%h8}, %r4;\n"
                 "  red.global.v8.f16.min.noftz [%first], {%h1,%h2,%h3,%h4,%h5,%h6,%h7,%h8};\n",
                 16),
          in, out);
  for (std::size_t k = 0; k < 8; ++k) {
    float least = 3;
    for (std::size_t t = 0; t < 32; ++t) {
      if (const auto x = static_cast<float>(in[8 * t + k]); x < least) least = x;
    }
    CHECK(static_cast<float>(got[k]) == least);
  }
}

TEST_CASE("redux of floats") {
  std::vector<std::uint32_t> in(32);
  for (std::size_t i = 0; i < 32; ++i) in[i] = std::bit_cast<std::uint32_t>(static_cast<float>(i) - 20.5f);
  in[7] = 0x7FC00001;
  const auto reduce = [&](const std::string& form) {
    return run(
        kernel("  ld.global.b32 %f1, [%in];\n  redux.sync." + form + ".f32 %f2, %f1, 0xffffffff;\n  st.global.b32 [%out], %f2;\n", 4), in,
        std::vector<std::uint32_t>(32))[9];
  };
  CHECK(std::bit_cast<float>(reduce("min")) == -20.5f);
  CHECK(std::bit_cast<float>(reduce("max")) == 10.5f);
  CHECK(std::bit_cast<float>(reduce("min.abs")) == 0.5f);
  CHECK(std::bit_cast<float>(reduce("max.abs")) == 20.5f);
  CHECK(reduce("max.NaN") == 0x7FFFFFFF);
}

TEST_CASE("a launch without a cluster size is no explicit cluster, and no kernel of a device graph") {
  const std::vector<std::uint32_t> got =
      run(kernel("  mov.pred %p1, %is_explicit_cluster;\n  selp.u32 %r1, 1, 2, %p1;\n  mov.pred %p2, %p1;\n  @%p2 add.u32 %r1, %r1, 8;\n"
                 "  mov.u64 %d1, %current_graph_exec;\n  cvt.u32.u64 %r2, %d1;\n  add.u32 %r1, %r1, %r2;\n  add.u32 %r1, %r1, %tid.x;\n"
                 "  st.global.u32 [%out], %r1;\n",
                 4),
          counting(32), std::vector<std::uint32_t>(32), 32);
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(got[i] == 2 + i);
}

TEST_CASE("hints change nothing, and a cluster is one block") {
  const std::vector<std::uint32_t> in = counting(32);
  const std::vector<std::uint32_t> got = run(
      kernel("  griddepcontrol.wait;\n  createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %d1, 0.5;\n"
             "  createpolicy.range.global.L2::evict_last.b64 %d2, [%in], 64, 128;\n"
             "  prefetch.global.L1 [%in];\n  ld.global.L2::cache_hint.b32 %r1, [%in], %d1;\n"
             "  st.global.L2::cache_hint.b32 [%out], %r1, %d1;\n  mov.u32 %r10, 1;\n"
             "  red.global.add.L2::cache_hint.u32 [%out], %r10, %d1;\n"
             "  mov.u32 %r2, %cluster_ctarank; mov.u32 %r3, %cluster_nctarank; mov.u32 %r4, %cluster_nctaid.x; mov.u32 %r5, %clusterid.x;\n"
             "  mov.u32 %r6, tile; shl.b32 %r11, %t, 2; add.u32 %r6, %r6, %r11; mapa.shared::cluster.u32 %r7, %r6, %r2; "
             "getctarank.shared::cluster.u32 %r8, %r7;\n"
             "  add.u32 %r7, %r7, 8; st.shared.u32 [%r6+8], 5; ld.shared::cluster.u32 %r9, [%r7];\n"
             "  add.u32 %r2, %r2, %r3; add.u32 %r2, %r2, %r4; add.u32 %r2, %r2, %r5; add.u32 %r2, %r2, %r8; add.u32 %r2, %r2, %r9;\n"
             "  red.global.add.u32 [%out], %r2;\n  griddepcontrol.launch_dependents;\n  nanosleep.u32 10;\n",
             4),
      in, std::vector<std::uint32_t>(32), 32);
  for (std::size_t i = 0; i < 32; ++i) CHECK(got[i] == in[i] + 1 + 7);
}

}  // namespace warpbook::vgpu::testing
