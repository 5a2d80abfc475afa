// cp.async and what waits for it. A copy is read when it begins and arrives when it is waited for (async_copies.hpp says why).
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "judge/vgpu/access.hpp"
#include "judge/vgpu/block.hpp"
#include "judge/vgpu/faults.hpp"
#include "judge/vgpu/line_meters.hpp"
#include "judge/vgpu/mbarrier_step.hpp"
#include "judge/vgpu/meters.hpp"
#include "judge/vgpu/warp.hpp"
#include "judge/vgpu/watch/race_watch.hpp"
#include "judge/vgpu/watch/tracer.hpp"

namespace warpbook::vgpu {

namespace {

using ptx::Space;

LaneMask bit(int lane) { return LaneMask{1} << lane; }

}  // namespace

bool Warp::copy_async(const Split& split, const Step& step, const MemoryPlan& plan, LaneMask active) {
  const Frame& frame = *split.frame;
  const Registers registers = frame.registers();
  std::byte staged[kWarpSize][kWidestCopy] = {};
  std::uint32_t undefined[kWarpSize] = {};
  Access from{.step = step, .plan = plan};
  compute_addresses(registers, step.src[1], false, plan.source_offset, from.address);
  Access to{.step = step, .plan = plan};
  compute_addresses(registers, step.src[0], plan.narrow_address, step.immediate, to.address);

  // Bytes to read per lane: fewer than are written when the instruction says so; the rest is zero.
  LaneMask reading = active;
  if (step.src[3] != kNoRegister) {
    const LaneMask ignored = registers.predicate(step.src[3]);
    reading &= (step.source_negated >> 3 & 1u) != 0 ? ignored : ~ignored;
  }
  const auto wanted = [&](int lane) {
    const std::uint32_t limit = step.src[2] == kNoRegister ? plan.element_bytes : registers.row<std::uint32_t>(step.src[2])[lane];
    return std::min<std::uint32_t>(limit, plan.element_bytes);
  };
  while (reading != 0) {
    from.bytes = wanted(std::countr_zero(reading));
    from.active = 0;
    for (LaneMask left = reading; left != 0; left &= left - 1) {
      if (wanted(std::countr_zero(left)) == from.bytes) from.active |= bit(std::countr_zero(left));
    }
    reading &= ~from.active;
    if (from.bytes == 0) continue;
    if (!stage(frame, from, staged, undefined)) return false;
  }

  to.space = Space::kShared;
  to.active = active;
  to.bytes = plan.element_bytes;
  to.writes = true;
  to.pattern = pattern_of(to);
  if (!check_alignment(frame, to)) return false;
  LaneMask left = to.active;
  for (const Region& region : context_.shared_regions) left &= ~lanes_in(region, to, left);
  if (left != 0 && !refuse(frame, to, left, device::FaultKind::kOutOfBounds)) return false;
  if (to.active == 0) return true;
  if (!check_in_flight(frame, to)) return false;
  if (context_.races != nullptr && !context_.races->shared({block_, *this, frame, step}, to, to.active)) return false;
  meter(to, context_);
  if (context_.tracer != nullptr) context_.tracer->access({block_, *this, frame, step}, to, to.active);
  AsyncCopy& copy = copies_.begin(to.active);
  copy.function = frame.function;
  copy.step = &step;
  copy.plan = &plan;
  copy.bytes = to.bytes;
  std::copy(std::begin(to.address), std::end(to.address), copy.to);
  std::memcpy(copy.data, staged, sizeof staged);
  std::copy(std::begin(undefined), std::end(undefined), copy.undefined);
  for (LaneMask lanes = to.active; lanes != 0; lanes &= lanes - 1) block_.in_flight().add(to.address[std::countr_zero(lanes)], to.bytes);
  return true;
}

/// Reads what cp.async copies, with the checks of a load.
bool Warp::stage(const Frame& frame, Access& from, std::byte (*staged)[kWidestCopy], std::uint32_t* undefined) {
  from.reads = true;
  from.pattern = pattern_of(from);
  spin_.count_read();
  const Address low = from.plan.element_bytes - 1u;
  LaneMask misaligned = 0, outside = 0;
  for (LaneMask left = from.active; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    if ((from.address[lane] & low) != 0) misaligned |= bit(lane);
    const Region* region = context_.memory.find(from.address[lane]);
    if (region == nullptr || !region->holds(from.address[lane], from.bytes)) outside |= bit(lane);
  }
  if (misaligned != 0 && !refuse(frame, from, misaligned, device::FaultKind::kMisaligned)) return false;
  outside &= from.active;
  if (outside != 0 && !refuse(frame, from, outside, device::FaultKind::kOutOfBounds)) return false;
  if (from.active == 0) return true;
  meter(from, context_);
  for (LaneMask left = from.active; left != 0;) {
    Region* region = context_.memory.find(from.address[std::countr_zero(left)]);
    const LaneMask inside = lanes_in(*region, from, left);
    if (context_.lines != nullptr) context_.lines->touch(from, *region, inside);
    if (context_.tracer != nullptr) context_.tracer->access({block_, *this, frame, from.step}, from, inside);
    if (context_.races != nullptr && !context_.races->global({block_, *this, frame, from.step}, from, *region, inside)) return false;
    for (LaneMask lanes = inside; lanes != 0; lanes &= lanes - 1) {
      const int lane = std::countr_zero(lanes);
      std::memcpy(staged[lane], region->data + (from.address[lane] - region->base), from.bytes);
      region->traffic.loaded_bytes += from.bytes;
      if (context_.initialised != nullptr && region->defined != nullptr)
        undefined[lane] = region->defined->undefined(from.address[lane] - region->base, from.bytes);
    }
    left &= ~inside;
  }
  return true;
}

/// Puts the bytes of `lanes` where they belong. `frame`: of whoever waits for them. False: the launch ends.
bool Warp::deliver(AsyncCopy& copy, LaneMask lanes, const Frame& frame) {
  lanes &= copy.lanes;
  if (lanes == 0) return true;
  copy.lanes &= ~lanes;
  ++context_.changes;
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    std::memcpy(block_.shared() + copy.to[lane], copy.data[lane], copy.bytes);
    block_.in_flight().remove(copy.to[lane], copy.bytes);
    if (context_.initialised == nullptr) continue;
    block_.shared_defined()->mark(copy.to[lane], copy.bytes);
    for (std::uint32_t left_bytes = copy.undefined[lane]; left_bytes != 0; left_bytes &= left_bytes - 1)
      block_.shared_defined()->forget(copy.to[lane] + static_cast<Address>(std::countr_zero(left_bytes)), 1);
  }
  // The copy wrote at some time between its beginning and now: who touched the place meanwhile did so in a race.
  if (context_.races == nullptr || frame.function != copy.function) return true;
  Access write{.step = *copy.step, .plan = *copy.plan};
  write.active = lanes;
  write.space = Space::kShared;
  write.bytes = copy.bytes;
  write.writes = true;
  std::copy(std::begin(copy.to), std::end(copy.to), write.address);
  return context_.races->shared({block_, *this, frame, *copy.step}, write, lanes);
}

bool Warp::wait_for_copies(const Frame& frame, const Step& step, LaneMask active) {
  const auto form = static_cast<CopyWait>(step.flags);
  if (form == CopyWait::kCommit) {
    copies_.commit(active);
    return true;
  }
  const auto kept = static_cast<std::uint32_t>(step.immediate);
  for (const auto& copy : copies_.under_way()) {
    if (!deliver(*copy, form == CopyWait::kAll ? active : copies_.due(*copy, active, kept), frame)) return false;
  }
  copies_.sweep();
  return true;
}

/// The lanes end: their copies arrive after them.
void Warp::finish_copies(const Frame& frame, LaneMask lanes) {
  if (copies_.none()) return;
  for (const auto& copy : copies_.under_way()) deliver(*copy, lanes, frame);
  copies_.sweep();
}

bool Warp::signal_copies(Address mbarrier, const Frame& frame, Mbarriers::Complaint& complaint) {
  CopySignal signal;
  while (copies_.take_signal(mbarrier, signal)) {
    const std::size_t count = copies_.count_before(signal.copies);
    for (std::size_t i = 0; i < count; ++i) {
      if (!deliver(*copies_.under_way()[i], signal.lanes, frame)) return false;
    }
    copies_.sweep();
    for (LaneMask left = signal.lanes; left != 0; left &= left - 1) {
      std::uint64_t state = 0;
      complaint = block_.mbarriers().arrive(mbarrier, {}, state);
      if (complaint) return true;
      if (context_.races != nullptr) {
        // The copy's own step names the place: the signal has none of its own by now.
        context_.races->release({block_, *this, frame, frame.function->steps.front()}, std::countr_zero(left), Space::kShared, mbarrier);
      }
    }
    ++context_.changes;
  }
  return true;
}

/// An access to shared memory that a copy is still filling; false: the launch ends.
bool Warp::check_in_flight(const Frame& frame, const Access& access) {
  if (block_.in_flight().none() || context_.races == nullptr) return true;
  for (LaneMask left = access.active; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    if (!block_.in_flight().touches(access.address[lane], access.bytes)) continue;
    device::Fault fault = make_fault(device::FaultKind::kRace, device::Code::kLaunchFailure,
                                     fmt::format("{} of {} bytes of shared memory that a cp.async is still filling: wait for the copy "
                                                 "first (cp.async.wait_group or an mbarrier)",
                                                 access.plan.atomic != nullptr ? "atomic access"
                                                 : access.writes               ? "write"
                                                                               : "read",
                                                 access.bytes),
                                     frame, access.step, lane);
    fault.address = access.address[lane];
    fault.bytes = access.bytes;
    fault.space = "shared";
    for (const auto& warp : block_.warps()) warp->name_copy(access.address[lane], access.bytes, fault);
    return add_fault(std::move(fault));
  }
  return true;
}

/// Adds the copy of this warp that fills [at, at + bytes) to a fault, if there is one.
void Warp::name_copy(Address at, std::uint32_t bytes, device::Fault& fault) const {
  for (const auto& copy : copies_.under_way()) {
    for (LaneMask left = copy->lanes; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      if (copy->to[lane] >= at + bytes || at >= copy->to[lane] + copy->bytes) continue;
      fault.related.push_back({fmt::format("{} of {} bytes that nobody has waited for", copy->step->instruction->spelling, copy->bytes),
                               block_.thread(index_, lane), block_.index(),
                               source_frames(context_.program.module(), copy->step->instruction->location)});
      return;
    }
  }
}

}  // namespace warpbook::vgpu
