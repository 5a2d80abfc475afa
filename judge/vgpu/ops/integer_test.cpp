#include "judge/tests/catch.hpp"
#include "judge/vgpu/ops/trial.hpp"

namespace warpbook::vgpu::ops {
namespace {

struct Row {
  const char* form;
  std::initializer_list<std::uint64_t> sources;
  std::uint64_t expected;
};

void check(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    INFO(row.form << " " << Catch::Detail::stringify(std::vector<std::uint64_t>(row.sources)));
    CHECK(one(row.form, row.sources) == row.expected);
  }
}

}  // namespace

TEST_CASE("sums and products wrap, or saturate when asked") {
  check({
      {"add.u32", {0xFFFFFFFF, 1}, 0},
      {"add.s32", {0x7FFFFFFF, 1}, 0x80000000},
      {"add.sat.s32", {0x7FFFFFFF, 1}, 0x7FFFFFFF},
      {"add.sat.s32", {0x80000000, 0xFFFFFFFF}, 0x80000000},
      {"sub.sat.s32", {0x80000000, 1}, 0x80000000},
      {"sub.u64", {0, 1}, 0xFFFFFFFFFFFFFFFF},
      {"add.u16", {0xFFFF, 2}, 1},
      {"mul.lo.u16", {0xFFFF, 0xFFFF}, 1},
      {"mul.hi.u16", {0xFFFF, 0xFFFF}, 0xFFFE},
      {"mul.hi.s16", {0x8000, 0x8000}, 0x4000},
      {"mul.wide.u16", {0xFFFF, 0xFFFF}, 0xFFFE0001},
      {"mul.wide.s16", {0x8000, 0x7FFF}, 0xC0008000},
      {"mul.lo.s32", {0x80000000, 0xFFFFFFFF}, 0x80000000},
      {"mul.hi.s32", {0xFFFFFFFF, 1}, 0xFFFFFFFF},
      {"mul.hi.u32", {0xFFFFFFFF, 0xFFFFFFFF}, 0xFFFFFFFE},
      {"mul.wide.s32", {0xFFFFFFFF, 4}, 0xFFFFFFFFFFFFFFFC},
      {"mul.wide.u32", {0xFFFFFFFF, 4}, 0x3FFFFFFFC},
      {"mul.hi.u64", {0xFFFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF}, 0xFFFFFFFFFFFFFFFE},
      {"mul.hi.s64", {0x8000000000000000, 0xFFFFFFFFFFFFFFFF}, 0},
      {"mad.lo.s32", {7, 6, 0xFFFFFFFF}, 41},
      {"mad.hi.u32", {0x80000000, 4, 5}, 7},
      {"mad.hi.sat.s32", {0x7FFFFFFF, 0x7FFFFFFF, 0x7FFFFFFF}, 0x7FFFFFFF},
      {"mad.wide.u32", {0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF}, 0xFFFFFFFE00000000},
      {"mad.wide.s32", {0xFFFFFFFF, 1, 1}, 0},
      {"mad.wide.s16", {0xFFFF, 1, 1}, 0},
  });
}

TEST_CASE("products of 24 bits see the low 24 bits only") {
  check({
      {"mul24.lo.u32", {0xFF000003, 0xAB000005}, 15},
      {"mul24.lo.s32", {0x00FFFFFF, 2}, 0xFFFFFFFE},
      {"mul24.hi.u32", {0x00FFFFFF, 0x00FFFFFF}, 0xFFFFFE00},
      {"mul24.hi.s32", {0x00800000, 0x00800000}, 0x40000000},
      {"mad24.lo.u32", {3, 5, 0xFFFFFFF1}, 0},
      {"mad24.hi.sat.s32", {0x00800000, 0x00800000, 0x7FFFFFFF}, 0x7FFFFFFF},
  });
}

TEST_CASE("division never traps") {
  check({
      {"div.u32", {0xFFFFFFFF, 1}, 0xFFFFFFFF},
      {"div.u32", {0xFFFFFFFF, 0xFFFFFFFE}, 1},
      {"div.u32", {7, 0}, 0xFFFFFFFF},
      {"rem.u32", {7, 0}, 0xFFFFFFFF},
      {"rem.s16", {7, 0}, 0xFFFF},
      {"div.s64", {7, 0}, 0xFFFFFFFFFFFFFFFF},
      {"div.s32", {0x80000000, 0xFFFFFFFF}, 0x80000000},
      {"rem.s32", {0x80000000, 0xFFFFFFFF}, 0},
      {"div.s32", {0xFFFFFFF9, 2}, 0xFFFFFFFD},
      {"rem.s32", {0xFFFFFFF9, 2}, 0xFFFFFFFF},
      {"div.s64", {0x8000000000000000, 0xFFFFFFFFFFFFFFFF}, 0x8000000000000000},
      {"rem.s64", {0x8000000000000000, 0xFFFFFFFFFFFFFFFF}, 0},
      {"div.u64", {0xFFFFFFFFFFFFFFFF, 10}, 1844674407370955161},
      {"div.s16", {0x8000, 0xFFFF}, 0x8000},
      {"rem.u16", {65535, 10}, 5},
  });
}

TEST_CASE("32-bit quotients by doubles are exact next to multiples") {
  for (std::uint64_t b : {1ull, 2ull, 3ull, 7ull, 641ull, 65535ull, 65537ull, 0x7FFFFFFFull, 0xFFFFFFFEull, 0xFFFFFFFFull}) {
    for (std::uint64_t q : {0ull, 1ull, 2ull, 1000ull, 0x10001ull, 0xFFFFFFFFull}) {
      for (int offset = -1; offset <= 1; ++offset) {
        const std::uint64_t a = (b * q + static_cast<std::uint64_t>(offset)) & 0xFFFFFFFF;
        CHECK(one("div.u32", {a, b}) == a / b);
        CHECK(one("rem.u32", {a, b}) == a % b);
        const auto sa = static_cast<std::int32_t>(a), sb = static_cast<std::int32_t>(b);
        if (sb == -1) continue;
        CHECK(one("div.s32", {a, b}) == static_cast<std::uint32_t>(sa / sb));
        CHECK(one("rem.s32", {a, b}) == static_cast<std::uint32_t>(sa % sb));
      }
    }
  }
}

TEST_CASE("absolute values, extremes and sums of differences") {
  check({
      {"abs.s32", {0x80000000}, 0x80000000},
      {"abs.s16", {0xFFFF}, 1},
      {"neg.s64", {1}, 0xFFFFFFFFFFFFFFFF},
      {"min.s32", {0xFFFFFFFF, 1}, 0xFFFFFFFF},
      {"min.u32", {0xFFFFFFFF, 1}, 1},
      {"max.s64", {0x8000000000000000, 1}, 1},
      {"max.u16", {0x8000, 1}, 0x8000},
      {"min.relu.s32", {0xFFFFFFFF, 1}, 0},
      {"max.relu.s32", {0xFFFFFFFF, 7}, 7},
      {"sad.u32", {3, 10, 100}, 107},
      {"sad.s32", {0xFFFFFFFF, 1, 100}, 102},
      {"sad.s32", {0x80000000, 0x7FFFFFFF, 0}, 0xFFFFFFFF},
  });
}

TEST_CASE("bits are counted, found and moved") {
  check({
      {"popc.b32", {0xF0F0}, 8},
      {"popc.b64", {0xFFFFFFFFFFFFFFFF}, 64},
      {"clz.b32", {0}, 32},
      {"clz.b64", {1}, 63},
      {"bfind.u32", {0}, 0xFFFFFFFF},
      {"bfind.u32", {0x80000000}, 31},
      {"bfind.shiftamt.u32", {0x00800000}, 8},
      {"bfind.s32", {0xFFFFFFFF}, 0xFFFFFFFF},
      {"bfind.s32", {0xFFFFFF00}, 7},
      {"bfind.shiftamt.s64", {1}, 63},
      {"brev.b32", {1}, 0x80000000},
      {"brev.b64", {0x8000000000000001}, 0x8000000000000001},
      {"bfe.u32", {0xABCD1234, 8, 8}, 0x12},
      {"bfe.s32", {0x0000F000, 12, 4}, 0xFFFFFFFF},
      {"bfe.s32", {0x80000000, 40, 4}, 0xFFFFFFFF},
      {"bfe.u32", {0x80000000, 40, 4}, 0},
      {"bfe.s32", {0xFFFFFFFF, 3, 0}, 0},
      {"bfe.s32", {0x80000000, 28, 32}, 0xFFFFFFF8},
      {"bfe.s64", {0x8000000000000000, 60, 255}, 0xFFFFFFFFFFFFFFF8},
      {"bfe.u64", {0xFFFFFFFFFFFFFFFF, 0, 64}, 0xFFFFFFFFFFFFFFFF},
      {"bfi.b32", {0xF, 0, 4, 4}, 0xF0},
      {"bfi.b32", {0xF, 0x12345678, 4, 0}, 0x12345678},
      {"bfi.b32", {0xF, 0x12345678, 32, 4}, 0x12345678},
      {"bfi.b32", {0xFFFFFFFF, 0, 28, 255}, 0xF0000000},
      {"bfi.b64", {0xFF, 0, 60, 8}, 0xF000000000000000},
      {"szext.clamp.s32", {0xFF, 8}, 0xFFFFFFFF},
      {"szext.clamp.u32", {0xFFFF, 8}, 0xFF},
      {"szext.clamp.s32", {0x1234, 32}, 0x1234},
      {"szext.wrap.s32", {0x1234, 32}, 0},
      {"bmsk.clamp.b32", {4, 4}, 0xF0},
      {"bmsk.clamp.b32", {32, 4}, 0},
      {"bmsk.clamp.b32", {0, 32}, 0xFFFFFFFF},
      {"bmsk.wrap.b32", {33, 34}, 6},
      {"fns.b32", {0xAAAAAAAA, 3, 1}, 3},
      {"fns.b32", {0xAAAAAAAA, 2, 0xFFFFFFFF}, 1},
      {"fns.b32", {0xAAAAAAAA, 3, 0}, 3},
      {"fns.b32", {0xAAAAAAAA, 2, 0}, 0xFFFFFFFF},
      {"fns.b32", {0xAAAAAAAA, 0, 17}, 0xFFFFFFFF},
  });
}

TEST_CASE("small dot products extend each element as its type says") {
  check({
      {"dp4a.u32.u32", {0x01020304, 0x01010101, 5}, 15},
      {"dp4a.s32.s32", {0xFFFFFFFF, 0x01010101, 0}, 0xFFFFFFFC},
      {"dp4a.u32.s32", {0xFFFFFFFF, 0xFFFFFFFF, 0}, 0xFFFFFC04},
      {"dp2a.lo.u32.u32", {0x00020003, 0x07050B0D, 1}, 1 + 3 * 0x0D + 2 * 0x0B},
      {"dp2a.hi.u32.u32", {0x00020003, 0x07050B0D, 1}, 1 + 3 * 5 + 2 * 7},
      {"dp2a.lo.s32.u32", {0xFFFFFFFF, 0x00000101, 0}, 0xFFFFFFFE},
  });
}

TEST_CASE("carries chain through the condition code") {
  const auto run = [](const char* form, std::vector<Lanes> sources, std::uint32_t carry) {
    Trial trial(form);
    return trial.carry_in(carry).run(sources);
  };
  CHECK(run("add.cc.u32", {splat(0xFFFFFFFF), splat(1)}, 0).carry == kAllLanes);
  CHECK(run("add.cc.u32", {splat(0xFFFFFFFE), splat(1)}, kAllLanes).carry == 0);
  CHECK(run("addc.u32", {splat(1), splat(1)}, 2).results[0][0] == 2);
  CHECK(run("addc.u32", {splat(1), splat(1)}, 2).results[0][1] == 3);
  CHECK(run("addc.u32", {splat(0xFFFFFFFF), splat(0)}, 2).carry == 2);  // no .cc: the code stays
  CHECK(run("addc.cc.u64", {splat(0xFFFFFFFFFFFFFFFF), splat(0)}, 2).carry == 2);
  CHECK(run("addc.cc.u64", {splat(0xFFFFFFFFFFFFFFFF), splat(1)}, 0).carry == kAllLanes);
  CHECK(run("sub.cc.u32", {splat(0), splat(1)}, 0).carry == kAllLanes);
  CHECK(run("subc.cc.u32", {splat(1), splat(1)}, 1).results[0][0] == 0xFFFFFFFF);
  CHECK(run("subc.cc.u32", {splat(1), splat(1)}, 1).carry == 1);
  CHECK(run("mad.lo.cc.u32", {splat(0x10000), splat(0x10001), splat(0xFFFF0000)}, 0).results[0][0] == 0);
  CHECK(run("mad.lo.cc.u32", {splat(0x10000), splat(0x10001), splat(0xFFFF0000)}, 0).carry == kAllLanes);
  CHECK(run("madc.hi.u32", {splat(0xFFFFFFFF), splat(0xFFFFFFFF), splat(0)}, 1).results[0][0] == 0xFFFFFFFF);
  CHECK(run("madc.hi.s64", {splat(0xFFFFFFFFFFFFFFFF), splat(1), splat(0)}, 1).results[0][0] == 0);
}

}  // namespace warpbook::vgpu::ops
