#pragma once
// How `judge exec` tells the runtime library inside of somebody else's program what device it shall be: one environment variable of
// `key=value` pairs, since that is all that passes through any main() untouched. `judge exec` writes it, library/choose_device.cpp reads
// it.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "judge/base/error.hpp"

namespace warpbook::cudart {

inline constexpr const char* kOptionsVariable = "WARPBOOK_DEVICE_OPTIONS";

/// Checks that `--off` may name. Bounds, alignment and lifetime cannot be switched off: without them the program would crash.
inline constexpr std::string_view kChecks[] = {"race", "init"};

struct DeviceOptions {
  std::string profile = "sm_80";
  std::string order = "ascending";           ///< of blocks and warps: ascending, descending, or seeded with `seed`
  std::uint64_t seed = 0;                    ///< of "seeded"
  int max_findings = 1;                      ///< a launch ends at this many errors
  std::optional<std::uint64_t> budget = {};  ///< thread instructions a launch may run; nothing: the device's own limit
  std::vector<std::string> off;              ///< of kChecks
  int report = -1;                           ///< descriptor to which findings go; -1: they go to stderr
};

/// "profile=sm_80;order=seeded;seed=7;max-findings=1;off=race,init;report=5"
std::string device_options_text(const DeviceOptions& options);

/// The way back; the error names the word that is not understood.
Result<DeviceOptions> parse_device_options(std::string_view text);

}  // namespace warpbook::cudart
