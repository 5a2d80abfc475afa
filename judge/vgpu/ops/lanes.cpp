#include "judge/vgpu/ops/lanes.hpp"

namespace warpbook::vgpu::ops {
namespace {

template <class Row>
[[gnu::always_inline]] inline void blend_row(Row* destination, const Row* aside, LaneMask active) {
#pragma GCC ivdep
  for (int lane = 0; lane < kWarpSize; ++lane) destination[lane] = choose(active, lane, aside[lane], destination[lane]);
}

}  // namespace

void blend(std::uint16_t* destination, const std::uint16_t* aside, LaneMask active) { blend_row(destination, aside, active); }
void blend(std::uint32_t* destination, const std::uint32_t* aside, LaneMask active) { blend_row(destination, aside, active); }
void blend(std::uint64_t* destination, const std::uint64_t* aside, LaneMask active) { blend_row(destination, aside, active); }

}  // namespace warpbook::vgpu::ops
