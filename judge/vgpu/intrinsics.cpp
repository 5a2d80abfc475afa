// Functions that the device provides: vprintf and __assertfail; malloc and free are in heap_calls.cpp.
#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "judge/vgpu/block.hpp"
#include "judge/vgpu/print_format.hpp"
#include "judge/vgpu/warp.hpp"

namespace warpbook::vgpu {

namespace {

constexpr std::uint64_t kLongestText = 4096;
/// What kernels may print before the rest is dropped: a loop that prints must not fill the machine.
constexpr std::size_t kMostOutput = std::size_t{1} << 20;

}  // namespace

void Warp::give_result(const Frame& frame, const CallPlan& plan, int lane, std::uint64_t value) {
  if (plan.results.empty() || plan.results[0].bytes == 0) return;
  const Slot& slot = plan.results[0];
  write_slot(frame, slot, lane, reinterpret_cast<const std::byte*>(&value));
  if (context_.initialised == nullptr) return;
  if (slot.row != kNoRegister) frame.taint->set_defined(slot.row, LaneMask{1} << lane);
  else local_.defined()->mark(static_cast<std::uint64_t>(lane) * local_.stride() + frame.local_base + slot.displacement, slot.bytes);
}

std::uint64_t Warp::argument(const Frame& frame, const CallPlan& plan, std::size_t index, int lane) const {
  if (index >= plan.arguments.size() || plan.arguments[index].bytes > sizeof(std::uint64_t)) return 0;
  std::byte bytes[sizeof(std::uint64_t)] = {};
  read_slot(frame, plan.arguments[index], lane, bytes);
  std::uint64_t value = 0;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

const std::byte* Warp::look(const Frame& frame, int lane, Address generic, std::uint64_t bytes) const {
  switch (space_of(generic)) {
    case ptx::Space::kLocal: {
      const std::uint64_t offset = generic - kLocalWindow;
      return offset + bytes <= frame.local_end() ? local(lane, offset) : nullptr;
    }
    case ptx::Space::kShared:
      for (const Region& region : context_.shared_regions) {
        if (region.holds(generic - kSharedWindow, bytes)) return block_.shared() + (generic - kSharedWindow);
      }
      return nullptr;
    default: {
      const Region* region = context_.memory.find(generic);
      return region != nullptr && region->holds(generic, bytes) ? region->data + (generic - region->base) : nullptr;
    }
  }
}

std::string Warp::text_at(const Frame& frame, int lane, Address generic) const {
  std::string text;
  if (generic == 0) return "(null)";
  while (text.size() < kLongestText) {
    const std::byte* at = look(frame, lane, generic + text.size(), 1);
    if (at == nullptr || *at == std::byte{0}) break;
    text += static_cast<char>(*at);
  }
  return text;
}

bool Warp::print(const Frame& frame, const Step& step, const CallPlan& plan, LaneMask active) {
  for (LaneMask left = active; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const std::string format = text_at(frame, lane, argument(frame, plan, 0, lane));
    Address next = argument(frame, plan, 1, lane);
    bool readable = true;
    const auto next_argument = [&](int bytes) {
      const auto width = static_cast<std::uint64_t>(bytes);
      next = (next + width - 1) / width * width;
      std::uint64_t value = 0;
      if (const std::byte* at = look(frame, lane, next, width)) std::memcpy(&value, at, width);
      else readable = false;
      next += width;
      return value;
    };
    const std::string text = format_print(format, next_argument, [&](std::uint64_t address) { return text_at(frame, lane, address); });
    if (!readable && !report(device::FaultKind::kOutOfBounds, device::Code::kIllegalAddress,
                             "printf needs more arguments than it was given: \"" + format + "\"", frame, step, lane)) {
      return false;
    }
    if (context_.output.size() + text.size() <= kMostOutput) context_.output += text;
  }
  ++context_.changes;  // printing is progress
  return true;
}

Warp::Outcome Warp::intrinsic(std::size_t index, const Step& step, const CallPlan& plan, LaneMask active) {
  Split& split = splits_[index];
  const Frame& frame = *split.frame;
  const int lane = std::countr_zero(active);
  switch (plan.intrinsic) {
    case Intrinsic::kPrintf: {
      if (!print(frame, step, plan, active)) return Outcome::kFault;
      const std::uint64_t printed = 1;
      for (LaneMask left = active; left != 0; left &= left - 1) give_result(frame, plan, std::countr_zero(left), printed);
      ++split.step;
      return Outcome::kContinue;
    }
    case Intrinsic::kAssertFail: {
      const std::string condition = text_at(frame, lane, argument(frame, plan, 0, lane)),
                        file = text_at(frame, lane, argument(frame, plan, 1, lane));
      const auto line = static_cast<std::uint32_t>(argument(frame, plan, 2, lane));
      const device::Dim3 at = block_.index(), thread = block_.thread(index_, lane);
      context_.output +=
          fmt::format("{}:{}: {}: block: [{},{},{}], thread: [{},{},{}] Assertion `{}` failed.\n", file, line,
                      text_at(frame, lane, argument(frame, plan, 3, lane)), at.x, at.y, at.z, thread.x, thread.y, thread.z, condition);
      report(device::FaultKind::kAssert, device::Code::kAssert, fmt::format("assertion `{}` failed ({}:{})", condition, file, line), frame,
             step, lane);
      return Outcome::kFault;
    }
    case Intrinsic::kMalloc:
    case Intrinsic::kFree: return heap_call(index, step, plan, active);
    case Intrinsic::kMissing:
    case Intrinsic::kNone: break;
  }
  const std::string& name = step.instruction->src.front().symbol;
  report(device::FaultKind::kUnsupported, device::Code::kNotSupported, fmt::format("not supported yet: {} on the device", name), frame,
         step, lane);
  return Outcome::kFault;
}

}  // namespace warpbook::vgpu
