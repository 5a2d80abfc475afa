#pragma once
// What the threads of one block know of each other: which accesses are ordered by its barriers, and what a fence makes ready to be handed
// on. Nearly always two numbers decide, the time of the last barrier of the whole block and that of the warp's last full __syncwarp;
// partial masks and named barriers get tables, made when somebody uses them.
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "judge/vgpu/registers.hpp"
#include "judge/vgpu/watch/race_release.hpp"
#include "judge/vgpu/watch/race_shadow.hpp"

namespace warpbook::vgpu {

/// How far a fence reaches.
enum class RaceReach : std::uint8_t { kDevice, kBlock };

struct RaceWarp {
  using Row = std::array<RaceTime, kWarpSize>;
  RaceTime sync_time = 0;                                             ///< all its lanes know what any of them did before
  std::unique_ptr<std::array<Row, kWarpSize>> met;                    ///< [a][b]: what a knows of b, from bar.warp.sync with partial masks
  std::unique_ptr<std::array<RaceAcquiredList, kWarpSize>> acquired;  ///< by a lane since the block's last barrier
  std::array<std::unique_ptr<std::array<RaceKnown, kWarpSize>>, 2> fenced;  ///< by a lane since then, for each RaceReach
};

class RaceBlock {
 public:
  void start(std::uint32_t number, std::size_t warps, std::uint64_t shared_bytes, RaceTime now);

  /// Which block of the launch it is, counted from 0 in the order in which they began.
  std::uint32_t number() const { return number_; }
  RaceTime barrier_time() const { return barrier_time_; }
  const RaceWarp& warp(std::size_t index) const { return warps_[index]; }
  RaceShadow& shared() { return *shared_; }

  /// True when what `earlier` did at `time`, both in this block, is ordered before what `later` does now by the block's own means.
  bool orders(RaceTime time, RaceActor earlier, RaceActor later) const;
  /// What a lane has acquired, from its own loads and from the block's.
  RaceAcquiredList acquired(std::size_t warp, int lane) const;
  bool acquired_nothing(std::size_t warp) const { return acquired_.empty() && warps_[warp].acquired == nullptr; }
  /// What a lane knows of its block, itself up to `now` included.
  RaceKnown known(std::size_t warp, int lane, RaceTime now) const;

  /// Everybody in `arrived` (a mask for each warp) came to a barrier, everybody in `waiting` goes on from it. `whole`: they are all there
  /// are.
  void meet(bool whole, std::span<const LaneMask> arrived, std::span<const LaneMask> waiting, RaceTime now);
  void meet_lanes(std::size_t warp, LaneMask lanes, bool whole, RaceTime now);
  void fence(std::size_t warp, LaneMask lanes, RaceReach reach, RaceTime now);
  void acquire(std::size_t warp, int lane, const RaceReleases& releases, std::uint64_t address);
  /// What fences allow a lane to release by a strong write: only by those that reach other blocks, or by any.
  RaceKnown releasable(std::size_t warp, int lane, RaceReach reach) const;
  bool may_release(std::size_t warp) const;

 private:
  void share_acquired(std::span<const LaneMask> from, std::span<const LaneMask> to, bool whole);
  void share_fenced(std::span<const LaneMask> from, std::span<const LaneMask> to, bool whole);
  RaceTime& warps_met(std::size_t knows, std::size_t of) { return met_[knows * warps_.size() + of]; }

  std::uint32_t number_ = 0;
  RaceTime barrier_time_ = 0;  ///< everybody knows what anybody did before
  std::vector<RaceWarp> warps_;
  std::vector<RaceTime> met_;  ///< from barriers of some warps: a row for each warp that knows; empty: there were none
  RaceAcquiredList acquired_;  ///< by everybody
  std::array<RaceKnown, 2> fenced_;
  std::optional<RaceShadow> shared_;
  std::uint64_t shared_bytes_ = 0;
};

}  // namespace warpbook::vgpu
