#include "judge/vgpu/device_heap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "judge/vgpu/watch/defined_bytes.hpp"

namespace warpbook::vgpu {

namespace {

constexpr std::uint64_t kUnit = 16;    // what malloc aligns to and counts in
constexpr int kFreshPattern = 0xFF;    // as in shared memory: NaN, -1
constexpr std::uint64_t kHeader = 16;  // what the allocator itself keeps of each piece

}  // namespace

Address DeviceHeap::allocate(std::uint64_t bytes) {
  if (bytes == 0 || bytes > limit_) return 0;
  const std::uint64_t taken = (bytes + kUnit - 1) / kUnit * kUnit + kHeader;
  if (used_ > limit_ || taken > limit_ - used_) return 0;  // the limit may have been lowered since
  Region* region = memory_.allocate(bytes, 0, "memory from malloc", ptx::Space::kGlobal);
  if (region == nullptr) return 0;
  std::memset(region->data, kFreshPattern, bytes);
  if (watched_) region->defined = std::make_shared<DefinedBytes>(bytes);
  used_ += taken;
  live_[region->base] = taken;
  return region->base;
}

std::string DeviceHeap::free(Address address) {
  if (address == 0) return {};
  const auto known = live_.find(address);
  if (known == live_.end()) {
    if (const Region* freed = memory_.find_freed(address))
      return fmt::format("free of {:#x}, which has been freed before: it was {} of {} bytes", address,
                         freed->name.empty() ? "an allocation" : freed->name, freed->bytes);
    if (memory_.find(address) == nullptr) return fmt::format("free of {:#x}, where no allocation is", address);
    return fmt::format("free of {:#x}, which malloc of the device did not return", address);
  }
  memory_.release(address);
  used_ -= known->second;
  live_.erase(known);
  return {};
}

}  // namespace warpbook::vgpu
