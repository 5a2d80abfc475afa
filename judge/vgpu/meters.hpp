#pragma once
// What an access costs, as Nsight Compute counts it. The rules are those that all rows of judge/tests/calibration/{ncu,more}.csv obey,
// measured on an H200:
//  - A request is a warp instruction with at least one active lane. Local memory counts one for every four bytes of a lane.
//  - Sectors of loads and stores: the distinct 32-byte sectors. Of atomics: lanes on one address go one after the other, so a sector
//    counts as often as the busiest of its addresses.
//  - Ideal sectors: what active lanes * bytes would need if they lay side by side, never more than there are.
//  - Local memory lies so that one word of 32 lanes is 128 bytes: a sector is 8 neighbouring lanes at one word.
//  - Wavefronts of shared memory: how many different words the busiest of the 32 banks must deliver. Eight-byte accesses go by half warps
//    and sixteen-byte ones by quarters; where lanes 2i and 2i+1 never want two things, by the whole warp and by halves.
//  - Atomics in shared memory merge nothing: every lane is a word of its own; compare-and-swap costs twice. Sums of floats and whatever is
//    64 bits wide (but compare-and-swap) are loops of a load and a compare-and-swap, in which each round serves one lane a bank.
//  - An integer reduction of a whole warp on one address is merged by the assembler into one lane's.
#include "judge/vgpu/access.hpp"

namespace warpbook::vgpu {

/// Adds a checked access (some lane active) to the launch's counters, and to those of its source line when lines are counted.
void meter(const Access& access, LaunchContext& context);

/// The same for a branch that may send lanes different ways.
void meter_branch(const Step& step, bool divergent, LaunchContext& context);

/// Number of distinct 32-byte sectors that the active lanes touch.
std::uint32_t count_sectors(const Access& access);

struct Wavefronts {
  std::uint32_t actual = 0, ideal = 0;
};
/// Of one access to shared memory.
Wavefronts count_wavefronts(const Access& access);

}  // namespace warpbook::vgpu
