#include "judge/ptx/runs.hpp"

namespace warpbook::ptx {
namespace {

// Measured, one by one, in judge/tests/ptx/shapes ("between: ..."): a run goes on across u32 division, across approximations,
// across barriers, shuffles, votes and atomics.
bool divides_with_branches(const Instruction& instruction) {
  Type type = instruction.types.empty() ? Type::kNone : instruction.types[0];
  bool ieee = !instruction.mod.approx && !instruction.mod.full;
  switch (instruction.op) {
    case Opcode::kRcp:
    case Opcode::kSqrt: return ieee;
    case Opcode::kRsqrt: return type == Type::kF64;
    case Opcode::kDiv: return is_float(type) ? ieee : type != Type::kU32;
    case Opcode::kRem:
      // 100 % x is expanded without branches, x % 10 and x % y with them.
      return type != Type::kU32 && !(type == Type::kS32 && instruction.src[0].kind == OperandKind::kImmediate);
    default: return false;
  }
}

// Guarded instructions that cannot be executed and discarded become a branch around them.
bool must_be_skipped(Opcode op) {
  std::string_view family = family_of(op);
  return family == "memory" || family == "warp" || family == "barrier" || family == "control" || family == "local";
}

}  // namespace

bool ends_run(const Instruction& instruction) {
  switch (instruction.op) {
    case Opcode::kMembar:
    case Opcode::kFence:
    case Opcode::kCall:
    case Opcode::kBrx:
    case Opcode::kUnknown: return true;
    default: break;
  }
  return divides_with_branches(instruction) || (instruction.guard >= 0 && must_be_skipped(instruction.op));
}

std::vector<Run> straight_runs(const Function& function, const Flow& flow) {
  std::vector<Run> runs;
  auto only_way_in = [&](std::int32_t b) {
    const Block& block = flow.blocks[static_cast<std::size_t>(b)];
    if (b == 0 || block.previous.size() != 1) return false;
    return flow.blocks[static_cast<std::size_t>(block.previous[0])].next.size() == 1;
  };
  for (std::size_t head = 0; head < flow.blocks.size(); ++head) {
    if (!flow.blocks[head].reachable || only_way_in(static_cast<std::int32_t>(head))) continue;
    runs.emplace_back();
    bool cut = false;
    auto b = static_cast<std::int32_t>(head);
    while (true) {
      const Block& block = flow.blocks[static_cast<std::size_t>(b)];
      for (std::int32_t i = block.first; i < block.end; ++i) {
        if (cut) runs.emplace_back();
        runs.back().push_back(i);
        cut = ends_run(function.body[static_cast<std::size_t>(i)]);
      }
      if (block.next.size() != 1 || !only_way_in(block.next[0])) break;
      b = block.next[0];
    }
  }
  return runs;
}

}  // namespace warpbook::ptx
