#include "judge/vgpu/watch/race_block.hpp"

#include <algorithm>
#include <bit>

namespace warpbook::vgpu {

namespace {

constexpr std::size_t index_of(RaceReach reach) { return static_cast<std::size_t>(reach); }

/// Calls `visit(warp, lane)` for every lane in `lanes` (a mask for each warp).
template <class Visit>
void for_each_lane(std::span<const LaneMask> lanes, const Visit& visit) {
  for (std::size_t warp = 0; warp < lanes.size(); ++warp) {
    for (LaneMask left = lanes[warp]; left != 0; left &= left - 1) visit(warp, static_cast<std::size_t>(std::countr_zero(left)));
  }
}

}  // namespace

void RaceBlock::start(std::uint32_t number, std::size_t warps, std::uint64_t shared_bytes, RaceTime now) {
  number_ = number;
  barrier_time_ = now;
  warps_.clear();
  warps_.resize(warps);
  met_.clear();
  acquired_.clear();
  fenced_ = {};
  // The shadow of the block that ran here before stays: everything in it is older than this block's first barrier, its beginning.
  if (!shared_ || shared_bytes != shared_bytes_) shared_.emplace(0, shared_bytes);
  shared_bytes_ = shared_bytes;
}

bool RaceBlock::orders(RaceTime time, RaceActor earlier, RaceActor later) const {
  if (time < barrier_time_ || same_thread(earlier, later)) return true;
  if (same_warp(earlier, later)) {
    const RaceWarp& warp = warps_[race_warp(later)];
    return time < warp.sync_time || (warp.met != nullptr && time < (*warp.met)[race_lane(later)][race_lane(earlier)]);
  }
  return !met_.empty() && time < met_[race_warp(later) * warps_.size() + race_warp(earlier)];
}

RaceAcquiredList RaceBlock::acquired(std::size_t warp, int lane) const {
  RaceAcquiredList all = acquired_;
  if (warps_[warp].acquired != nullptr) join(all, (*warps_[warp].acquired)[static_cast<std::size_t>(lane)]);
  return all;
}

RaceKnown RaceBlock::known(std::size_t warp, int lane, RaceTime now) const {
  const auto first = static_cast<std::uint16_t>(warp * kWarpSize);
  const RaceWarp& own = warps_[warp];
  RaceKnown known;
  known.parts.push_back({static_cast<std::uint16_t>(first + lane), 1, now});
  known.parts.push_back({first, kWarpSize, own.sync_time});
  if (own.met != nullptr) {
    for (int other = 0; other < kWarpSize; ++other) {
      if (other == lane) continue;
      known.parts.push_back(
          {static_cast<std::uint16_t>(first + other), 1, (*own.met)[static_cast<std::size_t>(lane)][static_cast<std::size_t>(other)]});
    }
  }
  if (!met_.empty()) {
    for (std::size_t other = 0; other < warps_.size(); ++other) {
      if (other != warp)
        known.parts.push_back({static_cast<std::uint16_t>(other * kWarpSize), kWarpSize, met_[warp * warps_.size() + other]});
    }
  }
  known.merge({barrier_time_, {}});  // drops what the barrier says better
  return known;
}

void RaceBlock::meet(bool whole, std::span<const LaneMask> arrived, std::span<const LaneMask> waiting, RaceTime now) {
  share_acquired(arrived, waiting, whole);
  share_fenced(arrived, waiting, whole);
  if (whole) {
    barrier_time_ = now;
    return;
  }
  // Of warps that came in part the rest counts as there: what a barrier says of lanes is not worth a table of threads.
  if (met_.empty()) met_.resize(warps_.size() * warps_.size());
  std::vector<RaceTime> row(warps_.size());
  for (std::size_t from = 0; from < warps_.size(); ++from) {
    if (arrived[from] == 0) continue;
    for (std::size_t of = 0; of < warps_.size(); ++of) row[of] = std::max(row[of], warps_met(from, of));
    row[from] = now;
  }
  for (std::size_t to = 0; to < warps_.size(); ++to) {
    if (waiting[to] == 0) continue;
    for (std::size_t of = 0; of < warps_.size(); ++of) warps_met(to, of) = std::max(warps_met(to, of), row[of]);
    if (std::popcount(waiting[to]) > 1) meet_lanes(to, waiting[to], waiting[to] == kAllLanes, now);
  }
}

void RaceBlock::meet_lanes(std::size_t warp, LaneMask lanes, bool whole, RaceTime now) {
  RaceWarp& own = warps_[warp];
  if (own.acquired != nullptr || own.fenced[0] != nullptr || own.fenced[1] != nullptr) {
    std::vector<LaneMask> masks(warps_.size());
    masks[warp] = lanes;
    share_acquired(masks, masks, false);
    share_fenced(masks, masks, false);
  }
  if (whole) {
    own.sync_time = now;
    return;
  }
  if (own.met == nullptr) own.met = std::make_unique<std::array<RaceWarp::Row, kWarpSize>>();
  RaceWarp::Row row{};
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    for (std::size_t other = 0; other < kWarpSize; ++other) row[other] = std::max(row[other], (*own.met)[lane][other]);
  }
  for (LaneMask left = lanes; left != 0; left &= left - 1) row[static_cast<std::size_t>(std::countr_zero(left))] = now;
  for (LaneMask left = lanes; left != 0; left &= left - 1) (*own.met)[static_cast<std::size_t>(std::countr_zero(left))] = row;
}

void RaceBlock::share_acquired(std::span<const LaneMask> from, std::span<const LaneMask> to, bool whole) {
  if (std::all_of(warps_.begin(), warps_.end(), [](const RaceWarp& warp) { return warp.acquired == nullptr; })) return;
  RaceAcquiredList all;
  for_each_lane(from, [&](std::size_t warp, std::size_t lane) {
    if (warps_[warp].acquired != nullptr) join(all, (*warps_[warp].acquired)[lane]);
  });
  if (whole) {
    join(acquired_, all);
    for (RaceWarp& warp : warps_) warp.acquired = nullptr;
    return;
  }
  if (all.empty()) return;
  for_each_lane(to, [&](std::size_t warp, std::size_t lane) {
    std::unique_ptr<std::array<RaceAcquiredList, kWarpSize>>& lists = warps_[warp].acquired;
    if (lists == nullptr) lists = std::make_unique<std::array<RaceAcquiredList, kWarpSize>>();
    join((*lists)[lane], all);
  });
}

void RaceBlock::share_fenced(std::span<const LaneMask> from, std::span<const LaneMask> to, bool whole) {
  for (std::size_t reach = 0; reach < fenced_.size(); ++reach) {
    if (std::all_of(warps_.begin(), warps_.end(), [&](const RaceWarp& warp) { return warp.fenced[reach] == nullptr; })) continue;
    RaceKnown all;
    for_each_lane(from, [&](std::size_t warp, std::size_t lane) {
      if (warps_[warp].fenced[reach] == nullptr) return;
      const RaceKnown& one = (*warps_[warp].fenced[reach])[lane];
      all.block_time = std::max(all.block_time, one.block_time);
      all.parts.insert(all.parts.end(), one.parts.begin(), one.parts.end());
    });
    all.merge({});
    if (whole) {
      fenced_[reach].merge(all);
      for (RaceWarp& warp : warps_) warp.fenced[reach] = nullptr;
      continue;
    }
    if (all.empty()) continue;
    for_each_lane(to, [&](std::size_t warp, std::size_t lane) {
      if (warps_[warp].fenced[reach] == nullptr) warps_[warp].fenced[reach] = std::make_unique<std::array<RaceKnown, kWarpSize>>();
      (*warps_[warp].fenced[reach])[lane].merge(all);
    });
  }
}

void RaceBlock::fence(std::size_t warp, LaneMask lanes, RaceReach reach, RaceTime now) {
  std::unique_ptr<std::array<RaceKnown, kWarpSize>>& fenced = warps_[warp].fenced[index_of(reach)];
  if (fenced == nullptr) fenced = std::make_unique<std::array<RaceKnown, kWarpSize>>();
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    (*fenced)[static_cast<std::size_t>(lane)].merge(known(warp, lane, now));
  }
}

void RaceBlock::acquire(std::size_t warp, int lane, const RaceReleases& releases, std::uint64_t address) {
  std::unique_ptr<std::array<RaceAcquiredList, kWarpSize>>& lists = warps_[warp].acquired;
  if (lists == nullptr) lists = std::make_unique<std::array<RaceAcquiredList, kWarpSize>>();
  releases.acquire(address, (*lists)[static_cast<std::size_t>(lane)]);
}

bool RaceBlock::may_release(std::size_t warp) const {
  return warps_[warp].fenced[0] != nullptr || warps_[warp].fenced[1] != nullptr || !fenced_[0].empty() || !fenced_[1].empty();
}

RaceKnown RaceBlock::releasable(std::size_t warp, int lane, RaceReach reach) const {
  RaceKnown known;
  for (std::size_t each = 0; each <= index_of(reach); ++each) {
    known.merge(fenced_[each]);
    if (warps_[warp].fenced[each] != nullptr) known.merge((*warps_[warp].fenced[each])[static_cast<std::size_t>(lane)]);
  }
  return known;
}

}  // namespace warpbook::vgpu
