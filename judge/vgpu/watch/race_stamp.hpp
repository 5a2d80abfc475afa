#pragma once
// When and by whom a byte was touched, in eight bytes.
//
// Time is one number for the whole launch. It grows at everything that can order accesses (a barrier, a __syncwarp, a fence) and when
// another block gets its turn, so one time belongs to one block, and "before the block's last barrier" is one comparison. (Rejected: a
// clock for each lane, as vector clocks have it. A vector of 1,024 clocks for each thread, to learn what one number says in nearly all
// kernels.)
#include <cstdint>

namespace warpbook::vgpu {

using RaceTime = std::uint32_t;  ///< 0: never

/// Who: the thread's number in its block (10 bits), how strong the access was (2 bits), the step's site (20 bits).
using RaceActor = std::uint32_t;

struct RaceStamp {
  RaceTime time = 0;
  RaceActor who = 0;
};

inline constexpr int kRaceThreadShift = 22, kRaceWarpShift = kRaceThreadShift + 5;
inline constexpr RaceActor kRaceStrong = 1u << 21;      ///< atomic, volatile or ordered
inline constexpr RaceActor kRaceBlockScope = 1u << 20;  ///< strong, but only among threads of one block
inline constexpr RaceActor kRaceSiteMask = kRaceBlockScope - 1;

constexpr RaceActor race_thread_number(int warp, int lane) { return static_cast<RaceActor>(warp * 32 + lane); }
constexpr std::uint32_t race_thread(RaceActor who) { return who >> kRaceThreadShift; }
constexpr std::uint32_t race_warp(RaceActor who) { return who >> kRaceWarpShift; }
constexpr std::uint32_t race_lane(RaceActor who) { return race_thread(who) % 32; }
constexpr bool same_thread(RaceActor a, RaceActor b) { return (a ^ b) >> kRaceThreadShift == 0; }
constexpr bool same_warp(RaceActor a, RaceActor b) { return (a ^ b) >> kRaceWarpShift == 0; }

}  // namespace warpbook::vgpu
