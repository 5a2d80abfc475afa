#pragma once
// Definite assignment: which registers a function may read before it has written them.
#include <cstdint>
#include <vector>

#include "judge/ptx/flow.hpp"
#include "judge/ptx/module.hpp"

namespace warpbook::ptx {

/// Indices into function.registers of those that some path from the entry reads before any instruction has written them for certain (a
/// guarded instruction may not have). Paths that cannot happen count too: the answer is where to look, not a finding. Cost: instructions
/// plus blocks x registers / 64, a few rounds.
std::vector<std::int32_t> maybe_unassigned(const Function& function, const Flow& flow);

}  // namespace warpbook::ptx
