#pragma once
// Devices by name: what the virtual GPU says of itself when a program asks. A profile decides which PTX a program may run on it, how much
// shared memory a block may have, and how many blocks are resident; it does not change how an instruction counts.
#include <string_view>
#include <vector>

#include "judge/base/error.hpp"
#include "judge/device/device.hpp"

namespace warpbook::vgpu {

struct Profile {
  std::string_view name;  ///< "sm_90"
  std::string_view like;  ///< the card whose figures these are
  device::Properties properties;
};

/// All of them, the oldest first.
const std::vector<Profile>& profiles();

/// The properties of `sm_80` and its kin; the error lists the names that there are.
Result<device::Properties> find_profile(std::string_view name);

/// The roofs of a device, as an instruction roofline has them (Ding and Williams, "An Instruction Roofline Model for GPUs", PMBS 2019).
struct Peaks {
  double warp_instructions = 0;  ///< a second
  double sectors = 0;            ///< of 32 bytes that device memory moves, a second
};

/// From what the profile says of clocks and widths: each of a multiprocessor's four schedulers issues one warp instruction a cycle (CUDA
/// C++ Programming Guide, "Compute Capabilities": four warp schedulers from 7.0 on), and memory moves its bus width twice a cycle of its
/// clock (the formula of NVIDIA's deviceQuery). No kernel runs at either; they are what nothing can pass.
Peaks peaks_of(const device::Properties& properties);

}  // namespace warpbook::vgpu
