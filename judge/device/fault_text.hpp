#pragma once
// A fault as lines of plain text, for whoever has no report of their own.
#include <string>

#include "judge/device/device.hpp"

namespace warpbook::device {

/// One word or two for each kind: "out of bounds", "race".
std::string_view name_of(FaultKind kind);

/// Several lines without a final newline: what, where in the source (innermost first), which thread, who waits.
std::string fault_text(const Fault& fault);

}  // namespace warpbook::device
