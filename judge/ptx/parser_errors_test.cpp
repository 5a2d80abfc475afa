// Bad input: each is an error that says where, what stands there and what should; none crashes, none takes long.
#include <fmt/format.h>

#include "judge/ptx/parser.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook;
using namespace warpbook::ptx;

namespace {

const std::string kHead = ".version 8.0\n.target sm_80\n.address_size 64\n";

Error error_of(const std::string& text) {
  auto module = parse(kHead + text);
  INFO(text.substr(0, 200));
  REQUIRE_FALSE(module);
  return module.error();
}

std::string in_kernel(const std::string& body) {
  return error_of(".visible .entry k() {\n.reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %d<9>;\n" + body +
                  "\nret; }")
      .what;
}

std::string nested(const std::string& piece, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += piece;
  return text;
}

}  // namespace

TEST_CASE("an illegal instruction is named with its line", "[ptx][parser]") {
  Error error = error_of(".visible .entry k() {\n.reg .b32 %r<9>;\nadd.wide.s32 %r1, %r2, %r3;\nret; }");
  CHECK(error.what == "add has no modifier .wide, in `add.wide.s32`");
  CHECK(error.where.line == 6);
  CHECK(error.source_line == "add.wide.s32 %r1, %r2, %r3;");
  Error located =
      error_of(".file 1 \"exercise.cu\"\n.visible .entry k() {\n.reg .b32 %r<9>;\n.loc 1 41 3\nadd.wide.s32 %r1, %r2, %r3;\nret; }");
  CHECK(located.what == "add has no modifier .wide, in `add.wide.s32` (exercise.cu:41)");
}

TEST_CASE("operands that do not fit are explained", "[ptx][parser]") {
  CHECK(in_kernel("add.s32 %r1, %r2;") == "add.s32 takes 3 operands, not 2");
  CHECK(in_kernel("add.s32 %r1, %r2, %r3, %r4;") == "add.s32 takes 3 operands, not 4");
  CHECK(in_kernel("add.s32 %r1, %r2, %d3;") == "add.s32 takes a .s32 here, `%d3` is .b64");
  CHECK(in_kernel("add.s32 %r1, %r2, %p3;") == "add.s32 takes a .s32 here, `%p3` is .pred");
  CHECK(in_kernel("add.s32 1, %r2, %r3;") == "add.s32 cannot write to a constant");
  CHECK(in_kernel("add.s32 %r1, %r2, _;") == "`_` is no operand that add.s32 can read");
  CHECK(in_kernel("add.s32 %r1, !%r2, %r3;") == "add.s32 cannot negate this operand");
  CHECK(in_kernel("add.s32 %r1, [%d1], %r3;") == "add.s32 takes no address here");
  CHECK(in_kernel("ld.global.u32 %r1, %d1;") == "ld.global.u32 takes an address in brackets here");
  CHECK(in_kernel("ld.global.v2.u32 %r1, [%d1];") == "ld.global.v2.u32 takes a vector of 2 elements here");
  CHECK(in_kernel("ld.global.u64 %r1, [%d1];") == "ld.global.u64 takes a .u64 here, `%r1` is .b32");
  CHECK(in_kernel("ld.global.u32 %r1, [%p1];") == "an address is 32 or 64 bits wide, `%p1` is .pred");
  CHECK(in_kernel("elect.sync %r1, -1;") == "elect.sync lacks its second destination behind `|`");
  CHECK(in_kernel("setp.lt.and.s32 %p1, %r1, %r2;") == "setp.lt.and.s32 takes 4 operands, not 3");
  CHECK(in_kernel("setp.lt.s32 %p1, %r1, %r2, %p2;") == "setp.lt.s32 takes 3 operands, not 4");
  CHECK(in_kernel("mov.b64 {%h1,%h2,%h3}, %d1;") == "mov.b64 cannot be made of 3 elements");
  CHECK(in_kernel("mov.u32 %r1, %r99;") == "`%r99` is neither declared nor a special register");
  CHECK(in_kernel("mov.u32 %r1, nowhere;") == "`nowhere` is not declared");
}

TEST_CASE("names, labels and functions must exist, once", "[ptx][parser]") {
  CHECK(in_kernel("bra NOWHERE;") == "no label `NOWHERE` in this function");
  CHECK(in_kernel("{ L: } bra L;") == "no label `L` in this function");
  CHECK(in_kernel("L: L: ret;") == "the label `L` is defined twice in this scope");
  CHECK(in_kernel("brx.idx %r1, ts;") == "no list of branch targets `ts` in this function");
  CHECK(in_kernel("ts: .branchtargets A; brx.idx %r1, ts;") == "no label `A` in this function");
  CHECK(in_kernel("call f;") == "`f` is called but no function of that name is declared");
  CHECK(in_kernel(".reg .b32 %r1, %r1;") == "`%r1` is declared twice in this scope");
  CHECK(in_kernel("@%r1 ret;") == "`%r1` guards an instruction but is no predicate register");
  CHECK(error_of(".func f { ret; } .func f { ret; }").what == "the function `f` is defined twice");
  CHECK(error_of(".global .u32 a; .global .u32 a;").what == "`a` is declared twice");
  CHECK(error_of(".alias a, b;").what == "`.alias a` names the function `b`, which is not declared");
}

TEST_CASE("what is no PTX says what should be", "[ptx][parser]") {
  CHECK(parse("").error().what == "a PTX module opens with `.version`, not the end of the text");
  CHECK(parse("hello").error().what == "a PTX module opens with `.version`, not `hello`");
  CHECK(parse(".version 8.0").error().what == "the module has no `.target`");
  CHECK(parse(".version eight").error().what == "a version such as 8.0 should stand behind `.version`");
  CHECK(error_of(".address_size 32").what == "addresses are 32 bits wide; only 64 are supported");
  CHECK(error_of(".wonder").what == "a directive such as `.entry`, `.func` or `.global` should stand here, not `.wonder`");
  CHECK(error_of(".visible .entry k( {").what == "`.param` or `.reg` should stand here, not `{`");
  CHECK(error_of(".visible .entry k() { add").what == "add lacks one of .u16 .u32 .u64 .s16 .s64, in `add`");
  CHECK(error_of(".visible .entry k() {").what == "the body of the function never ends: `}` is missing");
  CHECK(error_of(".global .u32 a = {1, 2};").what == "`a` has more initial values than elements");
  CHECK(error_of(".global .u32 a[99999999999999999];").what == "the size of an array should be an integer below 2^48");
  CHECK(error_of(".global .align 3 .u32 a;").what == "an alignment is a power of two");
  CHECK(error_of(".global .u8 a[2] = {0xFF(b), 0xFF00(b)};").what == "only 2 of the 8 bytes of the address of `b` are stored");
  CHECK(error_of(".section .debug_info { .b8 1").what == "the section never ends: `}` is missing");
  CHECK(error_of(".global .u32 a; \x02").what == "a character that is no part of PTX was found");
}

TEST_CASE("hostile text ends quickly and politely", "[ptx][parser]") {
  constexpr int kMany = 200'000;
  CHECK(in_kernel(nested("{", kMany)) == "scopes are nested too deep");
  CHECK(in_kernel("mov.u32 %r1, " + nested("(", kMany)) == "the constant expression is nested too deep");
  CHECK(in_kernel("mov.u32 %r1, " + nested("-", kMany)) == "the constant expression is nested too deep");
  CHECK(in_kernel("ld.v4.u32 " + nested("{", kMany)) == "an element of a vector is a register or a constant, not `{`");
  CHECK(in_kernel("ld.v4.u32 {" + nested("%r1,", kMany)) == "the vector has too many elements");
  CHECK(error_of(".global .u32 a = " + nested("{", kMany)).what == "the initial values are nested too deep");
  CHECK(error_of(".entry k(.param .b8 a[4000000000]) { ret; }").what == "the parameter is larger than 1 MiB");
  CHECK(error_of(".file 4000000000 \"a\"").what == "file number 4000000000 is too large");
  CHECK_FALSE(parse(std::string(1 << 20, '\xFF')));
  CHECK_FALSE(parse(kHead + std::string(1 << 20, '.')));
  CHECK_FALSE(parse(kHead + ".visible .entry k() { .reg .b32 a; add" + nested(".u32", kMany) + " a, a, a; }"));
}

TEST_CASE("reading is linear: megabytes of debugging strings and of code", "[ptx][parser]") {
  std::string strings = ".section .debug_str\n{\n";
  for (int i = 0; i < 20'000; ++i)
    strings += fmt::format("$L__info_string{}:\n.b8 95,90,56,119,97,114,112,95,115,117,109,102,95,90,56,119,97,114,0\n", i);
  CHECK(parse(kHead + strings + "}"));
  std::string code = ".visible .entry k() {\n.reg .b32 %r<9>;\n";
  for (int i = 0; i < 40'000; ++i)
    code += fmt::format(".loc 1 {} 3\n{{ .reg .b32 t; .param .b32 p; add.s32 t, %r1, {}; L: add.s32 %r1, t, %r2; }}\n", i % 700 + 1, i);
  auto module = parse(kHead + ".file 1 \"a.cu\"\n" + code + "ret; }");
  REQUIRE(module);
  CHECK(module->functions[0].body.size() == 80'001);
  CHECK(module->locations.size() == 700);
}
