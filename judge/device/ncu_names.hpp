#pragma once
// Our counters under the names that Nsight Compute has for the same things: what is held against its tables (judge/tests/calibration).
#include <string>
#include <utility>
#include <vector>

#include "judge/device/device.hpp"

namespace warpbook::device {

/// Every counter that must be equal, by metric name.
std::vector<std::pair<std::string, std::uint64_t>> as_ncu_metrics(const Counters& counters);

/// "void <unnamed>::f<1>(const float *)" and "void (anonymous namespace)::f<true>(float const*)" -> "f<1>".
std::string plain_kernel_name(std::string name);

}  // namespace warpbook::device
