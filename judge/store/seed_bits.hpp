#pragma once
// Seeds in a table. Databases hold signed integers; seeds keep their bits.
#include <bit>
#include <cstdint>

namespace warpbook::store {

inline std::int64_t stored_seed(std::uint64_t seed) { return std::bit_cast<std::int64_t>(seed); }
inline std::uint64_t loaded_seed(std::int64_t seed) { return std::bit_cast<std::uint64_t>(seed); }

}  // namespace warpbook::store
