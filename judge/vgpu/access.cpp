#include "judge/vgpu/access.hpp"

#include <algorithm>

namespace warpbook::vgpu {

void compute_addresses(const Registers& registers, std::uint32_t row, bool narrow, std::int64_t offset, Address* address) {
  const auto distance = static_cast<std::uint64_t>(offset);
  if (row == kNoRegister) {
    std::fill(address, address + kWarpSize, distance);
    return;
  }
  if (narrow) {
    const std::uint32_t* base = registers.row<std::uint32_t>(row);
    // 32-bit addresses wrap: nvcc counts down from behind an array with negative offsets in registers.
    const auto short_distance = static_cast<std::uint32_t>(distance);
    for (int lane = 0; lane < kWarpSize; ++lane) address[lane] = base[lane] + short_distance;
    return;
  }
  const std::uint64_t* base = registers.row<std::uint64_t>(row);
  for (int lane = 0; lane < kWarpSize; ++lane) address[lane] = base[lane] + distance;
}

LaneMask lanes_in(const Region& region, const Access& access, LaneMask lanes) {
  if (access.pattern == Pattern::kContiguous) {
    if (region.holds(access.address[0], std::uint64_t{access.bytes} * kWarpSize)) return lanes;
  } else if (access.pattern == Pattern::kUniform) {
    return region.holds(access.address[access.first_lane()], access.bytes) ? lanes : 0;
  }
  if (region.bytes < access.bytes) return 0;
  const std::uint64_t last = region.bytes - access.bytes;
  LaneMask inside = 0;
  for (int lane = 0; lane < kWarpSize; ++lane) inside |= access.address[lane] - region.base <= last ? LaneMask{1} << lane : 0;
  return inside & lanes;
}

Pattern pattern_of(const Access& access) {
  const Address first = access.address[0];
  if (access.active == kAllLanes) {
    Address strayed = 0;
    for (int lane = 0; lane < kWarpSize; ++lane) strayed |= access.address[lane] ^ (first + static_cast<Address>(lane) * access.bytes);
    if (strayed == 0) return Pattern::kContiguous;
  }
  const Address one = access.address[access.first_lane()];
  Address other = 0;
  for (int lane = 0; lane < kWarpSize; ++lane) other |= (access.active >> lane & 1u) != 0 ? access.address[lane] ^ one : 0;
  return other == 0 ? Pattern::kUniform : Pattern::kScattered;
}

}  // namespace warpbook::vgpu
