#pragma once
// Which device a program runs on. Defined outside of this room's library: library/choose_device.cpp in the shared libraries, a fake
// device in the tests.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "judge/device/device.hpp"
#include "judge/vgpu/stream_task.hpp"

namespace warpbook::cudart {

struct ChosenDevice {
  std::unique_ptr<device::Device> device;
  /// True when a judge at the other end of a socket reports faults and refused calls; else this library does.
  bool judged = false;
  /// What kernels did wrong so far. Empty function: not known here.
  std::function<std::vector<device::Fault>()> faults{};
  /// What kernels cost so far. Empty function: not known here.
  std::function<device::Counters()> counters{};
  /// Sets the bytes that malloc on the device can give out (cudaLimitMallocHeapSize). Empty function: the device keeps its own limit.
  std::function<void(std::uint64_t)> set_heap_bytes{};
  /// Told which piece of work of which stream what follows is. Empty function: nobody looks for races between streams.
  std::function<void(vgpu::StreamTask)> begin_task{};
  /// Where the report goes (see report.hpp); -1: to stderr.
  int report = -1;
};

/// Called once, at the first use of a device.
ChosenDevice choose_device();

/// Version of the runtime that programs were built for: 13000 in libcudart.so.13. Given by library/versioned.cpp.
int runtime_version();

}  // namespace warpbook::cudart
