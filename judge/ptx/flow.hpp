#pragma once
// Control flow of a function: basic blocks, dominators, and for each branch the instruction where its paths meet again. A warp whose
// lanes part at a branch is whole again there, so this decides what counts as one request of a warp and who stands at a barrier
// together.
//
// The meeting point is the immediate post-dominator, with one liberty: a path that can only end in `exit` or `trap` is left out,
// as its lanes never arrive anywhere. With it, one early exit in an arm would push the meeting point of every branch around it
// to the end of the kernel; the hardware's convergence barriers drop exited lanes likewise. A loop without a way out is
// given one from its last block, so that every block has a post-dominator.
//
// Dominators: K. Cooper, T. Harvey, K. Kennedy, "A Simple, Fast Dominance Algorithm" (Rice University, 2001): iterating over a
// reverse postorder; the graphs of kernels need two or three rounds. Lengauer-Tarjan is asymptotically better and slower in practice.
#include <cstdint>
#include <vector>

#include "judge/ptx/module.hpp"

namespace warpbook::ptx {

struct Block {
  std::int32_t first = 0, end = 0;           ///< instructions [first, end)
  std::vector<std::int32_t> next, previous;  ///< blocks, each once
  std::int32_t dominator = -1;               ///< immediate dominator; -1: the entry, or unreachable
  std::int32_t post_dominator = -1;          ///< where all its paths meet next; -1: the function's exit
  bool reachable = false;
};

struct Flow {
  std::vector<Block> blocks;
  std::vector<std::int32_t> block_of;  ///< by instruction
  /// By instruction, meaningful for branches (bra, brx): the instruction where the paths meet again, -1: the function's exit.
  std::vector<std::int32_t> reconvergence;
  /// By instruction: a branch that may go back to a block it came through (an edge onto the depth-first path).
  std::vector<bool> back_edge;

  /// True when every way from the entry to block `b` passes block `a`.
  bool dominates(std::int32_t a, std::int32_t b) const;
};

/// Analyses the body of a defined function; near-linear in its length.
Flow analyze(const Function& function);

}  // namespace warpbook::ptx
