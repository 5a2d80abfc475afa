#include "judge/ptx/assigned.hpp"

#include <algorithm>

namespace warpbook::ptx {
namespace {

using Bits = std::vector<std::uint64_t>;

bool has(const Bits& bits, std::int32_t i) { return (bits[static_cast<std::size_t>(i) / 64] >> (i % 64) & 1u) != 0; }
void add(Bits& bits, std::int32_t i) { bits[static_cast<std::size_t>(i) / 64] |= std::uint64_t{1} << (i % 64); }

template <class Use>
void for_each_register(const std::vector<Operand>& operands, const Use& use) {
  for (const Operand& operand : operands) {
    if (operand.reg >= 0) use(operand.reg);
    for (const Operand& element : operand.elements) {
      if (element.reg >= 0) use(element.reg);
    }
  }
}

template <class Use>
void for_each_read(const Instruction& instruction, const Use& use) {
  if (instruction.guard >= 0) use(instruction.guard);
  for_each_register(instruction.src, use);
  for_each_register(instruction.call_arguments, use);
}

template <class Use>
void for_each_certain_write(const Instruction& instruction, const Use& use) {
  if (instruction.guard >= 0) return;
  for_each_register(instruction.dst, use);
  for_each_register(instruction.call_results, use);
}

}  // namespace

std::vector<std::int32_t> maybe_unassigned(const Function& function, const Flow& flow) {
  const std::size_t words = function.registers.size() / 64 + 1;
  const std::size_t blocks = flow.blocks.size();
  const auto body = [&](std::size_t block) {
    const auto first = function.body.begin();
    return std::pair(first + flow.blocks[block].first, first + flow.blocks[block].end);
  };
  std::vector<Bits> in(blocks, Bits(words, ~std::uint64_t{0})), written(blocks, Bits(words));
  for (std::size_t b = 0; b < blocks; ++b) {
    const auto [first, end] = body(b);
    for (auto i = first; i != end; ++i) for_each_certain_write(*i, [&](std::int32_t reg) { add(written[b], reg); });
  }
  if (blocks == 0) return {};
  in[0].assign(words, 0);
  for (const Parameter& parameter : function.parameters) {
    if (parameter.reg >= 0) add(in[0], parameter.reg);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = 0; b < blocks; ++b) {
      if (!flow.blocks[b].reachable) continue;
      for (const std::int32_t next : flow.blocks[b].next) {
        Bits& there = in[static_cast<std::size_t>(next)];
        for (std::size_t w = 0; w < words; ++w) {
          const std::uint64_t met = there[w] & (in[b][w] | written[b][w]);
          changed = changed || met != there[w];
          there[w] = met;
        }
      }
    }
  }
  std::vector<std::int32_t> out;
  Bits found(words);
  for (std::size_t b = 0; b < blocks; ++b) {
    if (!flow.blocks[b].reachable) continue;
    Bits assigned = in[b];
    const auto [first, end] = body(b);
    for (auto i = first; i != end; ++i) {
      for_each_read(*i, [&](std::int32_t reg) {
        if (has(assigned, reg) || has(found, reg)) return;
        add(found, reg);
        out.push_back(reg);
      });
      for_each_certain_write(*i, [&](std::int32_t reg) { add(assigned, reg); });
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace warpbook::ptx
