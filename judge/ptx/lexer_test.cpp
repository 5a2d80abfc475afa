#include "judge/ptx/lexer.hpp"

#include <vector>

#include "judge/tests/catch.hpp"

using namespace warpbook::ptx;

namespace {

std::vector<Token> all(std::string_view text) {
  Lexer lexer(text);
  std::vector<Token> tokens;
  for (Token token = lexer.next(); token.kind != TokenKind::kEnd; token = lexer.next()) tokens.push_back(token);
  return tokens;
}

Token only(std::string_view text) {
  std::vector<Token> tokens = all(text);
  INFO(text);
  REQUIRE(tokens.size() == 1);
  return tokens[0];
}

}  // namespace

TEST_CASE("names may hold dollars, percent signs in front and bytes above 127", "[ptx][lexer]") {
  for (const char* name : {"foo", "$L__BB0_1", "%rd4", "%SPL", "_", "_ZN4$_0E", "核"}) {
    CHECK(only(name).kind == TokenKind::kName);
    CHECK(only(name).text == name);
  }
  CHECK(only(".L1::no_allocate").text == ".L1::no_allocate");
  CHECK(only(".m16n8k16").kind == TokenKind::kDotted);
  CHECK(all("lab: x").size() == 3);
  CHECK(all("%tid.x")[1].text == ".x");
}

TEST_CASE("integers come in all bases and 64 bits wide", "[ptx][lexer]") {
  CHECK(only("0x8000000000000001U").value == 0x8000000000000001ull);
  CHECK(only("0x8000000000000001U").is_unsigned);
  CHECK(only("18446744073709551615").value == ~0ull);
  CHECK(only("18446744073709551615").is_unsigned);
  CHECK_FALSE(only("9223372036854775807").is_unsigned);
  CHECK(only("017").value == 15);
  CHECK(only("0b1011").value == 11);
  CHECK(only("0").value == 0);
  CHECK(only("0XfF").value == 255);
}

TEST_CASE("floats keep their bits", "[ptx][lexer]") {
  CHECK(only("0f3F800000").value == 0x3F800000);
  CHECK(only("0f3F800000").kind == TokenKind::kFloat32);
  CHECK(only("0F7fffffff").value == 0x7FFFFFFF);
  CHECK(only("0d3FF0000000000001").value == 0x3FF0000000000001ull);
  CHECK(only("1.5").value == 0x3FF8000000000000ull);
  CHECK(only("25e-1").value == 0x4004000000000000ull);
}

TEST_CASE("what is no number is bad, with a reason", "[ptx][lexer]") {
  for (const char* text : {"0f3F80", "0f3F8000000", "0d3FF", "18446744073709551616", "0x", "08", "12ab", "\"open", "/* open", "\x01"}) {
    INFO(text);
    REQUIRE_FALSE(all(text).empty());
    CHECK(all(text).front().kind == TokenKind::kBad);
    CHECK_FALSE(all(text).front().text.empty());
  }
}

TEST_CASE("comments and padding are blanks, and lines are counted through them", "[ptx][lexer]") {
  std::vector<Token> tokens = all("a // { }\n/* b\nc */ d\r\n e");
  REQUIRE(tokens.size() == 3);
  CHECK(tokens[0].line == 1);
  CHECK(tokens[1].line == 3);
  CHECK(tokens[2].line == 4);
  CHECK(all(std::string_view("x\0\0\n", 4)).size() == 1);
  CHECK(line_of("one\r\ntwo\nthree", 2) == "two");
  CHECK(line_of("one\r\ntwo", 1) == "one");
  CHECK(line_of("one", 7).empty());
}

TEST_CASE("a section is skipped to its brace, not to one in a comment", "[ptx][lexer]") {
  Lexer lexer("{ .b8 1 // }\n .b32 x /* } */ } after");
  CHECK(lexer.next().is('{'));
  REQUIRE(lexer.skip_to_closing_brace());
  CHECK(lexer.next().text == "after");
  CHECK_FALSE(Lexer("{ .b8 1").skip_to_closing_brace());
}
