#pragma once
// From an instruction to the function that executes it on a row of lanes. One file per family; each answers null for what it does not
// know, and lane_operation() asks them in turn. A semantics file holds semantics only: operands are rows, guards and write masks are
// applied by lanes.hpp.
//
// How decode lays out operands for these operations:
// - dst[i] and src[i] are the operands in textual order; the elements of a vector (mov) stand in consecutive slots; `_` is kNoRegister.
// - A source that is a predicate is a predicate offset, its `!` a bit of source_negated.
// - lop3: its table goes into step.immediate here and has no slot (source_slot).
// - add.cc and its kin: the condition code is a hidden predicate of the frame, 0 at first: src[3] when reads_carry, dst[1] when
// writes_carry.
// - Operand::negated on a float source of fma or mad (made by fusing) is handled here, through step.flags.
#include "judge/ptx/module.hpp"
#include "judge/vgpu/step.hpp"

namespace warpbook::vgpu::ops {

/// The operation for `instruction`, or null when this version lacks it. `function` gives the declared types of its registers (the register
/// can be wider than the operand: cvt, ld). May set step.flags, step.immediate; never the operand offsets.
LaneOperation lane_operation(const ptx::Instruction& instruction, const ptx::Function& function, Step& step);

/// The type in which decode must lay down an immediate or special register that stands as source `index` (its row width follows from it).
/// Of a vector that mov packs: the type of the whole.
ptx::Type source_type(const ptx::Instruction& instruction, int index);

/// The slot of step.src for textual source `index`; -1: none.
int source_slot(const ptx::Instruction& instruction, int index);

/// Whether the instruction adds the condition code in (addc, subc, madc), and whether it sets it (.cc).
bool reads_carry(const ptx::Instruction& instruction);
bool writes_carry(const ptx::Instruction& instruction);

}  // namespace warpbook::vgpu::ops
