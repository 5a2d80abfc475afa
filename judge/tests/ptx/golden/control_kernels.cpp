// Kernels of control flow, and those that belong to no single spelling: vectors packed and unpacked by mov, special registers.
#include <fmt/format.h>

#include "judge/tests/ptx/golden/kernels.hpp"

namespace warpbook::golden {
namespace {

using ptx::Opcode;
using ptx::Type;

bool has(const Variant& variant, std::string_view word) { return variant.spelling.find(word) != std::string::npos; }

Kernel branch_kernel(const Variant& variant) {
  Builder k(variant.spelling, 96);
  const Held d = k.result_of(32);
  // A loop that lanes leave after different numbers of rounds; .uni: all after the same.
  k.line(fmt::format(
      "mov.u32 {0}, 0;\nand.b32 %r20, %r0, {1};\nadd.u32 %r20, %r20, 3;\nAGAIN:\nadd.u32 {0}, {0}, %r20;\nsub.u32 %r20, %r20, 1;", d.reg,
      has(variant, "uni") ? 0 : 7));
  k.line(fmt::format("setp.ne.u32 %p3, %r20, 0;\n@%p3 {} AGAIN;", variant.spelling));
  return k.finish();
}

Kernel table_kernel(const Variant& variant) {
  Builder k(variant.spelling, 96);
  const Held d = k.result_of(32);
  k.line(fmt::format("and.b32 %r20, %r0, 3;\nshr.u32 %r21, %r0, 5;\n{}", has(variant, "uni") ? "mov.u32 %r20, %r21;" : ""));
  k.line(fmt::format("TABLE: .branchtargets A, B, C, D;\n{} %r20, TABLE;", variant.spelling));
  k.line(fmt::format(
      "A:\nadd.u32 {0}, {0}, 1;\nB:\nadd.u32 {0}, {0}, 16;\nbra END;\nC:\nmov.u32 {0}, %r0;\nbra END;\nD:\nnot.b32 {0}, {0};\nEND:",
      d.reg));
  return k.finish();
}

/// A function with two results and an early return; called directly, and through a register.
std::vector<Kernel> call_kernels(const Variant& variant) {
  std::vector<Kernel> kernels;
  for (const bool indirect : {false, true}) {
    if (indirect && variant.entry->op == Opcode::kRet) continue;
    Builder k(fmt::format("{}{}", variant.spelling, indirect ? " #indirect" : ""), 96);
    const Held a = k.fetch(Type::kB32, Type::kNone), d = k.result_of(32);
    const std::string name = k.unique("f");
    const std::string ret = variant.entry->op == Opcode::kRet ? variant.spelling : "ret";
    const bool uniform = variant.spelling == "ret.uni";
    k.module(
        fmt::format(".func (.param .b32 r) {}(.param .b32 a, .param .b64 b) {{\n.reg .b32 %r<4>;\n.reg .b64 %d<2>;\n.reg .pred %p;\n"
                    "ld.param.b32 %r0, [a];\nld.param.b64 %d0, [b];\ncvt.u32.u64 %r1, %d0;\nst.param.b32 [r], %r1;\nand.b32 %r2, {}, 1;\n"
                    "setp.eq.u32 %p, %r2, 1;\n@%p {};\nadd.u32 %r1, %r1, %r0;\nst.param.b32 [r], %r1;\n{};\n}}",
                    name, uniform ? "0" : "%r0", ret, ret));
    k.line(fmt::format("cvt.u64.u32 %d20, %r0;\nmov.u64 %d21, {};", name));
    if (indirect) k.line("PROTO: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _);");
    const std::string call = variant.entry->op == Opcode::kCall ? variant.spelling : "call";
    k.line(fmt::format(
        "{{\n.param .b32 p;\n.param .b64 q;\n.param .b32 v;\nst.param.b32 [p], {};\nst.param.b64 [q], %d20;\n{} (v), {}, (p, q){};\n"
        "ld.param.b32 {}, [v];\n}}",
        a.reg, call, indirect ? "%d21" : name, indirect ? ", PROTO" : "", d.reg));
    kernels.push_back(k.finish());
  }
  return kernels;
}

Kernel exit_kernel(const Variant& variant) {
  Builder k(variant.spelling, 96);
  const std::string out = k.own_output(8);
  k.line(fmt::format("st.global.b32 [{}], %r0;", out));
  k.three_ways(fmt::format("{};", variant.spelling));
  k.line(fmt::format("st.global.b32 [{}+4], %r0;", out));
  return k.finish();
}

}  // namespace

std::vector<Kernel> control_kernels(const Variant& variant) {
  switch (variant.entry->op) {
    case Opcode::kBra: return {branch_kernel(variant)};
    case Opcode::kBrx: return {table_kernel(variant)};
    case Opcode::kCall:
    case Opcode::kRet: return call_kernels(variant);
    case Opcode::kExit: return {exit_kernel(variant)};
    default: return {};
  }
}

std::vector<Kernel> other_kernels() {
  std::vector<Kernel> kernels;
  // mov to and from vectors, an element thrown away.
  struct Shape {
    int whole, part;
  };
  for (const Shape shape : {Shape{32, 16}, Shape{64, 32}, Shape{64, 16}, Shape{128, 64}}) {
    const int count = shape.whole / shape.part;
    Builder pack(fmt::format("mov.b{} #pack {}", shape.whole, count), 160);
    std::vector<std::string> parts;
    for (int i = 0; i < count; ++i)
      parts.push_back(pack.fetch(shape.part, edges(shape.part == 16 ? Type::kU16 : shape.part == 32 ? Type::kU32 : Type::kU64)).reg);
    const Held whole = pack.result_of(shape.whole);
    pack.three_ways(fmt::format("mov.b{} {}, {};", shape.whole, whole.reg, braced(parts)));
    kernels.push_back(pack.finish());
    Builder unpack(fmt::format("mov.b{} #unpack {}", shape.whole, count), 160);
    const Held from = unpack.fetch(shape.whole == 32 ? Type::kB32 : shape.whole == 64 ? Type::kB64 : Type::kB128, Type::kNone);
    std::vector<std::string> to;
    for (int i = 0; i < count; ++i) to.push_back(unpack.result_of(shape.part).reg);
    std::vector<std::string> fewer(to.begin(), to.end());
    fewer.front().assign(1, '_');
    unpack.three_ways(fmt::format("mov.b{} {}, {};", shape.whole, braced(to), from.reg),
                      fmt::format("mov.b{} {}, {};", shape.whole, braced(fewer), from.reg));
    kernels.push_back(unpack.finish());
  }
  for (const char* special : {"%tid.x",
                              "%tid.y",
                              "%tid.z",
                              "%ntid.x",
                              "%ntid.y",
                              "%ntid.z",
                              "%ctaid.x",
                              "%ctaid.y",
                              "%ctaid.z",
                              "%nctaid.x",
                              "%nctaid.y",
                              "%nctaid.z",
                              "%laneid",
                              "%lanemask_eq",
                              "%lanemask_lt",
                              "%lanemask_le",
                              "%lanemask_gt",
                              "%lanemask_ge",
                              "%dynamic_smem_size",
                              "%clusterid.x",
                              "%nclusterid.x",
                              "%cluster_ctaid.x",
                              "%cluster_nctaid.x",
                              "%cluster_ctarank",
                              "%cluster_nctarank"}) {
    Builder k(fmt::format("mov.u32 {}", special), 160);
    k.three_ways(fmt::format("mov.u32 {}, {};", k.result_of(32).reg, special));
    kernels.push_back(k.finish());
  }
  return kernels;
}

}  // namespace warpbook::golden
