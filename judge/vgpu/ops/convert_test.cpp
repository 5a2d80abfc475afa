#include <cmath>
#include <limits>

#include "judge/tests/catch.hpp"
#include "judge/vgpu/ops/half_format.hpp"
#include "judge/vgpu/ops/trial.hpp"

namespace warpbook::vgpu::ops {
namespace {

using ptx::Type;

}  // namespace

TEST_CASE("integers are cut and extended") {
  CHECK(one("cvt.s64.s32", {0xFFFFFFFF}) == 0xFFFFFFFFFFFFFFFF);
  CHECK(one("cvt.u64.u32", {0xFFFFFFFF}) == 0xFFFFFFFF);
  CHECK(one("cvt.u64.s32", {0xFFFFFFFF}) == 0xFFFFFFFFFFFFFFFF);
  CHECK(one("cvt.u32.u64", {0x1234567890ABCDEF}) == 0x90ABCDEF);
  CHECK(one("cvt.s16.s8", {0x80}) == 0xFF80);
  CHECK(one("cvt.u16.u8", {0xFF80}) == 0x80);
  CHECK(one("cvt.u32.u16", {0xFFFF}) == 0xFFFF);
  CHECK(one("cvt.s32.s16", {0xFFFF}) == 0xFFFFFFFF);
}

TEST_CASE("registers may be wider than the types of cvt") {
  CHECK(Trial("cvt.s32.s8").source_register(Type::kB32).one({0x12345680}) == 0xFFFFFF80);
  CHECK(Trial("cvt.u32.u8").source_register(Type::kB64).one({0xAABBCCDD11223344}) == 0x44);
  CHECK(Trial("cvt.s8.s32").result_register(Type::kB32).one({0x80}) == 0xFFFFFF80);
  CHECK(Trial("cvt.u8.u32").result_register(Type::kB32).one({0x1FF}) == 0xFF);
  CHECK(Trial("cvt.s16.s32").result_register(Type::kB64).one({0x8000}) == 0xFFFFFFFFFFFF8000);
  CHECK(Trial("cvt.rn.f32.u8").source_register(Type::kB32).one({0xFFFFFF07}) == bits(7.0f));
  CHECK(Trial("cvt.rzi.s8.f32").result_register(Type::kB32).one({bits(-3.5f)}) == 0xFFFFFFFD);
  CHECK(Trial("cvt.rzi.u16.f32").result_register(Type::kB32).one({bits(70000.0f)}) == 0xFFFF);
  const auto some = Trial("cvt.s16.s32").result_register(Type::kB64).run({splat(0x8000)}, 1, 5).results[0];
  CHECK(some[0] == 0xFFFFFFFFFFFF8000);
  CHECK(some[1] == 5);
}

TEST_CASE(".sat clamps integers") {
  CHECK(one("cvt.sat.u8.s32", {0xFFFFFFFF}) == 0);
  CHECK(one("cvt.sat.u8.s32", {300}) == 255);
  CHECK(one("cvt.sat.s8.u32", {200}) == 127);
  CHECK(one("cvt.sat.s8.s32", {0xFFFFFF00}) == 0xFF80);
  CHECK(one("cvt.sat.s32.s64", {0x8000000000000000}) == 0x80000000);
  CHECK(one("cvt.sat.s32.u64", {0xFFFFFFFFFFFFFFFF}) == 0x7FFFFFFF);
  CHECK(one("cvt.sat.u64.s32", {0x80000000}) == 0);
  CHECK(one("cvt.sat.u32.s64", {0x100000000}) == 0xFFFFFFFF);
  CHECK(one("cvt.sat.s64.u64", {0xFFFFFFFFFFFFFFFF}) == 0x7FFFFFFFFFFFFFFF);
}

TEST_CASE("floats become integers: clamped, and NaN by the width of its types") {
  const std::uint64_t nan = kNan32, nan64 = 0x7FF8000000000000;
  CHECK(one("cvt.rzi.s32.f32", {bits(1e10f)}) == 0x7FFFFFFF);
  CHECK(one("cvt.rzi.s32.f32", {bits(-1e10f)}) == 0x80000000);
  CHECK(one("cvt.rzi.u32.f32", {bits(-1.0f)}) == 0);
  CHECK(one("cvt.rzi.u32.f32", {bits(4294967040.0f)}) == 4294967040u);
  CHECK(one("cvt.rzi.u32.f32", {bits(4294967296.0f)}) == 0xFFFFFFFF);
  CHECK(one("cvt.rzi.s32.f32", {nan}) == 0);
  CHECK(one("cvt.rzi.u8.f32", {nan}) == 0);
  CHECK(one("cvt.rzi.s64.f32", {nan}) == 0x8000000000000000);
  CHECK(one("cvt.rzi.u64.f32", {nan}) == 0x8000000000000000);
  CHECK(one("cvt.rzi.s32.f64", {nan64}) == 0x80000000);
  CHECK(one("cvt.rzi.u64.f64", {nan64}) == 0x8000000000000000);
  CHECK(one("cvt.rzi.s32.f16", {0x7E00}) == 0);
  CHECK(one("cvt.rzi.s64.f64", {bits(1e300)}) == 0x7FFFFFFFFFFFFFFF);
  CHECK(one("cvt.rzi.s64.f64", {bits(-1e300)}) == 0x8000000000000000);
  CHECK(one("cvt.rzi.s64.f64", {bits(-0x1p63)}) == 0x8000000000000000);
  CHECK(one("cvt.rzi.u64.f64", {bits(0x1p63)}) == 0x8000000000000000);
  CHECK(one("cvt.rzi.u64.f64", {bits(0x1p64)}) == 0xFFFFFFFFFFFFFFFF);
  CHECK(one("cvt.rzi.u64.f64", {bits(-0.5)}) == 0);
  CHECK(one("cvt.rpi.u64.f64", {bits(-1.5)}) == 0);
  CHECK(one("cvt.rzi.s8.f32", {bits(-200.0f)}) == 0xFF80);
  CHECK(one("cvt.rzi.s16.f16", {0x7C00}) == 0x7FFF);
}

TEST_CASE("integer rounding has its four directions") {
  struct Row {
    float value, nearest, zero, down, up;
  };
  for (const Row& row : {Row{2.5f, 2, 2, 2, 3}, Row{3.5f, 4, 3, 3, 4}, Row{-2.5f, -2, -2, -3, -2}, Row{-0.5f, -0.0f, -0.0f, -1, -0.0f},
                         Row{0x1p30f, 0x1p30f, 0x1p30f, 0x1p30f, 0x1p30f}}) {
    CHECK(one("cvt.rni.f32.f32", {bits(row.value)}) == bits(row.nearest));
    CHECK(one("cvt.rzi.f32.f32", {bits(row.value)}) == bits(row.zero));
    CHECK(one("cvt.rmi.f32.f32", {bits(row.value)}) == bits(row.down));
    CHECK(one("cvt.rpi.f32.f32", {bits(row.value)}) == bits(row.up));
    CHECK(one("cvt.rni.s32.f32", {bits(row.value)}) == static_cast<std::uint32_t>(static_cast<std::int32_t>(row.nearest)));
    CHECK(one("cvt.rmi.s32.f64", {bits(static_cast<double>(row.value))}) ==
          static_cast<std::uint32_t>(static_cast<std::int32_t>(row.down)));
    CHECK(one("cvt.rpi.s64.f32", {bits(row.value)}) == static_cast<std::uint64_t>(static_cast<std::int64_t>(row.up)));
    CHECK(one("cvt.rpi.f64.f64", {bits(static_cast<double>(row.value))}) == bits(static_cast<double>(row.up)));
  }
  CHECK(one("cvt.rpi.f32.f32", {1}) == bits(1.0f));
  CHECK(one("cvt.rpi.ftz.f32.f32", {1}) == 0);
  CHECK(one("cvt.rni.sat.f32.f32", {bits(7.0f)}) == bits(1.0f));
}

TEST_CASE("integers become floats, rounded once as asked") {
  CHECK(one("cvt.rn.f32.s32", {0x80000000}) == bits(-2147483648.0f));
  CHECK(one("cvt.rn.f32.u32", {0xFFFFFFFF}) == bits(4294967296.0f));
  CHECK(one("cvt.rz.f32.u32", {0xFFFFFFFF}) == bits(4294967040.0f));
  CHECK(one("cvt.rm.f32.s32", {0x80000001}) == bits(-2147483648.0f));
  CHECK(one("cvt.rp.f32.s32", {0x80000001}) == bits(-2147483520.0f));
  CHECK(one("cvt.rn.f32.u64", {0x8000008000000001}) == bits(0x1.000002p63f));  // half a unit and a bit: rounding twice would lose the bit
  CHECK(one("cvt.rz.f32.u64", {0xFFFFFFFFFFFFFFFF}) == bits(0x1.fffffep63f));
  CHECK(one("cvt.rp.f32.s64", {0x7FFFFFFFFFFFFFFF}) == bits(0x1p63f));
  CHECK(one("cvt.rn.f64.u64", {0xFFFFFFFFFFFFFFFF}) == bits(0x1p64));
  CHECK(one("cvt.rz.f64.s64", {0x8000000000000001}) == bits(-0x1.fffffffffffffp62));
  CHECK(one("cvt.rn.f16.s32", {65519}) == 0x7BFF);
  CHECK(one("cvt.rn.f16.s32", {65520}) == 0x7C00);
  CHECK(one("cvt.rz.f16.u64", {0xFFFFFFFFFFFFFFFF}) == 0x7BFF);
  CHECK(one("cvt.rn.bf16.u64", {0x8080000000000001}) == 0x5F01);  // just above half way
  CHECK(one("cvt.rn.bf16.u64", {0x8080000000000000}) == 0x5F00);
  CHECK(one("cvt.rn.f16.s8", {0xFF}) == 0xBC00);
  CHECK(one("cvt.rn.sat.f32.s32", {7}) == bits(1.0f));
  CHECK(one("cvt.rn.sat.f64.s64", {0xFFFFFFFFFFFFFFFF}) == 0);
}

TEST_CASE("floats of other widths, rounded once as asked") {
  CHECK(one("cvt.rn.f32.f64", {bits(1.0 + 0x1p-24)}) == bits(1.0f));
  CHECK(one("cvt.rp.f32.f64", {bits(1.0 + 0x1p-50)}) == bits(std::nextafter(1.0f, 2.0f)));
  CHECK(one("cvt.rz.f32.f64", {bits(-1e300)}) == bits(-std::numeric_limits<float>::max()));
  CHECK(one("cvt.rn.f32.f64", {bits(0x1p-149)}) == 1);
  CHECK(one("cvt.rn.ftz.f32.f64", {bits(0x1p-149)}) == 0);
  CHECK(one("cvt.f64.f32", {1}) == bits(0x1p-149));
  CHECK(one("cvt.ftz.f64.f32", {0x80000001}) == bits(-0.0));
  CHECK(one("cvt.rn.f16.f32", {bits(1.0f + 0x1p-11f)}) == 0x3C00);
  CHECK(one("cvt.rn.f16.f32", {bits(1.0f + 0x1p-11f + 0x1p-23f)}) == 0x3C01);
  CHECK(one("cvt.rp.f16.f32", {bits(0x1p-40f)}) == 1);
  CHECK(one("cvt.rm.f16.f32", {bits(-0x1p-40f)}) == 0x8001);
  CHECK(one("cvt.rz.f16.f32", {bits(1e10f)}) == 0x7BFF);
  CHECK(one("cvt.rn.f16.f32", {bits(0x1.8p-25f)}) == 1);
  CHECK(one("cvt.rn.bf16.f32", {0x3F808000}) == 0x3F80);
  CHECK(one("cvt.rn.bf16.f32", {0x3F818000}) == 0x3F82);
  CHECK(one("cvt.rz.bf16.f32", {0x3F81FFFF}) == 0x3F81);
  CHECK(one("cvt.rn.bf16.f32", {0x7F7FFFFF}) == 0x7F80);
  CHECK(one("cvt.rn.f16.f64", {bits(1.0 + 0x1p-11 + 0x1p-52)}) == 0x3C01);  // through f32 it would be a tie
  CHECK(one("cvt.f32.f16", {1}) == bits(0x1p-24f));
  CHECK(one("cvt.f32.bf16", {0xBF80}) == bits(-1.0f));
  CHECK(one("cvt.rn.relu.f16.f32", {bits(-1.0f)}) == 0);
  CHECK(one("cvt.rn.relu.f16.f32", {kNan32}) == Half::kNan);
  CHECK(one("cvt.rn.sat.f16.f32", {bits(2.0f)}) == 0x3C00);
  CHECK(one("cvt.sat.f32.f32", {kNan32}) == 0);
}

TEST_CASE("pairs are packed with the first source on top") {
  CHECK(one("cvt.rn.f16x2.f32", {bits(1.0f), bits(2.0f)}) == 0x3C004000);
  CHECK(one("cvt.rn.bf16x2.f32", {bits(1.0f), bits(-2.0f)}) == 0x3F80C000);
  CHECK(one("cvt.rz.f16x2.f32", {bits(1e10f), bits(1.0f)}) == 0x7BFF3C00);
  CHECK(one("cvt.rn.relu.bf16x2.f32", {bits(-1.0f), bits(1.0f)}) == 0x00003F80);
}

TEST_CASE("NaN in conversions: one NaN of singles, payloads of doubles") {
  CHECK(one("cvt.f32.f16", {0xFE01}) == kNan32);
  CHECK(one("cvt.f32.bf16", {0xFFC1}) == 0xFFC10000);
  CHECK(one("cvt.f32.f32", {0x7F800001}) == 0x7F800001);
  CHECK(one("cvt.rni.f32.f32", {0x7F800001}) == kNan32);
  CHECK(one("cvt.f64.f32", {0x7F800001}) == 0x7FF8000020000000);
  CHECK(one("cvt.f64.f16", {0xFE01}) == 0xFFF8040000000000);
  CHECK(one("cvt.rn.f32.f64", {0xFFF123456789ABCD}) == 0xFFC91A2B);
  CHECK(one("cvt.rn.f16.f64", {0xFFF123456789ABCE}) == 0xFE48);
  CHECK(one("cvt.rn.bf16.f64", {0x7FF0000000000001}) == 0x7FC0);
  CHECK(one("cvt.rn.f16.f32", {0xFFC00001}) == Half::kNan);
}

}  // namespace warpbook::vgpu::ops
