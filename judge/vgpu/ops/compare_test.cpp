#include "judge/tests/catch.hpp"
#include "judge/vgpu/ops/trial.hpp"

namespace warpbook::vgpu::ops {
namespace {

constexpr std::uint64_t kOne = 0x3F800000, kTwo = 0x40000000, kNan = 0x7FC00000, kMinusZero = 0x80000000, kSubnormal = 1;

/// For each of: less, equal, greater, unordered, whether a comparison holds.
struct Truth {
  const char* compare;
  bool less, equal, greater, unordered;
};
const std::vector<Truth> kFloatTruths = {
    {"eq", false, true, false, false}, {"ne", true, false, true, false},   {"lt", true, false, false, false},
    {"le", true, true, false, false},  {"gt", false, false, true, false},  {"ge", false, true, true, false},
    {"equ", false, true, false, true}, {"neu", true, false, true, true},   {"ltu", true, false, false, true},
    {"leu", true, true, false, true},  {"gtu", false, false, true, true},  {"geu", false, true, true, true},
    {"num", true, true, true, false},  {"nan", false, false, false, true},
};

}  // namespace

TEST_CASE("float comparisons, ordered and unordered") {
  for (const auto& [type, one_bits, two_bits, nan_bits] :
       {std::tuple{"f32", kOne, kTwo, kNan},
        std::tuple{"f64", std::uint64_t{0x3FF0000000000000}, std::uint64_t{0x4000000000000000}, std::uint64_t{0x7FF8000000000000}},
        std::tuple{"f16", std::uint64_t{0x3C00}, std::uint64_t{0x4000}, std::uint64_t{0x7E00}},
        std::tuple{"bf16", std::uint64_t{0x3F80}, std::uint64_t{0x4000}, std::uint64_t{0x7FC0}}}) {
    for (const Truth& truth : kFloatTruths) {
      const std::string form = std::string("setp.") + truth.compare + "." + type;
      INFO(form);
      CHECK(one(form, {one_bits, two_bits}) == truth.less);
      CHECK(one(form, {one_bits, one_bits}) == truth.equal);
      CHECK(one(form, {two_bits, one_bits}) == truth.greater);
      CHECK(one(form, {nan_bits, one_bits}) == truth.unordered);
      CHECK(one(form, {one_bits, nan_bits}) == truth.unordered);
      CHECK(one(form, {nan_bits, nan_bits}) == truth.unordered);
    }
  }
}

TEST_CASE("zeros are equal, subnormals are not zero unless flushed") {
  CHECK(one("setp.eq.f32", {0, kMinusZero}) == 1);
  CHECK(one("setp.lt.f32", {kMinusZero, 0}) == 0);
  CHECK(one("setp.eq.f32", {kSubnormal, 0}) == 0);
  CHECK(one("setp.eq.ftz.f32", {kSubnormal, 0}) == 1);
  CHECK(one("setp.gt.f16", {1, 0}) == 1);
  CHECK(one("setp.gt.ftz.f16", {1, 0}) == 0);
}

TEST_CASE("integer comparisons know the sign") {
  CHECK(one("setp.lt.s32", {0xFFFFFFFF, 0}) == 1);
  CHECK(one("setp.lt.u32", {0xFFFFFFFF, 0}) == 0);
  CHECK(one("setp.lo.u32", {0, 0xFFFFFFFF}) == 1);
  CHECK(one("setp.hs.u64", {5, 5}) == 1);
  CHECK(one("setp.ge.s64", {0x8000000000000000, 0}) == 0);
  CHECK(one("setp.gt.s16", {0x8000, 0}) == 0);
  CHECK(one("setp.ne.b16", {0x8000, 0}) == 1);
}

TEST_CASE("setp combines with a predicate and gives the complement") {
  const auto run = [](const char* form, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    return Trial(form).run({splat(a), splat(b), splat(c)}).results;
  };
  CHECK(run("setp.lt.and.s32", 1, 2, 1)[0][0] == 1);
  CHECK(run("setp.lt.and.s32", 1, 2, 0)[0][0] == 0);
  CHECK(run("setp.lt.and.s32", 1, 2, 1)[1][0] == 0);
  CHECK(run("setp.lt.or.s32", 2, 1, 0)[1][0] == 1);
  CHECK(run("setp.lt.xor.s32", 1, 2, 1)[0][0] == 0);
  CHECK(run("setp.lt.xor.s32", 1, 2, 1)[1][0] == 1);
  CHECK(Trial("setp.lt.and.s32").negate(2).one({1, 2, 1}) == 0);
  const auto only_second = Trial("setp.eq.s32").sink(0).run({splat(1), splat(2)}, 3, 0).results;
  CHECK(only_second[1][0] == 1);
  CHECK(only_second[1][2] == 0);
}

TEST_CASE("setp of pairs compares each half") {
  const auto results = Trial("setp.lt.f16x2").run({splat(0x40003C00), splat(0x3C004000)}).results;
  CHECK(results[0][0] == 1);
  CHECK(results[1][0] == 0);
}

TEST_CASE("set spreads the answer over its destination type") {
  CHECK(one("set.lt.u32.f32", {kOne, kTwo}) == 0xFFFFFFFF);
  CHECK(one("set.lt.f32.f32", {kOne, kTwo}) == kOne);
  CHECK(one("set.gt.f32.s32", {1, 2}) == 0);
  CHECK(one("set.lt.u16.f16", {0x3C00, 0x4000}) == 0xFFFF);
  CHECK(one("set.lt.f16.f16", {0x3C00, 0x4000}) == 0x3C00);
  CHECK(one("set.lt.bf16.bf16", {0x3F80, 0x4000}) == 0x3F80);
  CHECK(one("set.lt.u32.f16x2", {0x40003C00, 0x3C004000}) == 0x0000FFFF);
  CHECK(one("set.gt.f16x2.f16x2", {0x40003C00, 0x3C004000}) == 0x3C000000);
  CHECK(one("set.eq.and.u32.u32", {1, 1, 0}) == 0);
  CHECK(one("set.eq.u32.f64", {0x3FF0000000000000, 0x3FF0000000000000}) == 0xFFFFFFFF);
}

}  // namespace warpbook::vgpu::ops
