// The language, piece by piece. Whole modules: nvcc_test.cpp; bad input: parser_errors_test.cpp.
#include "judge/ptx/parser.hpp"

#include <fmt/format.h>

#include "judge/ptx/instruction.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook;
using namespace warpbook::ptx;

namespace {

Module read(std::string_view text) {
  auto module = parse(fmt::format(".version 8.0\n.target sm_80\n.address_size 64\n{}", text));
  INFO((module ? "" : module.error().text()));
  REQUIRE(module);
  return *module;
}

/// A kernel with a register of each kind and this body.
Function kernel(std::string_view body) {
  return read(fmt::format(".visible .entry k(.param .u64 in) {{ .reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .f32 %f<9>; "
                          ".reg .b64 %d<9>; .reg .f64 %fd<9>; {} ret; }}",
                          body))
      .functions[0];
}

std::string text_in(std::string_view body, std::size_t i = 0) {
  Function function = kernel(body);
  return text_of(function.body[i], function);
}

const Register& reg(const Function& function, const Operand& operand) { return function.registers[static_cast<std::size_t>(operand.reg)]; }

}  // namespace

TEST_CASE("the head of a module", "[ptx][parser]") {
  auto module = parse(".version 9.0\n.target sm_90a, texmode_independent, debug\n.address_size 64\n");
  REQUIRE(module);
  CHECK(module->version_major == 9);
  CHECK(module->version_minor == 0);
  CHECK(module->target == 90);
  CHECK(parse("// comment\n.version 8.10\n.target compute_80\n")->version_minor == 10);
}

TEST_CASE("parameters are laid out with their alignment", "[ptx][parser]") {
  Module module = read(
      ".visible .entry k(\n.param .u32 a,\n.param .u64 .ptr .global .align 4 b,\n.param .u8 c,\n.param .align 16 .b8 d[20], .param .f32 "
      "e)\n"
      ".maxntid 128, 2, 1\n.minnctapersm 3\n.reqntid 64, 2\n.maxnreg 32\n{ ret; }");
  const Function& k = module.functions[0];
  REQUIRE(k.parameters.size() == 5);
  CHECK(k.parameters[1].offset == 8);
  CHECK(k.parameters[1].alignment == 8);
  CHECK(k.parameters[2].offset == 16);
  CHECK(k.parameters[3].offset == 32);
  CHECK(k.parameters[3].bytes == 20);
  CHECK(k.parameters[4].offset == 52);
  CHECK(k.entry);
  CHECK(k.max_threads == 256);
  CHECK(k.required_threads[0] == 64);
  CHECK(k.required_threads[2] == 1);
  CHECK(k.min_blocks == 3);
}

TEST_CASE("functions: declared, defined later, with registers as parameters, with attributes", "[ptx][parser]") {
  Module module = read(
      ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
      ".func (.reg .f32 %out) twice(.reg .f32 %in);\n"
      ".func gone() .noreturn;\n"
      ".func (.reg .f32 %out) twice(.reg .f32 %in) .abi_preserve 4 { add.f32 %out, %in, %in; ret; }\n"
      ".alias other, twice;\n"
      ".visible .entry empty { ret; }");
  CHECK(module.find_function("vprintf")->external);
  CHECK(module.find_function("gone")->external);
  const Function* twice = module.find_function("twice");
  REQUIRE(twice != nullptr);
  CHECK_FALSE(twice->external);
  CHECK(twice->results[0].reg == twice->body[0].dst[0].reg);
  CHECK(twice->parameters[0].reg == twice->body[0].src[0].reg);
  CHECK(module.find_function("other")->body.size() == 2);
  CHECK(module.functions.size() == 5);
}

TEST_CASE("variables: spaces, arrays, initial values, addresses", "[ptx][parser]") {
  Module module = read(
      ".global .align 4 .b8 bytes[8] = {1, 2, 0xFF};\n"
      ".const .align 8 .f64 half = 0d3FE0000000000000;\n"
      ".global .f32 table[2][2] = {{1.0, 0f40000000}, {-1.5}};\n"
      ".extern .shared .align 16 .b8 dynamic[];\n"
      ".visible .global .attribute(.managed) .u32 counter = 7;\n"
      ".weak .global .v4 .f32 quad;\n"
      ".func f;\n"
      ".global .u64 pointers[3] = {f, generic(bytes)+4, bytes+2};\n"
      ".global .b8 packed[9] = {5, 0xFF(bytes), 0xFF00(bytes), 0xFF0000(bytes), 0xFF000000(bytes), 0xFF00000000(bytes), "
      "0xFF0000000000(bytes),\n"
      "  0xFF000000000000(bytes), 0xFF00000000000000(bytes)};\n"
      ".const .s16 open[] = {-1, 2, 3};\n"
      ".global .u32 one, two = 2;");
  auto find = [&](std::string_view name) {
    for (const Variable& variable : module.variables) {
      if (variable.name == name) return variable;
    }
    FAIL("no variable " << name);
    return Variable{};
  };
  CHECK(find("bytes").bytes == 8);
  CHECK(find("bytes").initial == std::vector<std::uint8_t>{1, 2, 255});
  CHECK(find("half").initial[7] == 0x3F);
  CHECK(find("half").space == Space::kConst);
  CHECK(find("table").bytes == 16);
  CHECK(find("table").initial.size() == 12);
  CHECK(find("table").initial[11] == 0xBF);
  CHECK(find("dynamic").bytes == 0);
  CHECK(find("dynamic").external);
  CHECK(find("dynamic").alignment == 16);
  CHECK(find("counter").managed);
  CHECK(find("counter").visible);
  CHECK(find("quad").bytes == 16);
  CHECK(find("quad").alignment == 16);
  Variable pointers = find("pointers");
  REQUIRE(pointers.relocations.size() == 3);
  CHECK(pointers.relocations[0].symbol == "f");
  CHECK(pointers.relocations[1].generic);
  CHECK(pointers.relocations[1].offset == 4);
  CHECK(pointers.relocations[2].at == 16);
  CHECK(pointers.relocations[2].offset == 2);
  REQUIRE(find("packed").relocations.size() == 1);
  CHECK(find("packed").relocations[0].at == 1);
  CHECK(find("packed").initial[0] == 5);
  CHECK(find("open").bytes == 6);
  CHECK(find("open").initial[0] == 0xFF);
  CHECK(find("two").initial[0] == 2);
}

TEST_CASE("operands as text and back", "[ptx][parser]") {
  CHECK(text_in("st.global.f32 [%d1+4], %f3;") == "st.global.f32 [%d1+4], %f3");
  CHECK(text_in("ld.global.v4.f32 {%f1,_,%f3,%f4}, [%d1+-8];") == "ld.global.v4.f32 {%f1, _, %f3, %f4}, [%d1-8]");
  CHECK(text_in("@!%p1 add.s32 %r1, %r2, -4;") == "@!%p1 add.s32 %r1, %r2, -4");
  CHECK(text_in("shfl.sync.bfly.b32 %r1|%p2, %r3, 16, 31, -1;") == "shfl.sync.bfly.b32 %r1|%p2, %r3, 16, 31, 4294967295");
  CHECK(text_in("setp.lt.and.f32 %p1|%p2, %f1, 0f3F800000, !%p3;") == "setp.lt.and.f32 %p1|%p2, %f1, 0f3F800000, !%p3");
  CHECK(text_in("mov.u32 %r1, %tid.x;") == "mov.u32 %r1, %tid.x");
  CHECK(text_in("mov.b32 {%h1,%h2}, %r1;") == "mov.b32 {%h1, %h2}, %r1");
  CHECK(text_in("mov.u64 %d1, in+8;") == "mov.u64 %d1, in+8");
  CHECK(text_in("ld.param.u64 %d1, [in];") == "ld.param.u64 %d1, [in]");
  CHECK(text_in("ld.u8 %h1, [16];") == "ld.u8 %h1, [16]");
  CHECK(text_in("L: bra.uni L;") == "bra.uni L");
  CHECK(text_in("selp.b32 %r1, 1, 0, %p1;") == "selp.b32 %r1, 1, 0, %p1");
  CHECK(text_in("bar.sync 0;") == "bar.sync 0");
  CHECK(text_in("membar.gl;") == "membar.gl");
  CHECK(text_in("mov.u32 %r1, WARP_SZ;") == "mov.u32 %r1, 32");
  CHECK(text_in("add .s32 %r1, %r2, 1 ;") == "add.s32 %r1, %r2, 1");
}

TEST_CASE("operands carry the types of their slots", "[ptx][parser]") {
  Function k = kernel(
      "shl.b64 %d1, %d2, %r1; mad.wide.u32 %d1, %r1, %r2, %d3; cvt.rn.f64.s32 %fd1, %r1; selp.f64 %fd1, %fd2, 0d0000000000000000, %p1; "
      "ld.global.u8 %r1, [%d1]; mov.b64 {%r1, %r2}, %d1; atom.global.cas.b32 %r1, [%d1], %r2, 7; bar.red.popc.u32 %r1, 0, !%p2; "
      "bar.red.popc.u32 %r1, 0, 64, %p2; cp.async.ca.shared.global [%r1], [%d1], 16, %r2; cp.async.ca.shared.global [%r1], [%d1], 16, "
      "!%p1;");
  const auto& body = k.body;
  CHECK(body[0].src[1].type == Type::kU32);
  CHECK(body[1].dst[0].type == Type::kU64);
  CHECK(body[1].src[2].type == Type::kU64);
  CHECK(body[2].src[0].type == Type::kS32);
  CHECK(body[3].src[1].bits == 0);
  CHECK(body[3].src[2].type == Type::kPred);
  CHECK(body[4].dst[0].type == Type::kU8);
  CHECK(reg(k, body[4].dst[0]).type == Type::kB32);
  CHECK(body[4].src[0].kind == OperandKind::kAddress);
  CHECK(body[5].dst[0].kind == OperandKind::kVector);
  CHECK(body[5].dst[0].elements[1].type == Type::kB32);
  REQUIRE(body[6].src.size() == 3);
  CHECK(body[6].src[2].bits == 7);
  REQUIRE(body[7].src.size() == 2);
  CHECK(body[7].src[1].negated);
  REQUIRE(body[8].src.size() == 3);
  CHECK(body[8].src[1].type == Type::kU32);
  CHECK(body[9].src[3].type == Type::kU32);
  CHECK(body[10].src[3].type == Type::kPred);
  CHECK(body[10].src[3].negated);
}

TEST_CASE("registers exist once they are met", "[ptx][parser]") {
  Function k =
      read(".visible .entry k() { .reg .b32 %r<4000000000>, x; mov.u32 %r3999999999, 1; mov.u32 %r7, %r3999999999; ret; }").functions[0];
  CHECK(k.registers.size() == 3);
  CHECK(k.body[0].dst[0].reg == k.body[1].src[0].reg);
}

TEST_CASE("inner scopes hide outer names and end", "[ptx][parser]") {
  Function k = kernel(
      "mov.u32 %r1, 1; { .reg .b32 %r<3>, t; mov.u32 %r1, 2; { .reg .f32 t; mov.f32 t, 0f00000000; } mov.u32 t, 3; } mov.u32 %r1, 4; "
      "{ .reg .b64 t; mov.u64 t, 5; }");
  CHECK(k.body[0].dst[0].reg == k.body[4].dst[0].reg);
  CHECK(k.body[0].dst[0].reg != k.body[1].dst[0].reg);
  CHECK(reg(k, k.body[2].dst[0]).type == Type::kF32);
  CHECK(reg(k, k.body[3].dst[0]).type == Type::kB32);
  CHECK(reg(k, k.body[5].dst[0]).type == Type::kB64);
}

TEST_CASE("ranges whose names run into each other are told apart", "[ptx][parser]") {
  Module module = read(
      ".visible .entry k() { .reg .b32 %a<5>; .reg .f32 %a1<3>; mov.u32 %a4, 1; mov.f32 %a12, 0f00000000; "
      "{ .reg .f64 %a12; mov.f64 %a12, 0d0000000000000000; { .reg .b16 %a<20>; mov.u16 %a12, 1; } } ret; }");
  const Function& k = module.functions[0];
  CHECK(reg(k, k.body[0].dst[0]).type == Type::kB32);
  CHECK(reg(k, k.body[1].dst[0]).type == Type::kF32);
  CHECK(reg(k, k.body[2].dst[0]).type == Type::kF64);
  CHECK(reg(k, k.body[3].dst[0]).type == Type::kB16);
}

TEST_CASE("labels are local to their braces", "[ptx][parser]") {
  Function k = kernel("{ L: @%p1 bra L; } { L: bra L; } bra OUT; { bra OUT; } OUT: add.s32 %r1, %r1, 1;");
  CHECK(k.body[0].src[0].target == 0);
  CHECK(k.body[1].src[0].target == 1);
  CHECK(k.body[2].src[0].target == 4);
  CHECK(k.body[3].src[0].target == 4);
  CHECK(k.labels.at("L") == 0);
  CHECK(k.labels.at("L#2") == 1);
  CHECK(k.body[1].src[0].symbol == "L#2");
}

TEST_CASE("lists of branch targets name labels", "[ptx][parser]") {
  Function k = kernel("ts: .branchtargets A, B; brx.idx %r1, ts; A: mov.u32 %r1, 1; B: ");
  CHECK(k.body[0].src[1].symbol == "ts");
  REQUIRE(k.branch_targets.at("ts") == std::vector<std::string>{"A", "B"});
  CHECK(k.labels.at("B") == 2);
}

TEST_CASE("calls: direct, indirect, over several lines", "[ptx][parser]") {
  Module module = read(
      ".func (.param .b32 r) f(.param .b64 a, .param .align 4 .b8 b[8]);\n.func g;\n"
      ".visible .entry k() { .reg .b64 %d<3>; .reg .b32 %r<3>;\n"
      "{ .param .b64 p0; .param .align 4 .b8 p1[8]; .param .b32 r0; st.param.b64 [p0+0], %d1; call.uni (r0),\nf,\n(\np0,\np1\n); "
      "ld.param.b32 %r1, [r0+0]; }\n"
      "{ .param .b64 p0; .param .b32 r0; proto: .callprototype (.param .b32 _) _ (.param .b64 _, .param .b8 _[4]) .noreturn; call (r0), "
      "%d1, (p0, 5), proto; }\n"
      "call g; ts: .calltargets f, g; call %d2, ts; ret; }");
  const Function& k = *module.find_function("k");
  const Instruction& direct = k.body[1];
  CHECK(direct.src[0].kind == OperandKind::kFunction);
  CHECK(direct.src[0].symbol == "f");
  CHECK(direct.mod.uni);
  REQUIRE(direct.call_arguments.size() == 2);
  CHECK(direct.call_arguments[1].symbol == "p1");
  CHECK(direct.call_results[0].symbol == "r0");
  CHECK(text_of(direct, k) == "call.uni (r0), f, (p0, p1)");
  const Instruction& indirect = k.body[3];
  CHECK(indirect.src[0].kind == OperandKind::kRegister);
  CHECK(indirect.call_prototype == "proto");
  CHECK(indirect.call_arguments[0].symbol == "p0#2");
  CHECK(indirect.call_arguments[1].bits == 5);
  CHECK(k.body[5].call_prototype == "ts");
  CHECK(k.call_targets.at("ts") == std::vector<std::string>{"f", "g"});
  REQUIRE(k.variables.size() == 5);
  CHECK(k.variables[1].bytes == 8);
  CHECK(k.variables[3].name == "p0#2");
}

TEST_CASE("vector registers have elements", "[ptx][parser]") {
  Function k =
      read(".visible .entry k(.param .u64 a) { .reg .v4 .f32 v; .reg .b64 d; ld.global.v4.f32 v, [d]; add.f32 v.x, v.y, v.w; ret; }")
          .functions[0];
  REQUIRE(k.body[0].dst[0].elements.size() == 4);
  CHECK(k.body[1].dst[0].reg == k.body[0].dst[0].elements[0].reg);
  CHECK(k.body[1].src[1].reg == k.body[0].dst[0].elements[3].reg);
}

TEST_CASE("what this version lacks is kept by name", "[ptx][parser]") {
  Function k = kernel(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2}, {%r1}, {%r2}, {%f1,%f2}; wonder.full %r1, [a, {b}]; "
      "cvt.rs.f16x2.f32 %r1, %f1, %f2, %r2; mov.u64 %d1, %nclusterid; add.f32x2 %d1, %d2, %d3;");
  CHECK(k.body[0].op == Opcode::kMma);
  CHECK(opcode_text(k.body[0]) == "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
  CHECK(k.body[1].op == Opcode::kUnknown);
  CHECK(opcode_text(k.body[1]) == "wonder.full");
  CHECK(opcode_text(k.body[2]) == "cvt.rs.f16x2.f32");
  CHECK(k.body[2].op == Opcode::kUnknown);
  CHECK(opcode_text(k.body[3]) == "mov.u64 of %nclusterid");
  CHECK(opcode_text(k.body[4]) == "add.f32x2");
}

TEST_CASE("a module of a newer PTX may say what the table does not know", "[ptx][parser]") {
  auto module = parse(".version 10.0\n.target sm_80\n.visible .entry k() { .reg .b32 a; add.newest.s32 a, a, 1; ret; }");
  REQUIRE(module);
  CHECK(module->functions[0].body[0].op == Opcode::kUnknown);
  CHECK_FALSE(parse(".version 8.0\n.target sm_80\n.visible .entry k() { .reg .b32 a; add.newest.s32 a, a, 1; ret; }"));
}

TEST_CASE("source lines carry the chain of inlined functions", "[ptx][parser]") {
  Module module = read(
      ".visible .entry k() { .reg .b32 a;\n"
      ".loc 1 10 3\nmov.u32 a, 1;\n"
      ".loc 2 77 5, function_name $L__info_string0, inlined_at 1 10 3\nmov.u32 a, 2;\n"
      ".loc 3 5 1, function_name $L__info_string0+4, inlined_at 2 77 5\nmov.u32 a, 3;\n"
      ".loc 3 0 1\nmov.u32 a, 4;\n"
      ".loc 1 11 3\nmov.u32 a, 5; ret; }\n"
      ".file 1 \"/home/a b/k \\\"x\\\".cu\", 1699999999, 4567\n.file 2 \"\\344\\270\\255.cuh\"\n.file 3 \"shuffle.h\"\n"
      ".section .debug_abbrev { .b8 1, 2 // }\n }\n"
      ".section .debug_str\n{\n$L__info_string0:\n.b8 95,90,116,0\n.b8 115,117,109\n.b8 0\n}\n");
  const Function& k = module.functions[0];
  auto frames = [&](std::size_t i) { return module.locations[static_cast<std::size_t>(k.body[i].location)].frames; };
  CHECK(module.files[1] == "/home/a b/k \"x\".cu");
  CHECK(module.files[2] == "\xe4\xb8\xad.cuh");
  REQUIRE(frames(0).size() == 1);
  CHECK(frames(0)[0].line == 10);
  REQUIRE(frames(1).size() == 2);
  CHECK(frames(1)[0].file == 2);
  CHECK(frames(1)[0].function == "_Zt");
  CHECK(frames(1)[1].line == 10);
  REQUIRE(frames(2).size() == 3);
  CHECK(frames(2)[0].function == "sum");
  CHECK(frames(2)[1].function == "_Zt");
  CHECK(frames(2)[2].file == 1);
  CHECK(k.body[3].location == k.body[2].location);
  CHECK(frames(4)[0].line == 11);
  CHECK(k.body[1].ptx_line == 8);
  CHECK(k.location == k.body[0].location);
}
