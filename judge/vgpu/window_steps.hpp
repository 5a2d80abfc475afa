#pragma once
// cvta and isspacep: between addresses of one space and generic addresses. They are arithmetic on registers, but only this room knows
// where the windows lie.
#include "judge/ptx/module.hpp"
#include "judge/vgpu/step.hpp"

namespace warpbook::vgpu {

/// The operation of a cvta or isspacep; null when it is not supported. `in_entry`: param addresses are global ones in an entry, local ones
/// in other functions.
LaneOperation window_operation(const ptx::Instruction& instruction, bool in_entry, Step& step);

}  // namespace warpbook::vgpu
