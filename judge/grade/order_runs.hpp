#pragma once
// A case in several orders of blocks and warps. Hardware promises none, so an answer that needs one is wrong, whatever the first run said.
#include <functional>

#include "judge/grade/result.hpp"
#include "judge/vgpu/vgpu.hpp"

namespace warpbook::grade {

/// Runs the case in order. When it was accepted and its kernels use atomics, flags, volatile accesses or fences, or drew a warning (or
/// `every_order` is asked for), runs it
/// descending and in a seeded order too: the first that is not accepted is the result, with both outputs in its message; outputs that
/// differ within their bounds are noted. A kernel without any of these and without a race cannot depend on the order, and runs once.
CaseResult run_in_orders(const std::function<CaseResult(const vgpu::Schedule&)>& run, bool every_order = false);

}  // namespace warpbook::grade
