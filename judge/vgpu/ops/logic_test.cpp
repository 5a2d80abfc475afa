#include "judge/tests/catch.hpp"
#include "judge/vgpu/ops/trial.hpp"

namespace warpbook::vgpu::ops {

TEST_CASE("shift amounts beyond the width give zero or the sign") {
  CHECK(one("shl.b32", {1, 31}) == 0x80000000);
  CHECK(one("shl.b32", {1, 32}) == 0);
  CHECK(one("shl.b32", {1, 0xFFFFFFFF}) == 0);
  CHECK(one("shl.b16", {1, 15}) == 0x8000);
  CHECK(one("shl.b16", {1, 16}) == 0);
  CHECK(one("shl.b64", {1, 63}) == 0x8000000000000000);
  CHECK(one("shl.b64", {1, 64}) == 0);
  CHECK(one("shr.u32", {0x80000000, 31}) == 1);
  CHECK(one("shr.u32", {0x80000000, 32}) == 0);
  CHECK(one("shr.s32", {0x80000000, 32}) == 0xFFFFFFFF);
  CHECK(one("shr.s32", {0x40000000, 99}) == 0);
  CHECK(one("shr.s16", {0x8000, 4}) == 0xF800);
  CHECK(one("shr.b16", {0x8000, 4}) == 0x0800);
  CHECK(one("shr.s64", {0x8000000000000000, 64}) == 0xFFFFFFFFFFFFFFFF);
  CHECK(one("shf.l.clamp.b32", {0x80000001, 0x00000001, 1}) == 3);
  CHECK(one("shf.l.clamp.b32", {0x12345678, 0x9ABCDEF0, 40}) == 0x12345678);
  CHECK(one("shf.l.wrap.b32", {0x12345678, 0x9ABCDEF0, 40}) == 0xBCDEF012);
  CHECK(one("shf.r.wrap.b32", {0x12345678, 0x9ABCDEF0, 8}) == 0xF0123456);
  CHECK(one("shf.r.clamp.b32", {0x12345678, 0x9ABCDEF0, 33}) == 0x9ABCDEF0);
}

TEST_CASE("bitwise logic on rows") {
  CHECK(one("and.b32", {0xFF00FF00, 0x0FF00FF0}) == 0x0F000F00);
  CHECK(one("or.b64", {0xF000000000000000, 1}) == 0xF000000000000001);
  CHECK(one("xor.b16", {0xFFFF, 0x00FF}) == 0xFF00);
  CHECK(one("not.b16", {0x00FF}) == 0xFF00);
  CHECK(one("cnot.b32", {0}) == 1);
  CHECK(one("cnot.b64", {0x100000000}) == 0);
}

TEST_CASE("logic on predicates keeps lanes that are off and honours negation") {
  Lanes even{}, low{};
  for (std::size_t i = 0; i < kWarpSize; ++i) even[i] = i % 2 == 0, low[i] = i < 16;
  const auto both = Trial("and.pred").run({even, low}, 0x0000FFFF, 1);
  for (std::size_t i = 0; i < kWarpSize; ++i) CHECK(both.results[0][i] == (i < 16 ? even[i] : 1));
  const auto without = Trial("and.pred").negate(1).run({even, low});
  for (std::size_t i = 0; i < kWarpSize; ++i) CHECK(without.results[0][i] == (even[i] && !low[i] ? 1 : 0));
  CHECK(Trial("not.pred").one({1}) == 0);
  CHECK(Trial("mov.pred").negate(0).one({1}) == 0);
  CHECK(Trial("xor.pred").one({1, 1}) == 0);
}

TEST_CASE("every table of lop3 is the function it encodes") {
  constexpr std::uint64_t kA = 0xF0, kB = 0xCC, kC = 0xAA;
  for (unsigned table = 0; table < 256; ++table) {
    Trial trial("lop3.b32");
    trial.table(static_cast<std::uint8_t>(table));
    CHECK((trial.one({kA, kB, kC, 0}) & 0xFF) == table);
  }
}

TEST_CASE("lop3 combines whether its result is zero with a predicate") {
  Trial either("lop3.or.b32"), both("lop3.and.b32");
  either.table(0x80);
  both.table(0x80).sink(0);
  CHECK(either.run({splat(6), splat(3), splat(2), {}, splat(0)}).results[0][5] == 2);
  CHECK(either.run({splat(6), splat(3), splat(2), {}, splat(0)}).results[1][5] == 1);
  CHECK(either.run({splat(6), splat(1), splat(2), {}, splat(1)}).results[1][5] == 1);
  CHECK(both.run({splat(6), splat(1), splat(2), {}, splat(1)}).results[1][5] == 0);
  CHECK(both.run({splat(6), splat(3), splat(2), {}, splat(1)}).results[1][5] == 1);
}

TEST_CASE("prmt picks bytes in all its modes") {
  constexpr std::uint64_t kA = 0x33221100, kB = 0x77665584;
  CHECK(one("prmt.b32", {kA, kB, 0x7531}) == 0x77553311);
  CHECK(one("prmt.b32", {kA, kB, 0x000C}) == 0x000000FF);  // bit 3: the sign of byte 4
  CHECK(one("prmt.b32", {kA, kB, 0x0008}) == 0x00000000);
  CHECK(one("prmt.b32.f4e", {kA, kB, 1}) == 0x84332211);
  CHECK(one("prmt.b32.b4e", {kA, kB, 1}) == 0x66770011);
  CHECK(one("prmt.b32.rc8", {kA, kB, 2}) == 0x22222222);
  CHECK(one("prmt.b32.ecl", {kA, kB, 2}) == 0x33222222);
  CHECK(one("prmt.b32.ecr", {kA, kB, 1}) == 0x11111100);
  CHECK(one("prmt.b32.rc16", {kA, kB, 3}) == 0x33223322);
}

TEST_CASE("mov packs and unpacks") {
  CHECK(Trial("mov.b32").pack(2).one({0x1234, 0xABCD}) == 0xABCD1234);
  CHECK(Trial("mov.b64").pack(2).one({0x11111111, 0x22222222}) == 0x2222222211111111);
  CHECK(Trial("mov.b64").pack(4).one({1, 2, 3, 4}) == 0x0004000300020001);
  CHECK(Trial("mov.b32").pack(4).one({0xFF01, 2, 3, 4}) == 0x04030201);  // what a wide row holds above 8 bits does not leak
  CHECK(Trial("mov.b16").pack(2).one({1, 2}) == 0x0201);
  const auto parts = Trial("mov.b64").unpack(4).run({splat(0x0004000300020001)}).results;
  for (std::size_t i = 0; i < 4; ++i) CHECK(parts[i][31] == i + 1);
  const auto high = Trial("mov.b64").unpack(2).sink(0).run({splat(0x2222222211111111)}, 0x80000000u, 7).results;
  CHECK(high[1][31] == 0x22222222);
  CHECK(high[1][0] == 7);
  CHECK(Trial("mov.b32").unpack(4).run({splat(0x04030201)}).results[3][0] == 4);
}

TEST_CASE("selp and slct choose") {
  CHECK(one("selp.b64", {1, 2, 1}) == 1);
  CHECK(one("selp.f32", {1, 2, 0}) == 2);
  CHECK(Trial("selp.b16").negate(2).one({1, 2, 1}) == 2);
  CHECK(one("slct.u32.s32", {1, 2, 0xFFFFFFFF}) == 2);
  CHECK(one("slct.u32.s32", {1, 2, 0}) == 1);
  CHECK(one("slct.f64.f32", {1, 2, 0x80000000}) == 1);  // -0 counts as 0
  CHECK(one("slct.u32.f32", {1, 2, 0x7FC00000}) == 2);  // NaN
  CHECK(one("slct.u32.f32", {1, 2, 0x80000001}) == 2);  // a negative subnormal
  CHECK(one("slct.ftz.u32.f32", {1, 2, 0x80000001}) == 1);
}

}  // namespace warpbook::vgpu::ops
