#pragma once
// Source positions and wording for findings.
#include <string>
#include <vector>

#include "judge/vgpu/context.hpp"
#include "judge/vgpu/frame.hpp"

namespace warpbook::vgpu {

/// The source frames of one PTX location, innermost first; empty when the PTX carries no line information.
std::vector<device::Frame> source_frames(const ptx::Module& module, std::int32_t location);

/// The source frames of a step, then those of the calls that led to it.
std::vector<device::Frame> source_frames(const ptx::Module& module, const Frame& frame, std::int32_t step);

/// The PTX opcode of a step: "st.global.f32".
std::string instruction_text(const Frame& frame, std::int32_t step);

}  // namespace warpbook::vgpu
