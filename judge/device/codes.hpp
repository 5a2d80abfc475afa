#pragma once
// What CUDA's error numbers are called and mean; the table is codes.def.
#include <string_view>
#include <vector>

#include "judge/device/device.hpp"

namespace warpbook::device {

/// "cudaErrorIllegalAddress"; "unrecognised error code" for a number CUDA does not have. Ends with a NUL.
std::string_view name_of(Code code);

/// One sentence of ours, never empty; "unrecognised error code" for a number CUDA does not have. Ends with a NUL.
std::string_view meaning_of(Code code);

/// True for errors after which a device answers nothing else until it is reset: those a running kernel causes.
bool is_sticky(Code code);

/// Every number of the table, ascending.
const std::vector<Code>& all_codes();

}  // namespace warpbook::device
