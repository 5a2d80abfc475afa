#include "judge/device/sanitizer_category.hpp"

#include <fmt/format.h>

#include "judge/device/codes.hpp"

namespace warpbook::device {
namespace {

bool starts(std::string_view text, std::string_view with) { return text.substr(0, with.size()) == with; }

/// What an instruction does to memory: "read", "write" or "atomic".
std::string_view access_of(std::string_view instruction) {
  if (starts(instruction, "atom") || starts(instruction, "red")) return "atomic";
  return starts(instruction, "st") ? "write" : "read";
}

/// "__global__". A generic access is named by where it ended up; constant memory counts as global there.
std::string space_word(const Fault& fault) {
  if (fault.space == "shared" || fault.space == "local") return fmt::format("__{}__", fault.space);
  return "__global__";
}

SanitizerCategory invalid_access(const Fault& fault) {
  return {"memcheck", fmt::format("Invalid {} {} of size {} bytes", space_word(fault), access_of(fault.instruction), fault.bytes)};
}

/// The hazard by the two accesses, the earlier one first: it is what `related` describes.
SanitizerCategory hazard(const Fault& fault) {
  if (fault.space != "shared") return {};  // racecheck looks at shared memory only
  const bool later_writes = access_of(fault.instruction) != "read";
  const bool earlier_writes = fault.related.empty() || fault.related.front().what.find("read") == std::string::npos;
  const std::string_view name = !later_writes ? "RAW" : earlier_writes ? "WAW" : "WAR";
  const std::string_view level = fault.severity == Severity::kWarning ? "(Warp Level Programming) " : "";
  return {"racecheck", fmt::format("{}Potential {} hazard detected at __shared__ {:#x} in block ({},{},{})", level, name, fault.address,
                                   fault.block.x, fault.block.y, fault.block.z)};
}

SanitizerCategory api_error(const Fault& fault, std::string_view call) {
  return {"memcheck",
          fmt::format("Program hit {} (error {}) on CUDA API call to {}", name_of(fault.code), static_cast<int>(fault.code), call)};
}

}  // namespace

SanitizerCategory sanitizer_category(const Fault& fault) {
  switch (fault.kind) {
    case FaultKind::kUseAfterFree:
      if (fault.bytes == 0) return {"memcheck", "Malloc/Free error encountered : Double free"};  // free of the device: no access
      return invalid_access(fault);
    case FaultKind::kOutOfBounds:
    case FaultKind::kMisaligned:
    case FaultKind::kNullPointer:
    case FaultKind::kReadOnly:
    case FaultKind::kHostPointer: return invalid_access(fault);
    case FaultKind::kUninitialised:
      return {"initcheck", fmt::format("Uninitialized {} memory read of size {} bytes", space_word(fault), fault.bytes)};
    case FaultKind::kRace: return hazard(fault);
    case FaultKind::kBarrierDivergence: return {"synccheck", "Barrier error detected. Divergent thread(s) in block."};
    case FaultKind::kBadShuffleMask: return {"synccheck", "Barrier error detected. Invalid arguments."};
    case FaultKind::kStackOverflow: return {"memcheck", "Stack overflow"};
    case FaultKind::kAssert:
    case FaultKind::kTrap: return api_error(fault, "cudaDeviceSynchronize");
    case FaultKind::kInvalidLaunch:
    case FaultKind::kLaunchError: return api_error(fault, "cudaLaunchKernel");
    case FaultKind::kInvalidCall: return api_error(fault, fault.kernel.empty() ? "the runtime" : fault.kernel);
    case FaultKind::kDeadlock:
    case FaultKind::kBudget:
    case FaultKind::kUnsupported:
    case FaultKind::kNone: return {};
  }
  return {};
}

}  // namespace warpbook::device
