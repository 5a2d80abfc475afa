#pragma once
// Operand values: the edges of each type first, then numbers that make roundings interesting. Reproducible: a value depends on type,
// operand and lane only.
#include <cstdint>
#include <vector>

#include "judge/ptx/module.hpp"

namespace warpbook::golden {

/// INT_MIN, -0, denormals, NaN, infinities ... of a type, as bits.
const std::vector<std::uint64_t>& edges(ptx::Type type);
/// Amounts around every width: 0, 31, 32, 33, 255, 2^31 ...
const std::vector<std::uint64_t>& amounts();

/// Operand `slot` of lane `lane` as bits of `type`; equal to operand 0 now and then when `type` is `first`. `amount`: a shift amount.
std::uint64_t operand(ptx::Type type, int slot, int lane, ptx::Type first, bool amount);

/// Well mixed bits of a number.
std::uint64_t mixed(std::uint64_t x);

}  // namespace warpbook::golden
