#include "judge/vgpu/memory.hpp"

#include <sys/mman.h>

#include <algorithm>

namespace warpbook::vgpu {

namespace {

constexpr std::uint64_t kSmallestGuard = std::uint64_t{16} << 20;

std::uint64_t round_up(std::uint64_t value, std::uint64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

/// A region of no bytes still needs an address of its own.
std::uint64_t mapped_bytes(const Region& region) { return std::max<std::uint64_t>(region.bytes, 1); }

void unmap(Region& region) {
  if (region.data != nullptr) munmap(region.data, mapped_bytes(region));
  region.data = nullptr;
}

}  // namespace

Memory::~Memory() {
  for (const std::unique_ptr<Region>& region : regions_) unmap(*region);
}

Region* Memory::allocate(std::uint64_t bytes, std::uint64_t offset, std::string_view name, ptx::Space space) {
  if (bytes > capacity_ - used_) return nullptr;
  const std::uint64_t guard = std::max(kSmallestGuard, bytes);
  if (guard > (kLastAddress - next_) / 2 || offset > kSmallestGuard) return nullptr;
  auto region = std::make_unique<Region>();
  region->base = next_ + offset;
  region->bytes = bytes;
  region->name = name;
  region->space = space;
  region->read_only = space == ptx::Space::kConst || space == ptx::Space::kParam;
  void* mapping = mmap(nullptr, mapped_bytes(*region), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) return nullptr;
  region->data = static_cast<std::byte*>(mapping);
  next_ = round_up(region->end() + guard, kAllocationAlignment);
  used_ += bytes;
  regions_.push_back(std::move(region));
  return regions_.back().get();
}

bool Memory::release(Address base) {
  Region* region = find(base);
  if (region == nullptr) {  // a region of no bytes holds no address
    const std::size_t after = index_after(base);
    if (after == 0 || regions_[after - 1]->base != base || !regions_[after - 1]->live) return false;
    region = regions_[after - 1].get();
  }
  if (region->base != base) return false;
  unmap(*region);
  region->live = false;
  used_ -= region->bytes;
  return true;
}

std::size_t Memory::index_after(Address address) const {
  const auto after = std::upper_bound(regions_.begin(), regions_.end(), address,
                                      [](Address wanted, const std::unique_ptr<Region>& region) { return wanted < region->base; });
  return static_cast<std::size_t>(after - regions_.begin());
}

Region* Memory::find(Address address) const {
  const std::size_t after = index_after(address);
  if (after == 0) return nullptr;
  Region* region = regions_[after - 1].get();
  return region->live && region->holds(address, 1) ? region : nullptr;
}

const Region* Memory::find_freed(Address address) const {
  const std::size_t after = index_after(address);
  if (after == 0) return nullptr;
  const Region* region = regions_[after - 1].get();
  return !region->live && region->holds(address, 1) ? region : nullptr;
}

const Region* Memory::nearest(Address address) const {
  const std::size_t after = index_after(address);
  const Region* below = after == 0 ? nullptr : regions_[after - 1].get();
  const Region* above = after == regions_.size() ? nullptr : regions_[after].get();
  if (below == nullptr || above == nullptr) return below == nullptr ? above : below;
  const std::uint64_t past = address < below->end() ? 0 : address - below->end();
  return past <= above->base - address ? below : above;
}

}  // namespace warpbook::vgpu
