#pragma once
// One memory instruction of one warp, on its way from registers to memory. First where (address, space, pattern), then whether (bounds,
// alignment, lifetime), then how much (meters), last the bytes. Whoever watches memory looks at an Access after its check and before its
// bytes move.
#include "judge/vgpu/context.hpp"
#include "judge/vgpu/move.hpp"

namespace warpbook::vgpu {

struct Access {
  const Step& step;
  const MemoryPlan& plan;
  LaneMask active = 0;
  ptx::Space space = ptx::Space::kGlobal;  ///< never generic
  std::uint32_t bytes = 4;                 ///< per lane
  bool reads = false, writes = false;
  Pattern pattern = Pattern::kScattered;
  alignas(64) Address address[kWarpSize];  ///< in the space's own addresses

  int first_lane() const { return __builtin_ctz(active); }
};

/// Addresses of all 32 lanes from row `row` (kNoRegister: zero) plus `offset`; those of lanes that are off are of no meaning.
void compute_addresses(const Registers& registers, std::uint32_t row, bool narrow, std::int64_t offset, Address* address);

/// Lanes of `lanes` whose bytes lie in `region`.
LaneMask lanes_in(const Region& region, const Access& access, LaneMask lanes);

/// Finds out how the addresses of the active lanes lie.
Pattern pattern_of(const Access& access);

}  // namespace warpbook::vgpu
