#pragma once
// The name that NVIDIA's compute-sanitizer has for a finding, for tools that already read its output and for people who search for it.
// Our own sentence says more; this one says the same thing in the other program's words (as its documentation shows them).
#include <string>
#include <string_view>

#include "judge/device/device.hpp"

namespace warpbook::device {

struct SanitizerCategory {
  std::string_view tool;  ///< "memcheck", "racecheck", "initcheck", "synccheck"; empty: none of them reports this
  std::string text;       ///< "Invalid __global__ write of size 4 bytes"; empty where `tool` is
};

/// Total: every kind of fault has an answer, which may be that compute-sanitizer is silent (races in global memory, deadlocks, budgets).
SanitizerCategory sanitizer_category(const Fault& fault);

}  // namespace warpbook::device
