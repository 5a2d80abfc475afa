#pragma once
// Meters of kernels as JSON, both ways.
#include <nlohmann/json.hpp>

#include "judge/device/kernel_meters.hpp"

namespace warpbook::device {

/// {"kernel", "entry", "grid", "block", "static_shared", "dynamic_shared", "launches", "counters", "occupancy"?, "dram"?, "lines"?}
nlohmann::json meters_to_json(const KernelMeters& meters);
/// Throws nlohmann's exceptions where a key is missing.
KernelMeters meters_from_json(const nlohmann::json& json);

}  // namespace warpbook::device
