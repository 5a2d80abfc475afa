#pragma once
// A finding as JSON, with words where a result of the judge has numbers: read by `judge exec` from the program that it runs, and by
// whoever asks for its `--json`. Keys are part of that file's contract (judge/cudart/README.md).
#include <nlohmann/json.hpp>

#include "judge/device/device.hpp"

namespace warpbook::device {

/// {"kind", "severity", "message", "category": {"tool", "text"}, "kernel", "frames", "thread", "block", "address", "bytes", "space",
///  "instruction", "lanes", "code", "waiters", "related"}
nlohmann::json fault_to_json(const Fault& fault);

/// The way back; what is missing or unknown keeps its default value.
Fault fault_from_json(const nlohmann::json& json);

nlohmann::json counters_to_json(const Counters& counters);
Counters counters_from_json(const nlohmann::json& json);

}  // namespace warpbook::device
