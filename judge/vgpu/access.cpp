#include "judge/vgpu/access.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace warpbook::vgpu {

namespace {

constexpr int kSectorBits = 5;
constexpr int kMostSectors = kWarpSize * 2;  // a lane of up to 32 bytes touches two at most

}  // namespace

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

std::uint32_t count_sectors(const Access& access) {
  const auto span = [](Address first, Address last) {
    return static_cast<std::uint32_t>((last >> kSectorBits) - (first >> kSectorBits) + 1);
  };
  const Address first = access.address[access.first_lane()];
  if (access.pattern == Pattern::kContiguous) return span(first, first + kWarpSize * access.bytes - 1);
  if (access.pattern == Pattern::kUniform) return span(first, first + access.bytes - 1);
  std::array<Address, kMostSectors> sectors;
  std::size_t count = 0;
  bool ascending = true;
  for (LaneMask left = access.active; left != 0; left &= left - 1) {
    const Address address = access.address[std::countr_zero(left)];
    for (Address sector = address >> kSectorBits; sector <= (address + access.bytes - 1) >> kSectorBits; ++sector) {
      if (count > 0 && sectors[count - 1] == sector) continue;
      ascending = ascending && (count == 0 || sectors[count - 1] < sector);
      if (count < sectors.size()) sectors[count++] = sector;
    }
  }
  if (ascending) return static_cast<std::uint32_t>(count);
  std::sort(sectors.begin(), sectors.begin() + count);
  return static_cast<std::uint32_t>(std::unique(sectors.begin(), sectors.begin() + count) - sectors.begin());
}

void meter(const Access& access, device::Counters& counters) {
  if (access.space == ptx::Space::kShared) {
    ++counters.shared_requests;
    return;
  }
  if (access.space != ptx::Space::kGlobal || access.plan.atomic != nullptr) return;  // atomics are neither loads nor stores
  const std::uint64_t bytes = std::uint64_t{access.bytes} * static_cast<std::uint64_t>(std::popcount(access.active));
  const std::uint32_t sectors = count_sectors(access);
  if (access.reads) {
    ++counters.global_load_requests;
    counters.global_load_sectors += sectors;
    counters.global_load_bytes += bytes;
  } else {
    ++counters.global_store_requests;
    counters.global_store_sectors += sectors;
    counters.global_store_bytes += bytes;
  }
}

}  // namespace warpbook::vgpu
