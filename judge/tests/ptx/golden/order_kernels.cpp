// Kernels of what orders threads and memory (barriers, fences), of hints, of addresses, and of copies that run beside the program. Most
// of these have no result: the kernel shows that what they are to order is in order, or that nothing else changed.
#include <fmt/format.h>

#include "judge/tests/ptx/golden/kernels.hpp"

namespace warpbook::golden {
namespace {

using ptx::Opcode;
using ptx::Type;

bool has(const Variant& variant, std::string_view word) { return variant.spelling.find(word) != std::string::npos; }

/// Barriers: a value goes from the mirrored thread to this one through shared memory.
Kernel barrier_kernel(const Variant& variant) {
  Builder k(variant.spelling, 96);
  const std::string& name = variant.spelling;
  const Held value = k.fetch(Type::kB32, Type::kNone), vote = k.fetch(1, {1, 0, 1, 1, 0});
  const std::string memory = k.unique("sh");
  k.line(fmt::format(".shared .align 4 .b8 {0}[384];\nmov.u64 %d6, {0};\nmad.wide.u32 %d7, %r0, 4, %d6;", memory));
  if (has(variant, ".red")) {
    const bool counts = has(variant, "popc");
    const Held d = k.result_of(counts ? 32 : 1), e = k.result_of(counts ? 32 : 1);
    k.line(fmt::format("{} {}, 1, {};", name, d.reg, vote.reg));
    k.line(fmt::format("{} {}, 2, 96, !{};", name, e.reg, vote.reg));
    return k.finish();
  }
  const Held d = k.result_of(32);
  if (has(variant, "warp")) {
    k.line(fmt::format("st.shared.b32 [%d7], {};\n{} 0xFFFFFFFF;", value.reg, name));
    k.line(fmt::format("xor.b32 %r1, %r0, 5;\nmad.wide.u32 %d7, %r1, 4, %d6;\nld.shared.b32 {}, [%d7];", d.reg));
    return k.finish();
  }
  if (has(variant, "arrive")) {  // warp 0 produces, warp 1 waits, warp 2 has nothing to do with it
    k.line("shr.u32 %r2, %r0, 5;\nsetp.eq.u32 %p3, %r2, 0;\nsetp.eq.u32 %p4, %r2, 1;");
    k.line(fmt::format("@!%p3 bra OTHERS;\nst.shared.b32 [%d7], {};\n{} 3, 64;\nbra END;\nOTHERS:\n@!%p4 bra END;", value.reg, name));
    k.line(fmt::format("{} 3, 64;\nld.shared.b32 {}, [%d7+-128];\nEND:",
                       name.substr(0, name.find(".arrive")) + ".sync" + name.substr(name.find(".arrive") + 7), d.reg));
    return k.finish();
  }
  k.line(fmt::format("st.shared.b32 [%d7], {};\n{} 0;\nsub.u32 %r1, 95, %r0;\nmad.wide.u32 %d7, %r1, 4, %d6;", value.reg, name));
  k.line(fmt::format("ld.shared.b32 {}, [%d7];\n{} 2, 96;\nst.shared.b32 [%d7], 7;", d.reg, name));
  return k.finish();
}

/// An instruction without a result: thread-wise stores before and after it.
Kernel plain_kernel(const Variant& variant, const std::string& operands) {
  Builder k(variant.spelling, 96);
  const Held value = k.fetch(Type::kB32, Type::kNone);
  const std::string out = k.own_output(8);
  k.line("ld.param.u64 %d10, [in];\nmov.u64 %d11, %d0;");
  const std::string local = k.unique("lo");
  if (has(variant, ".local")) k.line(fmt::format(".local .align 8 .b8 {0}[8];\nmov.u64 %d11, {0};\nst.local.b32 [%d11], %r0;", local));
  k.line(fmt::format("st.global.b32 [{}], {};", out, value.reg));
  k.three_ways(variant.spelling + operands + ";");
  k.line(fmt::format("ld.global.b32 %r3, [{0}];\nadd.u32 %r3, %r3, 1;\nst.global.b32 [{0}+4], %r3;", out));
  return k.finish();
}

/// A pointer into a state space as a generic one (or .to, from a generic one), and a value read through it.
Kernel conversion_kernel(const Variant& variant) {
  Builder k(variant.spelling, 96);
  std::string space = variant.spelling.substr(variant.spelling.find('.') + 1);
  const bool to = space.starts_with("to.");
  if (to) space = space.substr(3);
  space = space.substr(0, space.rfind('.'));
  const std::string kind = space.substr(0, space.find("::"));
  const Held value = k.fetch(Type::kB32, Type::kNone), d = k.result_of(32);
  const std::string memory = k.unique("me");
  if (kind == "global") {
    k.line("mov.u64 %d6, %d3;");
  } else if (kind == "const") {
    k.line(fmt::format("mov.u64 %d6, {};", kConstants));
  } else if (kind == "param") {
    k.line("mov.b64 %d6, blob;");
  } else {
    k.line(fmt::format(".{0} .align 4 .b8 {1}[384];\nmov.u64 %d6, {1};\nmad.wide.u32 %d6, %r0, 4, %d6;\nst.{0}.b32 [%d6], {2};", kind,
                       memory, value.reg));
  }
  k.line("mov.u64 %d7, %d6;");
  const std::string from = kind == "param" ? "param::entry" : kind;
  k.line(fmt::format("cvta.{}.u64 %d7, %d6;", from));
  if (to) {
    k.three_ways(fmt::format("{} %d8, %d7;\nld.{}.b32 {}, [%d8];", variant.spelling, kind, d.reg));
  } else {
    k.three_ways(fmt::format("{} %d8, %d6;\nld.b32 {}, [%d8];", variant.spelling, d.reg));
  }
  return k.finish();
}

/// isspacep of a generic pointer into each of the spaces.
Kernel space_kernel(const Variant& variant) {
  Builder k(variant.spelling, 96);
  const std::string name = k.unique("v");
  k.line(fmt::format(".shared .align 8 .b8 sh_{0}[8];\n.local .align 8 .b8 lo_{0}[8];", name));
  k.line(
      fmt::format("mov.u64 %d20, %d0;\ncvta.global.u64 %d20, %d20;\nmov.u64 %d21, sh_{0};\ncvta.shared.u64 %d21, %d21;\nmov.u64 %d22, "
                  "lo_{0};\ncvta.local.u64 %d22, %d22;\nmov.u64 %d23, {1};\ncvta.const.u64 %d23, %d23;\nmov.b64 %d24, blob;\ncvta.param"
                  "::entry.u64 %d24, %d24;",
                  name, kConstants));
  std::string text;
  for (int i = 20; i < 25; ++i) text += fmt::format("{} {}, %d{};\n", variant.spelling, k.result_of(1).reg, i);
  k.three_ways(text);
  return k.finish();
}

/// Where a block is alone in its cluster: its shared memory seen through the cluster's window.
Kernel cluster_kernel(const Variant& variant) {
  Builder k(variant.spelling, 96);
  const bool maps = variant.entry->op == Opcode::kMapa, narrow = has(variant, ".u32"), shared = has(variant, "shared");
  const Held value = k.fetch(Type::kB32, Type::kNone), d = k.result_of(32);
  const std::string memory = k.unique("sh");
  k.line(fmt::format(".shared .align 4 .b8 {0}[384];\nmov.u64 %d6, {0};\nmad.wide.u32 %d6, %r0, 4, %d6;\nst.shared.b32 [%d6], {1};", memory,
                     value.reg));
  if (!shared) k.line("cvta.shared.u64 %d6, %d6;");
  if (narrow && !shared) {  // a generic address of 32 bits cannot be had in this kernel
    k.line(fmt::format("mov.b32 {}, {};", d.reg, value.reg));
    return k.finish();
  }
  k.line("cvt.u32.u64 %r20, %d6;");
  const std::string from = narrow ? "%r20" : "%d6";
  if (!maps) {
    k.three_ways(fmt::format("{} {}, {};", variant.spelling, d.reg, from));
  } else {
    k.three_ways(fmt::format("{} {}, {}, 0;\nld.{}b32 {}, [{}];", variant.spelling, narrow ? "%r21" : "%d7", from,
                             shared ? "shared::cluster." : "", d.reg, narrow ? "%r21" : "%d7"));
  }
  return k.finish();
}

/// cp.async into this thread's 16 bytes of shared memory.
std::vector<Kernel> copy_kernels(const Variant& variant) {
  std::vector<Kernel> kernels;
  const bool copies = has(variant, ".shared") && !has(variant, "mbarrier");
  const bool arrives = has(variant, "mbarrier");
  for (const int bytes : {4, 8, 16}) {
    if (copies ? has(variant, ".cg") && bytes != 16 : bytes != 16) continue;
    for (const char* rest : {"", ", %r20", ", %p5"}) {
      if (!copies && *rest != '\0') continue;
      Builder k(fmt::format("{}{}", variant.spelling,
                            copies ? fmt::format(" #{}{}", bytes,
                                                 *rest == '\0'    ? ""
                                                 : rest[3] == 'r' ? " size"
                                                                  : " ignore")
                                   : ""),
                96);
      k.fetch(Type::kB64, Type::kNone);
      const std::string out = k.own_output(16), memory = k.unique("sh");
      k.line(fmt::format(".shared .align 16 .b8 {0}[1552];\nmov.u64 %d5, {0};\nmad.wide.u32 %d6, %r0, 16, %d5;", memory));
      k.line("mov.b64 %d7, 0xA5A5A5A5A5A5A5A5;\nst.shared.v2.b64 [%d6], {%d7, %d7};");
      k.line(fmt::format("and.b32 %r20, %r0, {};\nand.b32 %r3, %r0, 1;\nsetp.eq.u32 %p5, %r3, 1;", bytes - 1));
      if (copies) {
        std::string hint;
        if (has(variant, "cache_hint")) {
          k.line("createpolicy.fractional.L2::evict_last.b64 %d9, 1.0;");
          hint = ", %d9";
        }
        k.three_ways(fmt::format("{} [%d6], [%d3], {}{}{};", variant.spelling, bytes, rest, hint));
        k.line("cp.async.wait_all;");
      } else {
        k.line("cp.async.cg.shared.global [%d6], [%d3], 16;");
        if (arrives) {
          k.line("setp.eq.u32 %p3, %r0, 0;");
          k.line(fmt::format("@%p3 mbarrier.init.shared.b64 [%d5+1536], {};\nbar.sync 0;", has(variant, "noinc") ? 96 : 1));
          k.line("add.u64 %d9, %d5, 1536;");
          if (!has(variant, ".shared")) k.line("cvta.shared.u64 %d9, %d9;");
          k.line(fmt::format("{} [%d9];", variant.spelling));
          if (!has(variant, "noinc")) k.line("bar.sync 0;\n@%p3 mbarrier.arrive.shared.b64 %d8, [%d5+1536];");
          k.line("WAIT:\nmbarrier.test_wait.parity.shared.b64 %p4, [%d5+1536], 0;\n@!%p4 bra WAIT;");
        } else {
          k.line(has(variant, "wait_group") ? "cp.async.commit_group;\n" + variant.spelling + " 0;"
                                            : variant.spelling + ";\ncp.async.wait_all;");
        }
      }
      k.line(fmt::format("ld.shared.v2.b64 {{%d7, %d8}}, [%d6];\nst.global.v2.b64 [{}], {{%d7, %d8}};", out));
      kernels.push_back(k.finish());
    }
  }
  return kernels;
}

/// mbarrier: two threads of the first warp take turns; what the barrier says is written down.
Kernel mbarrier_kernel(const Variant& variant) {
  Builder k(variant.spelling, 32);
  const std::string& name = variant.spelling;
  const std::string memory = k.unique("sh");
  const Held p = k.result_of(1), q = k.result_of(1), n = k.result_of(32), m = k.result_of(32);
  k.line(fmt::format(".shared .align 8 .b8 {0}[8];\nmov.u64 %d6, {0};\nsetp.ne.u32 %p3, %r0, 0;\n@%p3 bra END;", memory));
  const bool generic = !has(variant, ".shared");
  k.line("mov.u64 %d7, %d6;");
  if (generic) k.line("cvta.shared.u64 %d7, %d7;");
  if (has(variant, ".init")) {
    k.line(fmt::format("{} [%d7], 2;", name));
  } else {
    k.line(fmt::format("mbarrier.init.shared.b64 [%d6], {};", has(variant, ".arrive") && has(variant, "::cluster") ? 3 : 2));
  }
  std::string arrive = "mbarrier.arrive.shared.b64 %d20, [%d6];", again = arrive;
  if (has(variant, ".arrive")) {
    const bool no_complete = has(variant, "noComplete"), expects = has(variant, "expect_tx"), cluster = has(variant, "::cluster");
    // In the cluster's window an arrival has no token: one of the plain kind gives it.
    arrive = fmt::format("{} {}, [%d7]{};", name, cluster ? "_" : "%d20", no_complete ? ", 1" : expects ? ", 0" : "");
    if (!no_complete) again = arrive;
    if (cluster) {
      arrive = "mbarrier.arrive.shared.b64 %d20, [%d6];\n" + arrive;
      again = arrive.substr(arrive.rfind('\n') + 1);
    }
  }
  const std::string test = has(variant, "_wait") && !has(variant, "parity") ? fmt::format("{} PRED, [%d7], %d21;", name)
                           : has(variant, "parity")                         ? fmt::format("{} PRED, [%d7], 0;", name)
                                                                            : "mbarrier.test_wait.shared.b64 PRED, [%d6], %d21;";
  const auto tested = [&](const Held& into) {
    std::string text = test;
    return text.replace(text.find("PRED"), 4, into.reg);
  };
  k.line(arrive).line("mov.u64 %d21, %d20;").line(fmt::format("mbarrier.pending_count.b64 {}, %d20;", n.reg));
  if (has(variant, "_tx") && !has(variant, ".arrive")) {  // as many bytes as are expected come, in one step or the other
    const std::string other =
        has(variant, "complete") ? "mbarrier.expect_tx.relaxed.cta.shared::cta.b64" : "mbarrier.complete_tx.relaxed.cta.shared::cta.b64";
    const std::string one = fmt::format("{} [%d7], 16;", name), two = fmt::format("{} [%d6], 16;", other);
    k.line(has(variant, "complete") ? two + "\n" + one : one + "\n" + two);
  }
  k.line(tested(p)).line(again).line(fmt::format("mbarrier.pending_count.b64 {}, %d20;", m.reg)).line(tested(q));
  if (has(variant, ".inval")) k.line(fmt::format("{} [%d7];\nst.shared.b64 [%d6], 5;", name));
  k.line("END:");
  return k.finish();
}

Kernel stack_kernel(const Variant& variant) {
  Builder k(variant.spelling, 96);
  const bool wide = has(variant, "u64");
  const std::string bits = wide ? "u64" : "u32", reg = wide ? "%d" : "%r";
  const Held value = k.fetch(Type::kB32, Type::kNone), d = k.result_of(32);
  k.line(fmt::format("stacksave.{} {}20;", bits, reg));
  k.line(fmt::format("alloca.{0} {1}21, {2}, 16;", bits, reg, wide ? "64" : "64"));
  k.line(fmt::format("st.local.b32 [{0}21+4], {1};\nld.local.b32 {2}, [{0}21+4];", reg, value.reg, d.reg));
  k.line(fmt::format("stackrestore.{} {}20;", bits, reg));
  return k.finish();
}

}  // namespace

std::vector<Kernel> order_kernels(const Variant& variant) {
  switch (variant.entry->op) {
    case Opcode::kBar:
    case Opcode::kBarrier: return {barrier_kernel(variant)};
    case Opcode::kMembar:
    case Opcode::kFence:
    case Opcode::kGriddepcontrol:
      return {plain_kernel(variant, has(variant, "tensormap") && has(variant, "acquire") ? " [%d10], 128" : "")};
    case Opcode::kPrefetch: return {plain_kernel(variant, has(variant, ".local") || has(variant, ".global") ? " [%d11]" : " [%d10]")};
    case Opcode::kPrefetchu: return {plain_kernel(variant, " [%d10]")};
    case Opcode::kApplypriority: return {plain_kernel(variant, has(variant, ".global") ? " [%d11], 128" : " [%d10], 128")};
    case Opcode::kDiscard: return {plain_kernel(variant, has(variant, ".global") ? " [%d11+24448], 128" : " [%d10+24448], 128")};
    case Opcode::kNanosleep: return {plain_kernel(variant, " 20")};
    case Opcode::kPmevent: return {plain_kernel(variant, " 1")};
    case Opcode::kCvta: return {conversion_kernel(variant)};
    case Opcode::kIsspacep: return {space_kernel(variant)};
    case Opcode::kMapa:
    case Opcode::kGetctarank: return {cluster_kernel(variant)};
    case Opcode::kCp: return copy_kernels(variant);
    case Opcode::kMbarrier: return {mbarrier_kernel(variant)};
    case Opcode::kAlloca:
    case Opcode::kStacksave:
    case Opcode::kStackrestore: return {stack_kernel(variant)};
    default: return {};
  }
}

}  // namespace warpbook::golden
