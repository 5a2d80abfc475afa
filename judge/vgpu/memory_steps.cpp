// Loads, stores and atomics of a warp. The way of an access: addresses from registers, one space (a generic access whose lanes point into
// several spaces is several accesses), alignment, region, meters, bytes. The common case, 32 lanes side by side in one allocation, is
// recognised once and then costs one comparison per check.
#include <algorithm>
#include <bit>
#include <cstring>

#include "judge/vgpu/access.hpp"
#include "judge/vgpu/block.hpp"
#include "judge/vgpu/line_meters.hpp"
#include "judge/vgpu/meters.hpp"
#include "judge/vgpu/warp.hpp"
#include "judge/vgpu/watch/init_watch.hpp"
#include "judge/vgpu/watch/race_watch.hpp"
#include "judge/vgpu/watch/tracer.hpp"

namespace warpbook::vgpu {

namespace {

using ptx::Space;

LaneMask bit(int lane) { return LaneMask{1} << lane; }

Address window_of(Space space) {
  if (space == Space::kShared) return kSharedWindow;
  return space == Space::kLocal ? kLocalWindow : 0;
}

Registers rows_of(const Frame& frame) { return frame.registers(); }

}  // namespace

bool Warp::memory_step(const Split& split, const Step& step, LaneMask active) {
  const Frame& frame = *split.frame;
  const MemoryPlan& plan = frame.function->memory_plans[static_cast<std::size_t>(step.plan)];
  if (plan.action == MemoryAction::kCopyAsync) return copy_async(split, step, plan, active);
  Access access{.step = step, .plan = plan};
  access.active = active;
  access.bytes = plan.lane_bytes();
  access.reads = plan.action == MemoryAction::kLoad || plan.action == MemoryAction::kAtomic;
  access.writes = plan.action != MemoryAction::kLoad;
  compute_addresses(rows_of(frame), step.src[0], plan.narrow_address, step.immediate, access.address);
  if (plan.space != Space::kGeneric) {
    access.space = plan.space;
    return perform(frame, access);
  }
  for (LaneMask left = active; left != 0;) {
    access.space = space_of(access.address[std::countr_zero(left)]);
    LaneMask same = 0;
    for (int lane = 0; lane < kWarpSize; ++lane) same |= space_of(access.address[lane]) == access.space ? bit(lane) : 0;
    access.active = same & left;
    left &= ~same;
    const Address window = window_of(access.space);
    if (window != 0) {
      for (LaneMask lanes = access.active; lanes != 0; lanes &= lanes - 1) access.address[std::countr_zero(lanes)] -= window;
    }
    if (!perform(frame, access)) return false;
  }
  return true;
}

bool Warp::perform(const Frame& frame, Access& access) {
  access.pattern = pattern_of(access);
  const bool others_can_write = access.space == Space::kGlobal || access.space == Space::kShared;
  if (others_can_write && access.plan.action != MemoryAction::kStore) spin_.count_read();
  if (!check_alignment(frame, access)) return false;
  if (access.active == 0) return true;
  switch (access.space) {
    case Space::kShared: return shared_access(frame, access);
    case Space::kLocal: return local_access(frame, access);
    default: return global_access(frame, access);
  }
}

bool Warp::check_alignment(const Frame& frame, Access& access) {
  const Address low = access.bytes - 1;
  if (access.pattern != Pattern::kScattered && (access.address[access.first_lane()] & low) == 0) return true;
  LaneMask bad = 0;
  for (int lane = 0; lane < kWarpSize; ++lane) bad |= (access.address[lane] & low) != 0 ? bit(lane) : 0;
  bad &= access.active;
  return bad == 0 || refuse(frame, access, bad, device::FaultKind::kMisaligned);
}

bool Warp::global_access(const Frame& frame, Access& access) {
  // First every lane is given its region; bytes move only when no lane is refused (or the launch goes on without those that are).
  Region*& last = access.plan.last_region;
  const bool one_region = last != nullptr && last->live && lanes_in(*last, access, access.active) == access.active;
  if (!one_region) {
    LaneMask bad = 0;
    for (LaneMask left = access.active; left != 0;) {
      const int lane = std::countr_zero(left);
      Region* region = context_.memory.find(access.address[lane]);
      LaneMask inside = region == nullptr ? 0 : lanes_in(*region, access, left);
      if ((inside & bit(lane)) == 0) {
        bad |= bit(lane);
        left &= ~bit(lane);
        continue;
      }
      left &= ~inside;
      last = region;
    }
    if (bad != 0 && !refuse(frame, access, bad, device::FaultKind::kOutOfBounds)) return false;
  }
  if (access.writes) {
    LaneMask bad = 0;
    for (LaneMask left = access.active; left != 0;) {
      const int lane = std::countr_zero(left);
      const Region* region = one_region ? last : context_.memory.find(access.address[lane]);
      const LaneMask inside = lanes_in(*region, access, left);
      if (region->read_only) bad |= inside;
      left &= ~inside;
    }
    if (bad != 0 && !refuse(frame, access, bad, device::FaultKind::kReadOnly)) return false;
  }
  if (access.active == 0) return true;
  meter(access, context_);
  for (LaneMask left = access.active; left != 0;) {
    Region* region = one_region ? last : context_.memory.find(access.address[std::countr_zero(left)]);
    const LaneMask inside = one_region ? left : lanes_in(*region, access, left);
    const std::uint64_t moved = std::uint64_t{access.bytes} * static_cast<std::uint64_t>(std::popcount(inside));
    if (access.reads) region->traffic.loaded_bytes += moved;
    if (access.writes) region->traffic.stored_bytes += moved;
    if (context_.lines != nullptr && access.space == Space::kGlobal) context_.lines->touch(access, *region, inside);
    if (context_.races != nullptr && !context_.races->global({block_, *this, frame, access.step}, access, *region, inside)) return false;
    if (!show(frame, access, inside, {region->defined.get(), region->base})) return false;
    move_lanes(frame, access, inside, region->data - region->base, 0);
    left &= ~inside;
  }
  return true;
}

bool Warp::shared_access(const Frame& frame, Access& access) {
  const std::vector<Region>& regions = context_.shared_regions;
  LaneMask left = access.active & ~lanes_in(regions[access.plan.last_shared], access, access.active);
  for (std::uint32_t i = 0; i < regions.size() && left != 0; ++i) {
    const LaneMask inside = lanes_in(regions[i], access, left);
    if (inside != 0) access.plan.last_shared = i;
    left &= ~inside;
  }
  if (left != 0 && !refuse(frame, access, left, device::FaultKind::kOutOfBounds)) return false;
  if (access.active == 0) return true;
  if (!check_in_flight(frame, access)) return false;
  meter(access, context_);
  if (context_.races != nullptr && !context_.races->shared({block_, *this, frame, access.step}, access, access.active)) return false;
  if (!show(frame, access, access.active, {block_.shared_defined()})) return false;
  move_lanes(frame, access, access.active, block_.shared(), 0);
  return true;
}

bool Warp::local_access(const Frame& frame, Access& access) {
  const std::uint32_t end = frame.local_end();
  LaneMask bad = 0;
  for (int lane = 0; lane < kWarpSize; ++lane) bad |= end < access.bytes || access.address[lane] > end - access.bytes ? bit(lane) : 0;
  bad &= access.active;
  if (bad != 0 && !refuse(frame, access, bad, device::FaultKind::kOutOfBounds)) return false;
  if (access.active == 0) return true;
  meter(access, context_);
  if (!show(frame, access, access.active, {local_.defined(), 0, local_.stride()})) return false;
  move_lanes(frame, access, access.active, local_.base(), local_.stride());
  return true;
}

/// Shows a checked access to those who watch every space (races differ by space: see the callers). False: the launch ends.
bool Warp::show(const Frame& frame, const Access& access, LaneMask lanes, const Shadow& shadow) {
  const Actor actor{block_, *this, frame, access.step};
  if (context_.initialised != nullptr && !context_.initialised->access(actor, access, lanes, shadow)) return false;
  if (context_.tracer != nullptr) context_.tracer->access(actor, access, lanes);
  return true;
}

void Warp::move_lanes(const Frame& frame, const Access& access, LaneMask lanes, std::byte* origin, std::uint64_t stride) {
  Pattern pattern = access.pattern;
  if (stride != 0 || (pattern == Pattern::kContiguous && lanes != kAllLanes)) pattern = Pattern::kScattered;
  const Move move{rows_of(frame), access.step, lanes, pattern, access.address, origin, stride};
  if (access.plan.wide.used) return move_wide(access, move);
  if (access.plan.atomic != nullptr) {
    run_atomics(access, move);
    return;
  }
  if (access.writes) ++context_.changes;
  access.plan.mover(move);
}

/// One lane after the other, in the order of lanes: sums of floats come out the same every time.
void Warp::run_atomics(const Access& access, const Move& move) {
  const MemoryPlan& plan = access.plan;
  const std::size_t width = plan.register_bytes, element = plan.element_bytes;
  const std::uint64_t kept = element == sizeof(std::uint64_t) ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * element) - 1;
  const auto operand = [&](std::uint32_t row, int lane) {
    std::uint64_t value = 0;
    std::memcpy(&value, move.registers.base + row + static_cast<std::size_t>(lane) * width, width);
    return value & kept;
  };
  for (LaneMask left = move.active; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    std::byte* at = move.at(lane);
    std::uint64_t old = 0;
    std::memcpy(&old, at, element);
    const std::uint64_t next = plan.atomic(old, operand(access.step.src[1], lane), operand(access.step.src[2], lane));
    if (next != old) {
      std::memcpy(at, &next, element);
      ++context_.changes;
    }
    if (plan.returns) std::memcpy(move.registers.base + access.step.dst[0] + static_cast<std::size_t>(lane) * width, &old, width);
  }
}

}  // namespace warpbook::vgpu
