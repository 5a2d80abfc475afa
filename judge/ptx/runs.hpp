#pragma once
// Straight-line runs: sequences of instructions that the assembler treats as one block when it contracts products (contract.hpp).
#include <cstdint>
#include <vector>

#include "judge/ptx/flow.hpp"

namespace warpbook::ptx {

/// Instruction indices in the order in which they execute. Every reachable instruction is in exactly one run.
using Run = std::vector<std::int32_t>;

/// Basic blocks, joined where one can only be followed by the other, and cut where the assembler inserts branches of its own.
std::vector<Run> straight_runs(const Function& function, const Flow& flow);

/// True for an instruction that the assembler replaces by code with branches, so that a run ends with it.
bool ends_run(const Instruction& instruction);

}  // namespace warpbook::ptx
