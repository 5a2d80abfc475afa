#pragma once
// In which order equals take their turns. Hardware promises none, so a kernel whose answer depends on it is wrong; running it in another
// order is how such an answer shows.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "judge/vgpu/vgpu.hpp"

namespace warpbook::vgpu {

/// The numbers 0 ... count - 1 in the order of their turns. `salt` makes seeded orders differ, say from block to block.
std::vector<std::size_t> schedule_order(const Schedule& schedule, std::size_t count, std::uint64_t salt);

/// Which of `count` blocks begins as number `turn`: a permutation of 0 ... count - 1.
std::uint64_t block_in_turn(const Schedule& schedule, std::uint64_t turn, std::uint64_t count);

}  // namespace warpbook::vgpu
