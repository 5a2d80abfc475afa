#include "judge/ptx/contract.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

#include "judge/base/files.hpp"
#include "judge/ptx/instruction.hpp"
#include "judge/ptx/parser.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook;
using namespace warpbook::ptx;

namespace {

Module module_of(std::string_view text) {
  auto module = parse(text);
  INFO((module ? "" : module.error().text()));
  REQUIRE(module);
  return *module;
}

std::string with_header(std::string_view body) { return fmt::format(".version 8.0\n.target sm_80\n.address_size 64\n{}", body); }

// Texts of a function's instructions, after fusing.
std::vector<std::string> fused_texts(std::string_view body) {
  Module module = module_of(with_header(fmt::format(".visible .entry k() {{ {} ret; }}", body)));
  fuse_products(module);
  std::vector<std::string> texts;
  for (const Instruction& instruction : module.functions[0].body) texts.push_back(text_of(instruction, module.functions[0]));
  return texts;
}

using Texts = std::vector<std::string>;
const std::string kRegisters = ".reg .f32 a,b,c,d,p,n,r,s; .reg .f64 da,db,dc,dp,dr; .reg .b32 ha,hb,hc,hp,hr; .reg .pred q; ";

struct Shape {
  const char *name, *text, *results[2], *measured[2];
};

const Shape kShapes[] = {
#define SHAPE(number, name, text, first, first_was, second, second_was) {name, text, {first, second}, {first_was, second_was}},
#include "judge/tests/ptx/shapes/shapes.def"
#undef SHAPE
};

// Shapes that the assembler's optimiser changes before it contracts. nvcc's own has done the like before writing PTX: it moves what is
// invariant out of loops, unrolls short loops, removes dead code. So fuse_products() does not imitate it.
const std::set<std::string_view> kBeyond = {
    "loop: use in the body and behind it",
    "loop: use in the body only",
    "loop: product in the body, use behind",
    "two loops",
    "loop: two uses in the body",
    "loop: product in the body, uses in body and behind",
    "rolled loop, invariant product, one use",
    "rolled loop, constant trips, nounroll",
    "rolled loop, invariant product, use in the second block",
    "rolled loop, invariant product, use in an arm of the body",
    "rolled loop behind a guard, product behind the guard",
    "two rolled loops, one inside the other",
    "rolled loop, factor changes in it",
    "one arm, product also in the arm of a rolled loop",
    "double, rolled loop, invariant product",
    "also used by dead code",
    "dead branch between",

};

// The kernel that shapes.cu makes of a shape, as PTX.
std::string kernel_of(const Shape& shape) {
  const char* operands[] = {"out0", "out1", "%f0", "%f1", "%f2", "%f3", "%r0", "%f4", "%f5", "%rd0"};
  std::string text;
  for (const char* at = shape.text; *at != 0; ++at) {
    if (*at != '%') text += *at;
    else if (*++at == '%') text += '%';
    else text += operands[*at - '0'];
  }
  return with_header(
      fmt::format(".func (.param .b32 result) outside(.param .b32 x) {{ st.param.b32 [result], 0; ret; }}\n"
                  ".visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n) {{ .reg .f32 out0, out1, %f<6>; .reg .b32 %r<1>; .reg "
                  ".b64 %rd<1>;\n"
                  "ld.param.u64 %rd0, [in]; ld.param.u32 %r0, [n];\n"
                  "{{ .reg .f32 p, n, x; .reg .b32 r; .reg .pred q, q2, t; setp.gt.s32 q, %r0, 3; setp.gt.s32 q2, %r0, 5;\n"
                  "mov.f32 out0, 0f00000000; mov.f32 out1, 0f00000000; {} }}\n"
                  "st.global.f32 [%rd0], out0; st.global.f32 [%rd0+4], out1; ret; }}",
                  text));
}

// How the value of `out` was made: the fused sum it comes from through copies and conversions, or the unfused one.
// "fused", "second" (the fma multiplies c and d, or e) or "sep".
std::string made_by(const Function& function, std::string_view out, const std::string& wanted) {
  std::set<std::string> names{std::string(out)};
  const Instruction* sum = nullptr;
  for (auto at = function.body.rbegin(); at != function.body.rend() && sum == nullptr; ++at) {
    if (at->dst.empty()) continue;
    std::vector<const Operand*> written{&at->dst[0]};
    for (const Operand& element : at->dst[0].elements) written.push_back(&element);
    bool relevant = false;
    for (const Operand* operand : written)
      relevant |= operand->reg >= 0 && names.contains(function.registers[static_cast<std::size_t>(operand->reg)].name);
    if (!relevant) continue;
    bool is_sum = at->op == Opcode::kAdd || at->op == Opcode::kSub || at->op == Opcode::kFma;
    if (is_sum && is_float(at->types[0])) sum = &*at;
    for (const Operand& operand : at->src) {
      if (operand.reg >= 0) names.insert(function.registers[static_cast<std::size_t>(operand.reg)].name);
    }
  }
  if (sum == nullptr || sum->op != Opcode::kFma) return "sep";
  auto name = [&](int i) {
    return sum->src[static_cast<std::size_t>(i)].reg < 0
               ? ""
               : function.registers[static_cast<std::size_t>(sum->src[static_cast<std::size_t>(i)].reg)].name;
  };
  // Which product comes first in the expression: its first factor is a (or c).
  bool two = wanted == "p-cd" || wanted == "p+cd" || wanted == "cd+p" || wanted == "cd-p" || wanted == "p-eb" || wanted == "cd-eg";
  if (!two) return "fused";
  return name(0) == (wanted.front() == 'p' ? "%f0" : "%f2") ? "fused" : "second";
}

}  // namespace

TEST_CASE("products in the shapes that were measured on an H200 are treated as there", "[ptx][contract]") {
  int count = 0;
  for (const Shape& shape : kShapes) {
    Module module = module_of(kernel_of(shape));
    fuse_products(module);
    bool equal = true;
    std::string said;
    for (int i = 0; i < 2; ++i) {
      if (std::string_view(shape.results[i]) == "-") continue;
      std::string model = made_by(*module.find_function("k"), i == 0 ? "out0" : "out1", shape.results[i]);
      said += fmt::format(" {} = {}, measured {};", shape.results[i], model, shape.measured[i]);
      equal &= model == shape.measured[i];
      ++count;
    }
    std::string texts;
    for (const Instruction& instruction : module.find_function("k")->body) texts += text_of(instruction, *module.find_function("k")) + "\n";
    INFO(shape.name << ":" << said << "\n" << texts);
    CHECK(equal != kBeyond.contains(shape.name));
  }
  CHECK(count > 230);
}

TEST_CASE("a sum of a product becomes one fma, with the signs in place", "[ptx][contract]") {
  CHECK(fused_texts(kRegisters + "mul.f32 p,a,b; sub.f32 r,p,c;") == Texts{"fma.rn.f32 r, a, b, -c", "ret"});
  CHECK(fused_texts(kRegisters + "mul.f32 p,a,b; sub.f32 r,c,p;") == Texts{"fma.rn.f32 r, -a, b, c", "ret"});
  CHECK(fused_texts(kRegisters + "mul.f32 p,a,b; add.f32 r,c,p;") == Texts{"fma.rn.f32 r, a, b, c", "ret"});
  CHECK(fused_texts(kRegisters + "mul.f32 p,a,b; neg.f32 n,p; sub.f32 r,n,c;") == Texts{"fma.rn.f32 r, -a, b, -c", "ret"});
  CHECK(fused_texts(kRegisters + "mul.f32 p,a,b; neg.f32 n,p; sub.f32 r,c,n;") == Texts{"fma.rn.f32 r, a, b, c", "ret"});
  CHECK(fused_texts(kRegisters + "mul.f32 p,a,0f40000000; sub.f32 r,0f3F800000,p;") ==
        Texts{"fma.rn.f32 r, -a, 0f40000000, 0f3F800000", "ret"});
  CHECK(fused_texts(kRegisters + "mul.f32 p,a,b; sub.f32 r,p,0f3F800000;") == Texts{"fma.rn.f32 r, a, b, 0fBF800000", "ret"});
  CHECK(fused_texts(kRegisters + "mul.f64 dp,da,db; sub.f64 dr,dp,0d3FF0000000000000;") ==
        Texts{"fma.rn.f64 dr, da, db, 0dBFF0000000000000", "ret"});
  CHECK(fused_texts(kRegisters + "mul.f16x2 hp,ha,hb; sub.f16x2 hr,hp,0x3C003C00;") == Texts{"fma.rn.f16x2 hr, ha, hb, 3154164736", "ret"});
  CHECK(fused_texts(kRegisters + "mul.ftz.f32 p,a,b; @q sub.ftz.sat.f32 r,p,c;") == Texts{"@q fma.rn.ftz.sat.f32 r, a, b, -c", "ret"});
}

TEST_CASE("the fma keeps the sum's line, and labels follow what moved", "[ptx][contract]") {
  Module module = module_of(
      with_header(".file 1 \"k.cu\"\n.visible .entry k() { .reg .f32 a,b,c,p,r; .reg .pred q;\n.loc 1 10 1\nL: mul.f32 p,a,b;\n.loc 1 "
                  "20 1\nsub.f32 r,p,c;\n@q bra L; M: bra M; }"));
  Function& k = module.functions[0];
  REQUIRE(fuse_products(k) == 1);
  REQUIRE(k.body.size() == 3);
  CHECK(module.locations[static_cast<std::size_t>(k.body[0].location)].frames[0].line == 20);
  CHECK(k.body[1].src[0].target == 0);
  CHECK(k.body[2].src[0].target == 2);
  CHECK(k.labels.at("L") == 0);
  CHECK(k.labels.at("M") == 2);
}

TEST_CASE("a factor that is overwritten before the sum is kept in a copy", "[ptx][contract]") {
  CHECK(fused_texts(kRegisters + "mov.f32 a,0f3F800000; mul.f32 p,a,b; add.f32 a,a,d; sub.f32 r,p,c;") ==
        Texts{"mov.f32 a, 0f3F800000", "mov.b32 a, a", "add.f32 a, a, d", "fma.rn.f32 r, a, b, -c", "ret"});
  Module module = module_of(with_header(
      ".visible .entry k() { .reg .f32 a,b,c,d,p,r; mov.f32 a,0f3F800000; mul.f32 p,a,a; add.f32 a,a,d; sub.f32 r,p,c; ret; }"));
  Function& k = module.functions[0];
  REQUIRE(fuse_products(k) == 1);
  const Instruction& copy = k.body[1];
  const Instruction& fma = k.body[3];
  CHECK(copy.dst[0].reg != copy.src[0].reg);
  CHECK(fma.src[0].reg == copy.dst[0].reg);
  CHECK(fma.src[1].reg == copy.dst[0].reg);
}

TEST_CASE("the kernels of contract.cu fuse as they did on the H200", "[ptx][contract]") {
  auto text = read_file(std::string(WARPBOOK_SOURCE_DIR) + "/judge/tests/ptx/contract.ptx");
  REQUIRE(text);
  Module module = module_of(*text);
  // Number of sums that lost a product, by kernel; contract.txt says sep for the zeros.
  const std::map<std::string, std::size_t> expected = {
      {"_Z1kILi0EEvPK2InPf", 1},       {"_Z1kILi1EEvPK2InPf", 1},       {"_Z1kILi2EEvPK2InPf", 1},       {"_Z1kILi4EEvPK2InPf", 0},
      {"_Z1kILi5EEvPK2InPf", 2},       {"_Z1kILi7EEvPK2InPf", 0},       {"_Z1kILi9EEvPK2InPf", 0},       {"_Z1kILi11EEvPK2InPf", 1},
      {"_Z6acrossILi0EEvPK2InPfi", 1}, {"_Z6acrossILi1EEvPK2InPfi", 0}, {"_Z6acrossILi2EEvPK2InPfi", 1}, {"_Z6acrossILi4EEvPK2InPfi", 1},
  };
  std::size_t found = 0;
  for (Function& function : module.functions) {
    auto entry = expected.find(function.name);
    if (entry == expected.end()) continue;
    INFO(function.name);
    CHECK(fuse_products(function) == entry->second);
    ++found;
  }
  CHECK(found == expected.size());
}
