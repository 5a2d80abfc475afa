#pragma once
// The instructions that PTX does not fix to the bit, and how far apart two right answers may lie.
#include <cstdint>
#include <span>

#include "judge/tests/ptx/golden/suite.hpp"

namespace warpbook::golden {

/// Whether this kernel's instruction is an approximate one.
bool is_approximate(const Kernel& kernel);
/// Whether every element of `got` is as near to `expected` as PTX allows; false when the instruction is exact.
bool within_bounds(const Kernel& kernel, std::span<const std::uint8_t> expected, std::span<const std::uint8_t> got);

}  // namespace warpbook::golden
