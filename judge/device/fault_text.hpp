#pragma once
// A fault as lines of plain text, for whoever has no report of their own.
#include <string>
#include <string_view>

#include "judge/device/device.hpp"

namespace warpbook::device {

/// One word or two for each kind: "out of bounds", "race".
std::string_view name_of(FaultKind kind);

/// "(3, 0, 0)": a thread, a block or a size.
std::string text_of(const Dim3& at);

/// Several lines without a final newline: what, where in the source (innermost first), which thread, who waits.
std::string fault_text(const Fault& fault);

}  // namespace warpbook::device
