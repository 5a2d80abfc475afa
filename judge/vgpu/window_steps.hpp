#pragma once
// cvta and isspacep: between addresses of one space and generic addresses. They are arithmetic on registers, but only this room knows
// where the windows lie. And what is as good as nothing here: mapa and getctarank, because every cluster is of one block, and
// createpolicy, because there is no cache. And mov.b128, whose rows are wider than all others.
#include "judge/ptx/module.hpp"
#include "judge/vgpu/step.hpp"

namespace warpbook::vgpu {

bool is_window_instruction(const ptx::Instruction& instruction);

/// The slot of step.src for textual source `source`; -1: it is not read.
int window_slot(const ptx::Instruction& instruction, int source);

/// The operation of such an instruction; null when it is not supported. `in_entry`: param addresses are global ones in an entry, local ones
/// in other functions.
LaneOperation window_operation(const ptx::Instruction& instruction, bool in_entry, Step& step);

}  // namespace warpbook::vgpu
