// Kernels of atom and red: every lane on a cell of its own, and, where the order cannot be seen in the end, all lanes on one cell.
#include <fmt/format.h>

#include "judge/tests/ptx/golden/kernels.hpp"

namespace warpbook::golden {
namespace {

using ptx::AtomOp;
using ptx::Opcode;
using ptx::Space;
using ptx::Type;

constexpr int kThreads = 96, kCell = 16;  // bytes of a cell; a record of `out` is a cell and the old value

bool order_is_hidden(AtomOp op, Type type) {
  if (ptx::is_float(type)) return op == AtomOp::kMin || op == AtomOp::kMax;
  return op != AtomOp::kInc && op != AtomOp::kDec && op != AtomOp::kExch && op != AtomOp::kCas;
}

std::string cell_type(int bits) { return fmt::format("b{}", bits); }

}  // namespace

std::vector<Kernel> atomic_kernels(const Variant& variant) {
  const ptx::Modifiers& mod = variant.matched.mod;
  if (mod.vector > 1 || variant.matched.types.front() == Type::kB128) return {};  // wide_atomic_kernels
  const Type type = variant.matched.types.front();
  const bool returns = variant.entry->op == Opcode::kAtom, shared = mod.space == Space::kShared;
  const int bits = ptx::bits_of(type);
  Builder k(variant.spelling, kThreads);

  const Held initial = k.fetch(type, type);
  std::vector<std::string> operands;
  if (mod.atom == AtomOp::kCas) operands.push_back(k.fetch(type, type).reg);
  operands.push_back(k.fetch(type, type).reg);

  const std::string out = k.own_output(2 * kCell);
  std::string cell = out, common = "%d5";
  const std::string home = shared ? "shared" : "global";
  if (shared) {
    const std::string name = k.unique("sh");
    k.line(fmt::format(".shared .align 16 .b8 {}[{}];", name, (kThreads + 1) * kCell));
    k.line(fmt::format("mov.u64 %d5, {0};\nmad.wide.u32 %d6, %r0, {1}, %d5;\nadd.u64 %d5, %d5, {2};", name, kCell, kThreads * kCell));
    cell = "%d6";
  } else {
    k.line("mov.u64 %d5, %d1;");
  }
  if (bits == 128) k.line(fmt::format("mov.b128 {{%d8, %d9}}, {0};\nst.{1}.v2.b64 [{2}], {{%d8, %d9}};", initial.reg, home, cell));
  else k.line(fmt::format("st.{}.{} [{}], {};", home, cell_type(bits), cell, initial.reg));
  std::string address = cell;
  if (mod.space == Space::kGeneric) {
    k.line(fmt::format("cvta.global.u64 %d6, {};", cell));
    address = "%d6";
  }
  std::string hint;
  if (variant.spelling.find("cache_hint") != std::string::npos) {
    k.line("createpolicy.fractional.L2::evict_last.b64 %d9, 1.0;");
    hint = ", %d9";
  }
  std::string old;
  if (returns) old = held(bits, 9).reg;  // stored by hand, beside the cell
  if (returns) {
    const std::string fill = bits == 128  ? "mov.b64 %d8, 0xA5A5A5A5A5A5A5A5;\nmov.b128 %q9, {%d8, %d8};"
                             : bits == 16 ? "mov.b16 %h9, 0xA5A5;"
                             : bits == 32 ? "mov.b32 %r9, 0xA5A5A5A5;"
                                          : "mov.b64 %d9, 0xA5A5A5A5A5A5A5A5;";
    if (bits == 64) {
      old = "%d50";
      k.line("mov.b64 %d50, 0xA5A5A5A5A5A5A5A5;");
    } else {
      k.line(fill);
    }
  }
  const auto text = [&](const std::string& where) {
    return fmt::format("{} {}[{}], {}{};", variant.spelling, returns ? old + ", " : "", where, fmt::join(operands, ", "), hint);
  };
  k.three_ways(text(address));
  if (returns) {
    if (bits == 128) k.line(fmt::format("mov.b128 {{%d7, %d8}}, {};\nst.global.v2.b64 [{}+{}], {{%d7, %d8}};", old, out, kCell));
    else k.line(fmt::format("st.global.b{} [{}+{}], {};", bits, out, kCell, old));
  }
  if (shared) {
    k.line(bits == 16   ? "mov.u64 %d7, 0;\nld.shared.u16 %d7, [%d6];"
           : bits == 32 ? "ld.shared.u32 %d7, [%d6];"
                        : "ld.shared.u64 %d7, [%d6];");
    k.line(fmt::format("st.global.b64 [{}], %d7;", out));
    if (bits == 128) k.line(fmt::format("ld.shared.u64 %d7, [%d6+8];\nst.global.b64 [{}+8], %d7;", out));
  }
  std::vector<Kernel> kernels = {k.finish()};

  // All lanes of all warps on one cell. One spelling of each operation and space is enough.
  const bool plain = mod.order == ptx::Order::kWeak && mod.scope == ptx::Scope::kNone;
  if (!plain || !order_is_hidden(mod.atom, type) || !hint.empty()) return kernels;
  Builder c(variant.spelling + " #common", kThreads);
  const Held value = c.fetch(type, Type::kNone);
  const Held start = c.fetch(bits, {edges(type)[0]});
  const std::string result = c.own_output(8);
  (void)result;
  std::string where = "%d1";
  if (shared) {
    const std::string name = c.unique("sh");
    c.line(fmt::format(".shared .align 16 .b8 {}[16];\nmov.u64 %d6, {};", name, name));
    where = "%d6";
  } else if (mod.space == Space::kGeneric) {
    c.line("cvta.global.u64 %d6, %d1;");
    where = "%d6";
  }
  c.line("setp.eq.u32 %p3, %r0, 0;");
  c.line(fmt::format("@%p3 st.{}.b{} [{}], {};\nbar.sync 0;", home, bits, shared ? "%d6" : "%d1", start.reg));
  c.line(fmt::format("{} {}[{}], {};\nbar.sync 0;", variant.spelling, returns ? held(bits, 50).reg + ", " : "", where, value.reg));
  if (shared) c.line(fmt::format("@%p3 ld.shared.b{0} {1}, [%d6];\n@%p3 st.global.b{0} [%d1], {1};", bits, held(bits, 51).reg));
  kernels.push_back(c.finish());
  return kernels;
}

std::vector<Kernel> wide_atomic_kernels() {
  std::vector<Kernel> kernels;
  // 128 bits at once.
  for (const char* space : {"", ".global", ".shared"}) {
    for (const bool swap_if_equal : {false, true}) {
      Builder k(fmt::format("atom{}.{}.b128", space, swap_if_equal ? "cas" : "exch"), kThreads);
      const Held initial = k.fetch(Type::kB128, Type::kB128), compare = k.fetch(Type::kB128, Type::kB128),
                 value = k.fetch(Type::kB128, Type::kB128);
      const std::string out = k.own_output(2 * kCell);
      const bool shared = std::string_view(space) == ".shared";
      k.line(fmt::format("mov.u64 %d6, {};", out));
      if (shared)
        k.line(fmt::format(".shared .align 16 .b8 {0}[{1}];\nmov.u64 %d6, {0};\nmad.wide.u32 %d6, %r0, 16, %d6;", k.unique("sh"),
                           kThreads * kCell));
      k.line(fmt::format("mov.b128 {{%d8, %d9}}, {};\nst.{}.v2.b64 [%d6], {{%d8, %d9}};", initial.reg, shared ? "shared" : "global"));
      k.line("mov.u64 %d7, %d6;");
      if (*space == '\0') k.line("cvta.global.u64 %d7, %d6;");
      k.line("mov.b64 %d8, 0xA5A5A5A5A5A5A5A5;\nmov.b128 %q9, {%d8, %d8};");
      k.three_ways(fmt::format("atom{}.{}.b128 %q9, [%d7], {}{};", space, swap_if_equal ? "cas" : "exch",
                               swap_if_equal ? compare.reg + ", " : "", value.reg));
      k.line(fmt::format("mov.b128 {{%d8, %d9}}, %q9;\nst.global.v2.b64 [{}+16], {{%d8, %d9}};", out));
      if (shared) k.line(fmt::format("ld.shared.v2.b64 {{%d8, %d9}}, [%d6];\nst.global.v2.b64 [{}], {{%d8, %d9}};", out));
      kernels.push_back(k.finish());
    }
  }
  // Vectors of floats.
  struct Row {
    const char* suffix;
    Type type;
    int count;
    bool ordered;  ///< has min and max
  };
  constexpr Row kRows[] = {{"f32", Type::kF32, 2, false},    {"f32", Type::kF32, 4, false},      {"f16", Type::kF16, 2, true},
                           {"f16", Type::kF16, 4, true},     {"f16", Type::kF16, 8, true},       {"bf16", Type::kBF16, 2, true},
                           {"bf16", Type::kBF16, 4, true},   {"bf16", Type::kBF16, 8, true},     {"f16x2", Type::kF16x2, 2, true},
                           {"f16x2", Type::kF16x2, 4, true}, {"bf16x2", Type::kBF16x2, 2, true}, {"bf16x2", Type::kBF16x2, 4, true}};
  for (const char* name : {"atom", "red"}) {
    for (const Row& row : kRows) {
      for (const char* what : {"add", "min", "max"}) {
        if (*what == 'm' && !row.ordered) continue;
        const std::string spelling = fmt::format("{}.global.{}{}.v{}.{}", name, what, row.ordered ? ".noftz" : "", row.count, row.suffix);
        const bool returns = *name == 'a';
        Builder k(spelling, kThreads);
        std::vector<std::string> values, olds;
        const std::string out = k.own_output(2 * kCell);
        const int bytes = ptx::bits_of(row.type) / 8;
        for (int i = 0; i < row.count; ++i) {
          const Held initial = k.fetch(row.type, Type::kNone);
          k.line(fmt::format("st.global.b{} [{}+{}], {};", 8 * bytes, out, i * bytes, initial.reg));
        }
        for (int i = 0; i < row.count; ++i) {
          // Operands of the other elements, in another order: the record has no room for more.
          const Held value = held(8 * bytes, 40 + i);
          k.line(fmt::format("ld.global.b{} {}, [%d3+{}];", 8 * bytes, value.reg, 16 * ((i + 1) % row.count)));
          values.push_back(value.reg);
          const Held old = held(8 * bytes, 50 + i);
          k.line(fmt::format("mov.b{} {}, 0;", 8 * bytes, old.reg));
          olds.push_back(old.reg);
        }
        k.three_ways(fmt::format("{} {}[{}], {};", spelling, returns ? braced(olds) + ", " : "", out, braced(values)));
        for (int i = 0; returns && i < row.count; ++i)
          k.line(fmt::format("st.global.b{} [{}+{}], {};", 8 * bytes, out, kCell + i * bytes, olds[static_cast<std::size_t>(i)]));
        kernels.push_back(k.finish());
      }
    }
  }
  return kernels;
}

}  // namespace warpbook::golden
