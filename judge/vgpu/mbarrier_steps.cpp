// mbarrier instructions. Lanes take their turns in order; each that arrives releases what it did before, each that finds a phase complete
// acquires what the others released.
//
// A test that fails may be repeated for ever, usually with a look at the clock between, which hides from spin.hpp that the loop only waits.
// So the engine watches the tests themselves: lanes that fail the same test again while nothing in memory has changed are put aside until
// something does.
#include <fmt/format.h>

#include <bit>

#include "judge/vgpu/access.hpp"
#include "judge/vgpu/block.hpp"
#include "judge/vgpu/mbarrier_step.hpp"
#include "judge/vgpu/memory.hpp"
#include "judge/vgpu/warp.hpp"
#include "judge/vgpu/watch/race_watch.hpp"

namespace warpbook::vgpu {

namespace {

using ptx::Space;

/// Failed tests in a row, with nothing changed, that make a wait. More than one: a program may look once or twice and do something else.
constexpr std::uint32_t kPolls = 8;

std::string place_text(const std::vector<Region>& regions, Address at) {
  for (const Region& region : regions) {
    if (!region.holds(at, 1)) continue;
    return at == region.base ? region.name : fmt::format("{} + {}", region.name, at - region.base);
  }
  return fmt::format("{:#x}", at);
}

}  // namespace

/// Where the lanes' objects lie, as offsets of shared memory, aligned and inside; false: the launch ends.
bool Warp::find_mbarriers(const Frame& frame, Access& access) {
  const MemoryPlan& plan = access.plan;
  compute_addresses(frame.registers(), access.step.src[0], plan.narrow_address, access.step.immediate, access.address);
  access.space = Space::kShared;
  access.bytes = sizeof(std::uint64_t);
  access.reads = true;
  access.writes = true;
  if (plan.space == Space::kGeneric) {
    for (LaneMask left = access.active; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      if (space_of(access.address[lane]) == Space::kShared) {
        access.address[lane] -= kSharedWindow;
        continue;
      }
      report(device::FaultKind::kOutOfBounds, device::Code::kInvalidAddressSpace,
             fmt::format("{} at {:#x}, which is not in shared memory", access.step.instruction->spelling, access.address[lane]), frame,
             access.step, lane);
      return false;
    }
  }
  access.pattern = pattern_of(access);
  if (!check_alignment(frame, access)) return false;
  LaneMask outside = access.active;
  for (const Region& region : context_.shared_regions) outside &= ~lanes_in(region, access, outside);
  return outside == 0 || refuse(frame, access, outside, device::FaultKind::kOutOfBounds);
}

/// Reports the misuse of an mbarrier; false: the launch ends.
bool Warp::complain(const Frame& frame, const Step& step, int lane, Address at, const std::string& complaint) {
  device::Fault fault =
      make_fault(device::FaultKind::kBarrierDivergence, device::Code::kLaunchFailure,
                 fmt::format("{}: the mbarrier {} {}", step.instruction->spelling, place_text(context_.shared_regions, at), complaint),
                 frame, step, lane);
  fault.address = at;
  fault.bytes = sizeof(std::uint64_t);
  fault.space = "shared";
  return add_fault(std::move(fault));
}

Warp::Outcome Warp::mbarrier_step(std::size_t index, const Step& step, LaneMask active) {
  const Frame& frame = *splits_[index].frame;
  const MemoryPlan& plan = frame.function->memory_plans[static_cast<std::size_t>(step.plan)];
  const MbarrierForm form = MbarrierForm::of(step);
  Access access{.step = step, .plan = plan};
  access.active = active;
  if (!find_mbarriers(frame, access)) return Outcome::kFault;
  active = access.active;
  if (context_.races != nullptr && active != 0 && !context_.races->shared({block_, *this, frame, step}, access, active))
    return Outcome::kFault;
  spin_.count_read();

  const Registers registers = frame.registers();
  const auto number = [&](int lane) { return step.src[1] == kNoRegister ? 1u : registers.row<std::uint32_t>(step.src[1])[lane]; };
  Mbarriers& mbarriers = block_.mbarriers();
  LaneMask complete = 0;
  for (LaneMask left = active; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const Address at = access.address[lane];
    Mbarriers::Complaint complaint;
    switch (form.action) {
      case MbarrierAction::kInit: complaint = mbarriers.initialise(at, number(lane)); break;
      case MbarrierAction::kInvalidate: complaint = mbarriers.invalidate(at); break;
      case MbarrierAction::kArrive: {
        if (context_.races != nullptr && !form.relaxed) context_.races->release({block_, *this, frame, step}, lane, Space::kShared, at);
        Arrival arrival;
        (form.expects ? arrival.announced : arrival.count) = number(lane);
        arrival.drops = form.drops;
        arrival.must_not_complete = form.must_not_complete;
        std::uint64_t state = 0;
        complaint = mbarriers.arrive(at, arrival, state);
        if (step.dst[0] != kNoRegister) registers.row<std::uint64_t>(step.dst[0])[lane] = state;
        break;
      }
      case MbarrierAction::kExpect: complaint = mbarriers.expect(at, number(lane)); break;
      case MbarrierAction::kComplete: complaint = mbarriers.complete(at, number(lane)); break;
      case MbarrierAction::kTest: {
        for (const auto& warp : block_.warps()) {
          if (!complaint && !warp->signal_copies(at, frame, complaint)) return Outcome::kFault;
        }
        if (complaint) break;
        bool done = false;
        complaint = form.by_parity ? mbarriers.test_parity(at, number(lane), done)
                                   : mbarriers.test(at, registers.row<std::uint64_t>(step.src[1])[lane], done);
        if (!done) break;
        complete |= LaneMask{1} << lane;
        if (context_.races != nullptr && !form.relaxed) context_.races->acquire({block_, *this, frame, step}, lane, Space::kShared, at);
        break;
      }
      case MbarrierAction::kTrack:
        if (!form.must_not_complete) complaint = mbarriers.add_pending(at);
        if (!complaint) copies_.signal(at, LaneMask{1} << lane);
        break;
    }
    if (complaint && !complain(frame, step, lane, at, *complaint)) return Outcome::kFault;
  }
  if (form.action == MbarrierAction::kTest) return answer_test(index, step, active, complete);
  ++context_.changes;
  ++splits_[index].step;
  return Outcome::kContinue;
}

/// " of bar: phase 3 lacks 12 of 128 arrivals", for who waits at a test.
std::string Warp::mbarrier_text(const Split& split) const {
  const Step& step = split.frame->function->steps[static_cast<std::size_t>(split.step)];
  if (step.kind != StepKind::kMbarrier) return "";
  const MemoryPlan& plan = split.frame->function->memory_plans[static_cast<std::size_t>(step.plan)];
  Address address[kWarpSize];
  compute_addresses(split.frame->registers(), step.src[0], plan.narrow_address, step.immediate, address);
  Address at = address[std::countr_zero(split.waiting)];
  if (plan.space == Space::kGeneric) at -= kSharedWindow;
  for (const Mbarrier& barrier : block_.mbarriers().live()) {
    if (barrier.at != at) continue;
    std::string text = fmt::format(" of {}: phase {} lacks {} of {} arrivals", place_text(context_.shared_regions, at), barrier.phase,
                                   barrier.pending, barrier.expected);
    if (barrier.transactions != 0) text += fmt::format(" and {} bytes", barrier.transactions);
    return text;
  }
  return "";
}

/// Gives the lanes the answer to their test, or puts them aside when they ask in vain again.
Warp::Outcome Warp::answer_test(std::size_t index, const Step& step, LaneMask active, LaneMask complete) {
  Split& split = splits_[index];
  const bool in_vain = complete == 0;
  const bool again = in_vain && poll_.step == &step && poll_.lanes == active;
  // Lanes that have been put aside before are so at once when what has changed was not for them.
  const bool patient = again && (poll_.changes == context_.changes || poll_.times >= kPolls);
  poll_ = {in_vain ? &step : nullptr, active, context_.changes, patient ? poll_.times + 1 : 0};
  if (poll_.times >= kPolls) {
    split.state = SplitState::kSpinning;
    split.waiting = active;
    split.seen_changes = context_.changes;
    return Outcome::kSwitch;
  }
  if (step.dst[0] != kNoRegister) {
    LaneMask& answer = split.frame->registers().predicate(step.dst[0]);
    answer = (answer & ~active) | complete;
  }
  ++split.step;
  return Outcome::kContinue;
}

}  // namespace warpbook::vgpu
