#pragma once
// Which device a program gets. The library's own answer is in library/choose_device.cpp (a socket when the judge gives one, else a
// virtual GPU in this process); tests give another.
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "judge/device/device.hpp"

namespace warpbook::cudart {

struct ChosenDevice {
  std::unique_ptr<device::Device> device;
  /// True when a judge at the other end of a socket reports faults and refused calls; else this library does, on stderr.
  bool judged = false;
  /// What kernels did wrong so far. Empty function: not known here.
  std::function<std::vector<device::Fault>()> faults{};
};

/// Called once, at the first use of a device.
ChosenDevice choose_device();

/// Version of the runtime that programs were built for: 13000 in libcudart.so.13. Given by library/versioned.cpp.
int runtime_version();

}  // namespace warpbook::cudart
