// What is said about an access that is refused: what lies nearest, and how far off the address is.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "judge/vgpu/block.hpp"
#include "judge/vgpu/demangle.hpp"
#include "judge/vgpu/warp.hpp"

namespace warpbook::vgpu {

namespace {

using device::FaultKind;
using ptx::Space;

struct Finding {
  FaultKind kind;
  device::Code code = device::Code::kIllegalAddress;
  std::string message;
};

std::string_view verb_of(const Access& access) {
  if (access.plan.atomic != nullptr) return "atomic access";
  return access.writes ? "write" : "read";
}

std::string bytes_text(std::uint64_t bytes) { return fmt::format("{} {}", bytes, bytes == 1 ? "byte" : "bytes"); }

/// "x (1024 bytes at 0x700000000)"
std::string region_text(const Region& region) {
  const std::string name = region.name.empty() ? "an allocation" : variable_name(region.name);
  return fmt::format("{} ({} at {:#x})", name, bytes_text(region.bytes), region.base);
}

/// "is 8 bytes past the end of x (...)"
std::string relation(const Region& region, Address address, std::uint64_t bytes) {
  if (address < region.base) {
    const std::uint64_t gap = region.base - address;
    if (gap < bytes) return fmt::format("begins {} before {}", bytes_text(gap), region_text(region));
    return fmt::format("is {} before {}", bytes_text(gap), region_text(region));
  }
  if (address >= region.end()) {
    const std::uint64_t gap = address - region.end();
    if (gap == 0) return fmt::format("is right past the end of {}", region_text(region));
    return fmt::format("is {} past the end of {}", bytes_text(gap), region_text(region));
  }
  return fmt::format("ends {} past the end of {}", bytes_text(address + bytes - region.end()), region_text(region));
}

const Region* nearest_shared(const std::vector<Region>& regions, Address address) {
  const Region* best = nullptr;
  std::uint64_t distance = ~std::uint64_t{0};
  for (const Region& region : regions) {
    if (region.bytes == 0 && regions.size() > 1) continue;
    const std::uint64_t away = address < region.base ? region.base - address : address < region.end() ? 0 : address - region.end();
    if (away < distance) {
      best = &region;
      distance = away;
    }
  }
  return best;
}

/// Programs have their heap, stack and libraries at the upper end of the lower half of the address space, where device memory never comes
/// near: addresses of it grow from below, and 16 TiB lie between them and the first that a host uses.
bool looks_like_host(Address address, const Region* nearest) {
  constexpr Address kLowestHost = 0x5400'0000'0000, kHighestHost = 0x8000'0000'0000;
  constexpr std::uint64_t kFar = std::uint64_t{1} << 36;  // registered host memory is overrun by less
  if (address < kLowestHost || address >= kHighestHost) return false;
  if (nearest == nullptr) return true;
  return address < nearest->base ? nearest->base - address > kFar : address - nearest->end() > kFar;
}

Finding global_finding(const Memory& memory, const Access& access, Address address) {
  const std::string what = fmt::format("{} of {} at {:#x}", verb_of(access), bytes_text(access.bytes), address);
  if (address < kNullPageEnd) {
    if (address == 0) return {FaultKind::kNullPointer, device::Code::kIllegalAddress, what + " goes through a null pointer"};
    return {FaultKind::kNullPointer, device::Code::kIllegalAddress,
            fmt::format("{} goes through a null pointer plus {}", what, bytes_text(address))};
  }
  if (const Region* freed = memory.find_freed(address)) {
    return {FaultKind::kUseAfterFree, device::Code::kIllegalAddress,
            fmt::format("{} is {} into {}, which has been freed{}{}", what, bytes_text(address - freed->base), region_text(*freed),
                        freed->freed.empty() ? "" : " ", freed->freed)};
  }
  if (space_of(address) != Space::kGlobal) {
    return {FaultKind::kOutOfBounds, device::Code::kIllegalAddress,
            fmt::format("{} points into {} memory, but the instruction is for global memory", what,
                        space_of(address) == Space::kShared ? "shared" : "local")};
  }
  const Region* nearest = memory.nearest(address);
  if (looks_like_host(address, nearest)) {
    return {FaultKind::kHostPointer, device::Code::kIllegalAddress,
            fmt::format("{} goes through a host pointer: kernels need memory of cudaMalloc or cudaMallocManaged", what)};
  }
  if (nearest == nullptr) return {FaultKind::kOutOfBounds, device::Code::kIllegalAddress, what + " is in no allocation: there is none"};
  return {FaultKind::kOutOfBounds, device::Code::kIllegalAddress, what + " " + relation(*nearest, address, access.bytes)};
}

/// The source line of a step, as a number that only serves to compare; -1: unknown.
std::int32_t line_of(const ptx::Module& module, const Step& step) {
  if (step.instruction == nullptr || step.instruction->location < 0) return -1;
  const auto location = static_cast<std::size_t>(step.instruction->location);
  if (location >= module.locations.size() || module.locations[location].frames.empty()) return -1;
  return module.locations[location].frames.front().line;
}

}  // namespace

/// True for a write whose lanes have all just been refused a read of the same address by the same line.
bool Warp::refused_before(const Access& access, LaneMask bad) {
  const std::int32_t location = line_of(context_.program.module(), access.step);
  if (access.reads || !access.writes) {
    refused_.lanes = access.writes ? 0 : bad;
    refused_.location = location;
    std::copy_n(access.address, kWarpSize, refused_.address);
    return false;
  }
  bool same = (bad & ~refused_.lanes) == 0 && location == refused_.location;
  for (LaneMask left = bad; left != 0; left &= left - 1)
    same = same && access.address[std::countr_zero(left)] == refused_.address[std::countr_zero(left)];
  refused_.lanes = 0;
  return same;
}

bool Warp::refuse(const Frame& frame, Access& access, LaneMask bad, FaultKind kind) {
  if (refused_before(access, bad)) {
    access.active &= ~bad;
    if (access.pattern == Pattern::kContiguous) access.pattern = Pattern::kScattered;
    return true;
  }
  const int lane = std::countr_zero(bad);
  const Address address = access.address[lane];
  Finding finding{kind, device::Code::kIllegalAddress, ""};
  const std::string what = fmt::format("{} of {} at {:#x}", verb_of(access), bytes_text(access.bytes), address);
  if (kind == FaultKind::kMisaligned) {
    finding.code = device::Code::kMisalignedAddress;
    finding.message = fmt::format("{} is misaligned: the address must be a multiple of {}", what, access.bytes);
  } else if (kind == FaultKind::kReadOnly) {
    finding.message = fmt::format("{} changes {}, which kernels may only read", what, region_text(*context_.memory.find(address)));
  } else if (access.space == Space::kShared) {
    const Region* nearest = nearest_shared(context_.shared_regions, address);
    finding.message = fmt::format("{} of shared memory {}", what, relation(*nearest, address, access.bytes));
  } else if (access.space == Space::kLocal) {
    finding.message = fmt::format("{} of local memory is outside the {} that the thread has", what, bytes_text(frame.local_end()));
  } else {
    finding = global_finding(context_.memory, access, address);
  }
  device::Fault fault = make_fault(finding.kind, finding.code, std::move(finding.message), frame, access.step, lane);
  fault.address = address;
  fault.bytes = access.bytes;
  switch (access.space) {
    case Space::kShared: fault.space = "shared"; break;
    case Space::kLocal: fault.space = "local"; break;
    case Space::kConst: fault.space = "const"; break;
    case Space::kParam: fault.space = "param"; break;
    default: fault.space = "global"; break;
  }
  fault.lanes_affected = static_cast<std::uint64_t>(std::popcount(bad));
  access.active &= ~bad;
  if (access.pattern == Pattern::kContiguous) access.pattern = Pattern::kScattered;
  return add_fault(std::move(fault));
}

}  // namespace warpbook::vgpu
