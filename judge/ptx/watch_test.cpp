// Notes that WATCH leaves in PTX (common/kernel/watch.cuh): which register holds which variable.
#include <fmt/format.h>

#include "judge/ptx/parser.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook;
using namespace warpbook::ptx;

namespace {

Function watched(std::string_view body) {
  const auto module = parse(fmt::format(
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {{ .reg .b32 %r<9>; .reg .f32 %f<9>;\n{}\nret; }}", body));
  INFO((module ? "" : module.error().text()));
  REQUIRE(module);
  return module->functions[0];
}

std::string name(const Function& function, const Watch& watch) { return function.registers[static_cast<std::size_t>(watch.reg)].name; }

}  // namespace

TEST_CASE("a note ties a name to a register at its place", "[ptx][watch]") {
  const Function f = watched(
      "mov.f32 %f1, 0f00000000;\n// begin inline asm\n\t// warpbook.watch f32 mine.x = %f1\n// end inline asm\n"
      "mov.u32 %r2, 7;\n// warpbook.watch s32 held[i = 3] = %r2;\r\nmov.u32 %r3, 7;");
  REQUIRE(f.watches.size() == 2);
  CHECK(f.watches[0].name == "mine.x");
  CHECK(f.watches[0].type == "f32");
  CHECK(name(f, f.watches[0]) == "%f1");
  CHECK(f.watches[0].before == 1);
  CHECK(f.watches[1].name == "held[i = 3]");
  CHECK(name(f, f.watches[1]) == "%r2");
  CHECK(f.watches[1].before == 2);
}

TEST_CASE("a note means the register of its own braces", "[ptx][watch]") {
  const Function f =
      watched("mov.u32 %r1, 1;\n{ .reg .b32 %r1; mov.u32 %r1, 2;\n// warpbook.watch s32 a = %r1\n}\n// warpbook.watch s32 b = %r1\n");
  REQUIRE(f.watches.size() == 2);
  CHECK(f.watches[0].reg != f.watches[1].reg);
  CHECK(f.watches[1].reg == f.body[0].dst[0].reg);
  CHECK(f.watches[0].reg == f.body[1].dst[0].reg);
}

TEST_CASE("other comments, and notes that name no register, are comments", "[ptx][watch]") {
  const Function f = watched(
      "// warpbook.watch f32 x = 0f00000000\n// warpbook.watch\n// warpbook.watch f32\n// warpbook.watch f32 y = %nowhere\n// f32 z = "
      "%f1\nmov.f32 %f1, 0f00000000;");
  CHECK(f.watches.empty());
}
