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

}  // namespace warpbook::vgpu
