#include "judge/ptx/constant.hpp"

#include "judge/tests/catch.hpp"

using namespace warpbook::ptx;

namespace {

std::int64_t value(std::string_view text) {
  Tokens tokens(text);
  auto constant = parse_constant(tokens);
  INFO(text);
  REQUIRE(constant);
  REQUIRE(tokens.at_end());
  return constant->as_signed();
}

std::uint64_t in(std::string_view text, Type type) {
  Tokens tokens(text);
  auto constant = parse_constant(tokens);
  INFO(text);
  REQUIRE(constant);
  auto bits = bits_in(*constant, type);
  REQUIRE(bits);
  return *bits;
}

bool refused(std::string_view text) {
  Tokens tokens(text);
  return !parse_constant(tokens) && tokens.failed();
}

}  // namespace

TEST_CASE("constant expressions follow C", "[ptx][constant]") {
  CHECK(value("1 + 2 * 3") == 7);
  CHECK(value("(1 + 2) * 3") == 9);
  CHECK(value("-4") == -4);
  CHECK(value("- -4") == 4);
  CHECK(value("~0") == -1);
  CHECK(value("!5 + !0") == 1);
  CHECK(value("7 / 2 - 7 % 4") == 0);
  CHECK(value("-7 / 2") == -3);
  CHECK(value("1 << 40 >> 38") == 4);
  CHECK(value("-8 >> 1") == -4);
  CHECK(value("0x8000000000000000U >> 63") == 1);
  CHECK(value("1 | 2 ^ 3 & 1") == 3);
  CHECK(value("3 < 4 && 4 <= 4 || 0") == 1);
  CHECK(value("3 > 4 == 0 != 0") == 1);
  CHECK(value("2 > 1 ? 10 : 20") == 10);
  CHECK(value("0 ? 1 : 0 ? 2 : 3") == 3);
  CHECK(value("-1 < 0U") == 0);
  CHECK(value("(.s64) 0xFFFFFFFFFFFFFFFFU < 0") == 1);
  CHECK(value("(.u64) -1 > 5") == 1);
  CHECK(value("(.s64) 2.75") == 2);
  CHECK(value("WARP_SZ - 1") == 31);
  CHECK(value("0x8000000000000000 / -1") == 0);
}

TEST_CASE("a constant takes the bits of its slot", "[ptx][constant]") {
  CHECK(in("-1", Type::kS32) == 0xFFFFFFFFu);
  CHECK(in("-1", Type::kS64) == ~0ull);
  CHECK(in("0x12345", Type::kB16) == 0x2345);
  CHECK(in("7", Type::kPred) == 1);
  CHECK(in("0f3F800000", Type::kF32) == 0x3F800000);
  CHECK(in("0f7F800001", Type::kF32) == 0x7F800001);
  CHECK(in("-0f3F800000", Type::kF32) == 0xBF800000);
  CHECK(in("0f3F800000", Type::kB32) == 0x3F800000);
  CHECK(in("0f3F800000", Type::kU32) == 0x3F800000);
  CHECK(in("0f3F800000", Type::kF64) == 0x3FF0000000000000ull);
  CHECK(in("0d3FF0000000000000", Type::kF32) == 0x3F800000);
  CHECK(in("0d3FF0000000000000", Type::kB64) == 0x3FF0000000000000ull);
  CHECK(in("0.1", Type::kF32) == 0x3DCCCCCD);
  CHECK(in("0.1", Type::kF64) == 0x3FB999999999999Aull);
  CHECK(in("3", Type::kF32) == 0x40400000);
  CHECK(in("0x3C00", Type::kF16) == 0x3C00);
  Tokens tokens("1.5");
  CHECK_FALSE(bits_in(*parse_constant(tokens), Type::kF16));
}

TEST_CASE("what cannot be computed is refused", "[ptx][constant]") {
  CHECK(refused("1 / 0"));
  CHECK(refused("1 % 0"));
  CHECK(refused("1.5 % 2.0"));
  CHECK(refused("(1"));
  CHECK(refused("1 ? 2"));
  CHECK(refused("~1.5"));
  CHECK(refused("+"));
  CHECK(refused(std::string(100000, '(')));
  CHECK(refused(std::string(100000, '-')));
}
