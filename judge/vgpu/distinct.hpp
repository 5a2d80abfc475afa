#pragma once
// How many different things 32 lanes point at: addresses, sectors, lines, words. Asked at every scattered access, so no sorting and no
// hashing: keys that only rise or only fall are counted by comparing neighbours; others compare every lane with those before it, in rows
// that the compiler turns into vector instructions.
#include <cstdint>

#include "judge/vgpu/registers.hpp"

namespace warpbook::vgpu {

/// A key per lane; those of lanes that are off are of no meaning.
struct LaneKeys {
  alignas(64) std::int32_t key[kWarpSize];
};

/// Keys (address >> shift), counted from the first active lane's. Exact while the lanes lie within 2^31 keys of each other, as the
/// allocations of a device do; the ends of a larger memory could be taken for one place.
LaneKeys keys_of(const std::uint64_t* address, LaneMask active, int shift);

/// Number of different keys among the lanes in `active` (not zero).
std::uint32_t count_distinct(const LaneKeys& keys, LaneMask active);

/// The lanes of `active` whose key no lower lane of `active` has.
LaneMask first_lanes(const LaneKeys& keys, LaneMask active);

}  // namespace warpbook::vgpu
