#include "judge/device/fault_text.hpp"

#include <fmt/format.h>

namespace warpbook::device {
namespace {

std::string place(const Frame& frame) {
  std::string text = frame.file.empty() ? "unknown source" : frame.file;
  if (frame.line > 0) text += fmt::format(":{}", frame.line);
  if (frame.line > 0 && frame.column > 0) text += fmt::format(":{}", frame.column);
  if (!frame.function.empty()) text += fmt::format(" in {}", frame.function);
  return text;
}

std::string dim(const Dim3& d) { return fmt::format("({},{},{})", d.x, d.y, d.z); }

void append_frames(std::string& out, const std::vector<Frame>& frames, std::string_view indent) {
  for (std::size_t i = 0; i < frames.size(); ++i) out += fmt::format("\n{}{} {}", indent, i == 0 ? "at" : "inlined at", place(frames[i]));
}

}  // namespace

std::string text_of(const Dim3& at) { return fmt::format("({}, {}, {})", at.x, at.y, at.z); }

std::string_view name_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::kNone: return "no fault";
    case FaultKind::kOutOfBounds: return "out of bounds";
    case FaultKind::kMisaligned: return "misaligned";
    case FaultKind::kUseAfterFree: return "use after free";
    case FaultKind::kNullPointer: return "null pointer";
    case FaultKind::kReadOnly: return "write to read-only memory";
    case FaultKind::kUninitialised: return "uninitialised value";
    case FaultKind::kRace: return "race";
    case FaultKind::kBarrierDivergence: return "barrier divergence";
    case FaultKind::kDeadlock: return "deadlock";
    case FaultKind::kBadShuffleMask: return "bad shuffle mask";
    case FaultKind::kInvalidLaunch: return "invalid launch";
    case FaultKind::kBudget: return "instruction budget used up";
    case FaultKind::kTrap: return "trap";
    case FaultKind::kAssert: return "failed assert";
    case FaultKind::kStackOverflow: return "stack overflow";
    case FaultKind::kUnsupported: return "not supported yet";
    case FaultKind::kHostPointer: return "host pointer on the device";
    case FaultKind::kInvalidCall: return "invalid call";
    case FaultKind::kLaunchError: return "launch error";
  }
  return "unknown fault";
}

std::string fault_text(const Fault& fault) {
  std::string out = fmt::format("{} in {}: {}", name_of(fault.kind), fault.kernel.empty() ? "a kernel" : fault.kernel, fault.message);
  append_frames(out, fault.frames, "  ");
  out += fmt::format("\n  thread {}, block {}", dim(fault.thread), dim(fault.block));
  if (!fault.instruction.empty()) out += fmt::format(", instruction {}", fault.instruction);
  if (fault.lanes_affected > 1) out += fmt::format(", {} lanes of its warp did the same", fault.lanes_affected);
  for (const Waiter& waiter : fault.waiters) {
    out += fmt::format("\n  {}: {}", waiter.threads, waiter.what);
    append_frames(out, waiter.frames, "    ");
  }
  return out;
}

}  // namespace warpbook::device
