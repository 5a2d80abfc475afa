// Kernels of loads and stores: each state space, each width, each vector.
#include <fmt/format.h>

#include "judge/tests/ptx/golden/kernels.hpp"

namespace warpbook::golden {
namespace {

using ptx::Opcode;
using ptx::Space;
using ptx::Type;

constexpr int kThreads = 96, kBytes = 32;  // of memory per thread

bool has(const Variant& variant, std::string_view word) { return variant.spelling.find(word) != std::string::npos; }

/// 32 bytes of operands in four 64-bit registers.
std::vector<Held> fetch_bytes(Builder& k) {
  std::vector<Held> parts;
  for (int i = 0; i < kBytes / 8; ++i) parts.push_back(k.fetch(Type::kB64, Type::kNone));
  return parts;
}

void fill(Builder& k, std::string_view space, const std::string& address, const std::vector<Held>& parts) {
  for (std::size_t i = 0; i < parts.size(); ++i) k.line(fmt::format("st.{}.b64 [{}+{}], {};", space, address, 8 * i, parts[i].reg));
}

void fill_untouched(Builder& k, std::string_view space, const std::string& address) {
  k.line("mov.b64 %d7, 0xA5A5A5A5A5A5A5A5;");
  for (int i = 0; i < kBytes; i += 8) k.line(fmt::format("st.{}.b64 [{}+{}], %d7;", space, address, i));
}

void copy_out(Builder& k, std::string_view space, const std::string& from, const std::string& to) {
  for (int i = 0; i < kBytes; i += 8) k.line(fmt::format("ld.{0}.b64 %d7, [{1}+{2}];\nst.global.b64 [{3}+{2}], %d7;", space, from, i, to));
}

/// %d6 = address of this thread's bytes in a variable of a space.
void own_piece(Builder& k, const std::string& variable, bool per_thread) {
  k.line(fmt::format("mov.u64 %d6, {};", variable));
  if (per_thread) k.line(fmt::format("mad.wide.u32 %d6, %r0, {}, %d6;", kBytes));
}

/// A cache policy for spellings that take one.
std::string policy(Builder& k, const Variant& variant) {
  if (!has(variant, "cache_hint")) return "";
  k.line("createpolicy.fractional.L2::evict_last.b64 %d9, 1.0;");
  return ", %d9";
}

std::string space_name(Space space) {
  switch (space) {
    case Space::kShared: return "shared";
    case Space::kLocal: return "local";
    default: return "global";
  }
}

/// The memory that an instruction works on, filled with operands or untouched; returns the address as the instruction writes it.
std::string prepare(Builder& k, Space space, const std::vector<Held>* parts, const std::string& global) {
  switch (space) {
    case Space::kShared:
    case Space::kLocal: {
      const bool shared = space == Space::kShared;
      const std::string name = k.unique(shared ? "sh" : "lo"), kind = space_name(space);
      k.line(fmt::format(".{} .align 32 .b8 {}[{}];", kind, name, shared ? kThreads * kBytes : kBytes));
      own_piece(k, name, shared);
      if (parts != nullptr) fill(k, kind, "%d6", *parts);
      else fill_untouched(k, kind, "%d6");
      if (!shared) return "%d6";
      k.line("bar.sync 0;");
      if (parts != nullptr)
        k.line("xor.b32 %r1, %r0, 1;").line(fmt::format("mov.u64 %d6, {};\nmad.wide.u32 %d6, %r1, {}, %d6;", name, kBytes));
      return "%d6";
    }
    case Space::kConst: own_piece(k, std::string(kConstants), true); return "%d6";
    case Space::kParam: return "blob";
    case Space::kGeneric: k.line(fmt::format("cvta.global.u64 %d6, {};", global)); return "%d6";
    default: return global;
  }
}

/// A thread's operands as memory: the fetched parts lie 16 bytes apart, the address is that of the record.
Kernel load_kernel(const Variant& variant) {
  const ptx::Modifiers& mod = variant.matched.mod;
  Builder k(variant.spelling, kThreads);
  const std::vector<Held> parts = fetch_bytes(k);
  const std::string address = prepare(k, mod.space, &parts, "%d3");
  std::vector<std::string> to;
  for (int i = 0; i < mod.vector; ++i) to.push_back(k.result(variant.matched.types.front()).reg);
  const std::string hint = policy(k, variant);
  k.three_ways(fmt::format("{} {}, [{}]{};", variant.spelling, braced(to), address, hint));
  return k.finish();
}

Kernel store_kernel(const Variant& variant) {
  const ptx::Modifiers& mod = variant.matched.mod;
  Builder k(variant.spelling, kThreads);
  std::vector<std::string> from;
  for (int i = 0; i < mod.vector; ++i) from.push_back(k.fetch(variant.matched.types.front(), Type::kNone).reg);
  const std::string out = k.own_output(kBytes);
  const std::string address = prepare(k, mod.space, nullptr, out);
  const std::string hint = policy(k, variant);
  k.three_ways(fmt::format("{} [{}], {}{};", variant.spelling, address, braced(from), hint));
  if (mod.space == Space::kShared || mod.space == Space::kLocal) copy_out(k, space_name(mod.space), "%d6", out);
  return k.finish();
}

/// Parameters of functions: the caller's bytes go in, a load or a store of the callee stands under test, 32 bytes come out.
Kernel parameter_kernel(const Variant& variant) {
  const ptx::Modifiers& mod = variant.matched.mod;
  const bool loads = variant.entry->op == Opcode::kLd;
  const Type type = variant.matched.types.front();
  Builder k(variant.spelling, 32);
  const std::vector<Held> parts = fetch_bytes(k);
  const std::string name = k.unique("f");
  std::string body;
  std::vector<std::string> values;
  for (int i = 0; i < mod.vector; ++i) values.push_back(held(type, 10 + i).reg);
  const auto move = [&](const std::string& spelling, bool load) {
    const std::string value = braced(values);
    return load ? fmt::format("{} {}, [a];\n", spelling, value) : fmt::format("{} [r], {};\n", spelling, value);
  };
  const std::size_t at = variant.spelling.find(".v");
  const std::string suffix = at != std::string::npos && variant.spelling[at + 2] <= '9' ? variant.spelling.substr(at, 3) : "";
  // 8-bit registers do not exist: what a load of 8 bits extended is stored as it is.
  const int bits = ptx::bits_of(type);
  body += move(loads ? variant.spelling : fmt::format("ld.param{}.b{}", suffix, bits), true);
  body += loads ? move(fmt::format("st.param{}.b{}", suffix, bits == 8 ? 32 : bits), false) : move(variant.spelling, false);
  k.module(
      fmt::format(".func (.param .align 32 .b8 r[32]) {}(.param .align 32 .b8 a[32]) {{\n"
                  ".reg .b16 %h<32>;\n.reg .b32 %r<32>;\n.reg .b64 %d<32>;\n.reg .b128 %q<32>;\n"
                  "mov.b64 %d0, 0xA5A5A5A5A5A5A5A5;\nst.param.b64 [r], %d0;\nst.param.b64 [r+8], %d0;\nst.param.b64 [r+16], %d0;\n"
                  "st.param.b64 [r+24], %d0;\n{}ret;\n}}",
                  name, body));
  const std::string out = k.own_output(kBytes);
  k.line("{\n.param .align 32 .b8 p[32];\n.param .align 32 .b8 v[32];");
  for (std::size_t i = 0; i < parts.size(); ++i) k.line(fmt::format("st.param.b64 [p+{}], {};", 8 * i, parts[i].reg));
  k.line(fmt::format("call.uni (v), {}, (p);", name));
  for (int i = 0; i < kBytes; i += 8) k.line(fmt::format("ld.param.b64 %d7, [v+{0}];\nst.global.b64 [{1}+{0}], %d7;", i, out));
  k.line("}");
  Kernel kernel = k.finish();
  // Parameters live in registers, of which a narrow store may take all of one: the bytes behind it are nobody's.
  kernel.lane_counts = static_cast<std::size_t>(mod.vector * (loads && bits == 8 ? 32 : bits) / 8);
  return kernel;
}

}  // namespace

std::vector<Kernel> memory_kernels(const Variant& variant) {
  // A cache hint changes no value: hints are run with one type.
  const bool hinted = has(variant, "L1::") || has(variant, "L2::");
  if (hinted && variant.matched.types.front() != Type::kB32) return {};
  const bool loads = variant.entry->op != Opcode::kSt;
  const bool of_function = has(variant, "param::func") || (!loads && variant.matched.mod.space == Space::kParam);
  if (of_function) return {parameter_kernel(variant)};
  std::vector<Kernel> kernels = {loads ? load_kernel(variant) : store_kernel(variant)};
  // A generic address may be one of shared or local memory.
  if (variant.spelling == "ld.b32" || variant.spelling == "ld.v2.u64" || variant.spelling == "st.b32" || variant.spelling == "st.v4.b32") {
    for (const Space space : {Space::kShared, Space::kLocal}) {
      Builder k(fmt::format("{} #{}", variant.spelling, space_name(space)), kThreads);
      const std::vector<Held> parts = fetch_bytes(k);
      const std::string out = k.own_output(kBytes);
      prepare(k, space, loads ? &parts : nullptr, out);
      k.line(fmt::format("mov.u64 %d8, %d6;\ncvta.{}.u64 %d6, %d6;", space_name(space)));
      std::vector<std::string> values;
      const Type type = variant.matched.types.front();
      for (int i = 0; i < variant.matched.mod.vector; ++i) values.push_back(loads ? k.result(type).reg : k.fetch(type, Type::kNone).reg);
      k.three_ways(loads ? fmt::format("{} {}, [%d6];", variant.spelling, braced(values))
                         : fmt::format("{} [%d6], {};", variant.spelling, braced(values)));
      if (!loads) copy_out(k, space_name(space), "%d8", out);
      kernels.push_back(k.finish());
    }
  }
  return kernels;
}

}  // namespace warpbook::golden
