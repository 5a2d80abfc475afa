// Kernels of the instructions that map registers to registers.
#include <fmt/format.h>

#include "judge/tests/ptx/golden/kernels.hpp"

namespace warpbook::golden {
namespace {

using ptx::Opcode;
using ptx::OperandSlot;
using ptx::Type;

constexpr int kThreads = 160;  // five warps

/// Operands that count bits or name a position.
bool is_amount(Opcode op, std::size_t source) {
  switch (op) {
    case Opcode::kShl:
    case Opcode::kShr: return source == 1;
    case Opcode::kShf: return source == 2;
    case Opcode::kBfe: return source > 0;
    case Opcode::kBfi: return source > 1;
    case Opcode::kSzext: return source == 1;
    case Opcode::kBmsk: return true;
    default: return false;
  }
}

/// fns: its offset counts bits from the base, so values near zero matter.
Held fetch_source(Builder& k, Opcode op, std::size_t i, Type type, Type first) {
  if (op != Opcode::kFns || i == 0) return k.fetch(type, first, is_amount(op, i));
  std::vector<std::uint64_t> values;
  for (int lane = 0; lane < kThreads; ++lane) {
    const std::uint64_t random = mixed(static_cast<std::uint64_t>(lane) * 3 + i);
    values.push_back(i == 1 ? random % 32 : static_cast<std::uint32_t>(static_cast<int>(random % 25) - 12));
  }
  return k.fetch(32, values);
}

bool subtracts(Opcode op) { return op == Opcode::kSub || op == Opcode::kSubc; }
bool takes_carry(Opcode op) { return op == Opcode::kAddc || op == Opcode::kSubc || op == Opcode::kMadc; }

}  // namespace

Kernel arithmetic_kernel(const Variant& variant) {
  const Opcode op = variant.entry->op;
  const ptx::Shape& shape = variant.matched.form->shape;
  const ptx::Modifiers& mod = variant.matched.mod;
  const std::vector<Type>& types = variant.matched.types;
  Builder k(variant.spelling, kThreads);

  std::vector<std::string> sources, negated;
  Type first = Type::kNone;
  for (std::size_t i = 0; i < shape.src.size(); ++i) {
    const OperandSlot& slot = shape.src[i];
    if (slot.with_bool_op ? mod.bool_op == ptx::BoolOp::kNone : slot.optional) continue;
    if (op == Opcode::kLop3 && i == 3) {
      sources.push_back("TABLE");
      negated.push_back("TABLE");
      continue;
    }
    const Type type = ptx::slot_type(slot, mod, types);
    if (i == 0) first = type;
    const Held source = fetch_source(k, op, i, type, first);
    sources.push_back(source.reg);
    negated.push_back((slot.role == ptx::OperandRole::kNegatable ? "!" : "") + source.reg);
  }

  // The instruction with `sources`, all of its destinations or only those that must be.
  const auto text = [&](const std::vector<std::string>& destinations, const std::vector<std::string>& from) {
    return fmt::format("{} {}{}{};", variant.spelling, fmt::join(destinations, "|"), from.empty() ? "" : ", ", fmt::join(from, ", "));
  };
  const auto destinations = [&] {
    std::vector<std::string> names;
    for (const OperandSlot& slot : shape.dst) names.push_back(k.result(ptx::slot_type(slot, mod, types)).reg);
    return names;
  };

  if (op == Opcode::kLop3) {  // four tables, each with its own results
    std::string plain, other;
    for (const char* table : {"0x96", "0xE8", "0xCA", "0x1B"}) {
      const std::vector<std::string> to = destinations();
      const auto with_table = [&](std::vector<std::string> from) {
        for (std::string& source : from) source = source == "TABLE" ? table : source;
        return text(to, from) + "\n";
      };
      plain += with_table(sources);
      other += with_table(negated);
    }
    k.three_ways(plain, other);
    return k.finish();
  }

  const std::vector<std::string> to = destinations();
  std::vector<std::string> fewer;
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (!shape.dst[i].optional) fewer.push_back(to[i]);
  }
  std::string before, after;
  const int bits = types.empty() ? 32 : ptx::bits_of(types.front());
  if (takes_carry(op)) {
    const Held carry = k.fetch(bits, {0, 1, 1, 0, 1, 0, 0});
    const Held sum = held(bits, 60);
    before = subtracts(op) ? fmt::format("sub.cc.u{} {}, 0, {};\n", bits, sum.reg, carry.reg)
                           : fmt::format("add.cc.u{} {}, {}, -1;\n", bits, sum.reg, carry.reg);
  }
  if (mod.cc) after = fmt::format("\n{}c.u{} {}, 0, 0;", subtracts(op) ? "sub" : "add", bits, k.result_of(bits).reg);
  k.three_ways(before + text(to, sources) + after, before + text(fewer, negated) + after);
  return k.finish();
}

}  // namespace warpbook::golden
