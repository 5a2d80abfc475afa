// malloc and free of the device, lane by lane.
#include <bit>

#include "judge/vgpu/block.hpp"
#include "judge/vgpu/device_heap.hpp"
#include "judge/vgpu/warp.hpp"

namespace warpbook::vgpu {

Warp::Outcome Warp::heap_call(std::size_t index, const Step& step, const CallPlan& plan, LaneMask active) {
  Split& split = splits_[index];
  const Frame& frame = *split.frame;
  ++context_.changes;  // also of an allocator that only fails: a loop around it is no wait
  for (LaneMask left = active; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const std::uint64_t argument_bits = argument(frame, plan, 0, lane);
    if (plan.intrinsic == Intrinsic::kMalloc) {
      const std::uint64_t address = context_.heap->allocate(argument_bits);
      give_result(frame, plan, lane, address);
      continue;
    }
    std::string complaint = context_.heap->free(argument_bits);
    if (complaint.empty()) continue;
    const bool again = complaint.find("before") != std::string::npos;
    device::Fault fault = make_fault(again ? device::FaultKind::kUseAfterFree : device::FaultKind::kInvalidCall,
                                     device::Code::kLaunchFailure, std::move(complaint), frame, step, lane);
    fault.address = argument_bits;
    fault.space = "global";
    if (!add_fault(std::move(fault))) return Outcome::kFault;
  }
  ++split.step;
  return Outcome::kContinue;
}

}  // namespace warpbook::vgpu
