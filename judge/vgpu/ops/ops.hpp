#pragma once
// From an instruction to the function that executes it on a row of lanes. One file per family; each answers null for what it does not
// know, and lane_operation() asks them in turn. A semantics file holds semantics only: operands are rows, guards and write masks are
// applied by lanes.hpp.
#include "judge/ptx/module.hpp"
#include "judge/vgpu/step.hpp"

namespace warpbook::vgpu::ops {

/// The operation for `instruction`, or null when this version lacks it. `function` gives the declared types of its registers (the register
/// can be wider than the operand: cvt, ld). May set step.flags, step.immediate; never the operand offsets.
LaneOperation lane_operation(const ptx::Instruction& instruction, const ptx::Function& function, Step& step);

/// The type in which decode must lay down an immediate or special register that stands as source `index` (its row width follows from it).
ptx::Type source_type(const ptx::Instruction& instruction, int index);

}  // namespace warpbook::vgpu::ops
