#include "judge/vgpu/distinct.hpp"

#include <bit>

namespace warpbook::vgpu {

namespace {

/// Gives lanes that are off the key of the nearest active lane below, or of the first: they add nothing new and break no order.
LaneKeys filled(const LaneKeys& keys, LaneMask active) {
  LaneKeys out;
  std::int32_t last = keys.key[std::countr_zero(active)];
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if ((active >> lane & 1u) != 0) last = keys.key[lane];
    out.key[lane] = last;
  }
  return out;
}

/// Not zero in lanes whose key a lower lane has. All 32 keys count.
void find_repeated(const LaneKeys& keys, std::int32_t* repeated) {
  // Below the lanes lies a copy of the first key: lane 0 compares with itself only there, and is put right at the end.
  alignas(64) std::int32_t row[2 * kWarpSize];
  for (int lane = 0; lane < kWarpSize; ++lane) {
    row[lane] = ~keys.key[lane];  // differs from the key that meets it at distance 32, which is never asked for
    row[kWarpSize + lane] = keys.key[lane];
    repeated[lane] = 0;
  }
  for (int distance = 1; distance < kWarpSize; ++distance) {
    const std::int32_t* earlier = row + kWarpSize - distance;
    for (int lane = 0; lane < kWarpSize; ++lane) repeated[lane] |= (earlier[lane] == keys.key[lane] ? -1 : 0) & (lane >= distance ? -1 : 0);
  }
}

}  // namespace

LaneKeys keys_of(const std::uint64_t* address, LaneMask active, int shift) {
  LaneKeys keys;
  const std::uint64_t base = address[std::countr_zero(active)] >> shift;
  for (int lane = 0; lane < kWarpSize; ++lane) keys.key[lane] = static_cast<std::int32_t>((address[lane] >> shift) - base);
  return keys;
}

std::uint32_t count_distinct(const LaneKeys& keys, LaneMask active) {
  const LaneKeys all = active == kAllLanes ? keys : filled(keys, active);
  std::int32_t rises = 0, falls = 0;
  for (int lane = 1; lane < kWarpSize; ++lane) {
    rises += all.key[lane] > all.key[lane - 1] ? 1 : 0;
    falls += all.key[lane] < all.key[lane - 1] ? 1 : 0;
  }
  if (rises == 0 || falls == 0) return static_cast<std::uint32_t>(1 + rises + falls);
  alignas(64) std::int32_t repeated[kWarpSize];
  find_repeated(all, repeated);
  std::int32_t found = 0;
  for (int lane = 0; lane < kWarpSize; ++lane) found += repeated[lane];
  return static_cast<std::uint32_t>(kWarpSize + found);
}

LaneMask first_lanes(const LaneKeys& keys, LaneMask active) {
  const LaneKeys all = active == kAllLanes ? keys : filled(keys, active);
  alignas(64) std::int32_t repeated[kWarpSize];
  find_repeated(all, repeated);
  LaneMask first = 0;
  for (int lane = 0; lane < kWarpSize; ++lane) first |= repeated[lane] == 0 ? LaneMask{1} << lane : 0;
  // Lanes off below the first active one carry its key and hide it.
  return (first & active) | (LaneMask{1} << std::countr_zero(active));
}

}  // namespace warpbook::vgpu
