#pragma once
// A launch: what the hardware would refuse is refused here, with CUDA's code; the rest becomes a grid.
#include "judge/vgpu/context.hpp"

namespace warpbook::vgpu {

/// Whether a device with these properties takes the launch; the answer says what is asked for and what there is.
device::Answer check_launch(const device::Launch& launch, const Program& program, const device::Properties& properties);

/// Number of blocks of the launch that the device holds at once.
std::uint64_t resident_blocks(const device::Launch& launch, const Program& program, const device::Properties& properties);

/// Threads per block that the entry allows: the device's limit, or less when it was compiled with launch bounds.
int thread_limit(const ptx::Function& entry, const device::Properties& properties);

/// Runs the whole grid; findings, counters and output end up in the context.
void run_launch(LaunchContext& context);

}  // namespace warpbook::vgpu
