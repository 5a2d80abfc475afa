#include "judge/vgpu/memory.hpp"

#include <sys/mman.h>

#include <algorithm>

namespace warpbook::vgpu {

namespace {

constexpr std::uint64_t kSmallestGuard = std::uint64_t{16} << 20;

constexpr std::uint64_t kHostPage = 4096;

std::uint64_t round_up(std::uint64_t value, std::uint64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

/// A region of no bytes still needs an address of its own.
std::uint64_t mapped_bytes(const Region& region) { return std::max<std::uint64_t>(region.bytes, 1); }

void unmap(Region& region) {
  if (region.data != nullptr && !region.foreign) munmap(region.data, mapped_bytes(region));
  region.data = nullptr;
}

}  // namespace

Memory::~Memory() {
  for (const std::unique_ptr<Region>& region : regions_) unmap(*region);
}

std::unique_ptr<Region> Memory::claim(std::uint64_t bytes, std::uint64_t offset, std::string_view name, ptx::Space space) {
  if (bytes > capacity_ - used_) return nullptr;
  const std::uint64_t guard = std::max(kSmallestGuard, bytes);
  const bool constant = space == ptx::Space::kConst, parameters = space == ptx::Space::kParam;
  Address& next = constant ? next_const_ : parameters ? next_param_ : next_;
  const Address last = constant ? kConstWindow + kReadOnlyWindowBytes : parameters ? kParamWindow + kReadOnlyWindowBytes : kLastAddress;
  if (guard > (last - next) / 2 || offset > kSmallestGuard) return nullptr;
  auto region = std::make_unique<Region>();
  region->base = next + offset;
  region->bytes = bytes;
  region->name = name;
  region->space = space;
  region->read_only = constant || parameters;
  next = round_up(region->end() + guard, kAllocationAlignment);
  return region;
}

Region* Memory::keep(std::unique_ptr<Region> region) {
  used_ += region->bytes;
  const auto at = regions_.begin() + static_cast<std::ptrdiff_t>(index_after(region->base));
  return regions_.insert(at, std::move(region))->get();
}

Region* Memory::allocate(std::uint64_t bytes, std::uint64_t offset, std::string_view name, ptx::Space space) {
  std::unique_ptr<Region> region = claim(bytes, offset, name, space);
  if (region == nullptr) return nullptr;
  void* mapping = mmap(nullptr, mapped_bytes(*region), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) return nullptr;
  // A kernel touches most of a large tensor once, and each first touch of a small page is a trap. Beyond the upper limit lie tensors whose
  // rows are gigabytes apart, which hold little.
  constexpr std::uint64_t kLarge = std::uint64_t{4} << 20, kSparse = std::uint64_t{1} << 30;
  if (bytes >= kLarge && bytes < kSparse) madvise(mapping, mapped_bytes(*region), MADV_HUGEPAGE);
  region->data = static_cast<std::byte*>(mapping);
  return keep(std::move(region));
}

Region* Memory::allocate_shared(std::uint64_t bytes, std::string_view name) {
  for (;;) {
    next_ = round_up(next_, kHostPage);
    std::unique_ptr<Region> region = claim(bytes, 0, name, ptx::Space::kGlobal);
    if (region == nullptr) return nullptr;
    void* const wanted = reinterpret_cast<void*>(region->base);
    void* mapping = mmap(wanted, mapped_bytes(*region), PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (mapping == wanted) {
      region->data = static_cast<std::byte*>(mapping);
      return keep(std::move(region));
    }
    // Something of the process lies there (a sanitizer keeps terabytes of tables); look far behind it.
    if (mapping != MAP_FAILED) munmap(mapping, mapped_bytes(*region));
    next_ += next_ / 2;
  }
}

Region* Memory::share(std::byte* host, std::uint64_t bytes) {
  const auto base = reinterpret_cast<Address>(host);
  const auto overlaps = [&](const std::unique_ptr<Region>& region) { return region->base < base + bytes && base < region->end(); };
  if (std::any_of(regions_.begin(), regions_.end(), [&](const auto& region) { return region->live && overlaps(region); })) return nullptr;
  // What was registered here before is forgotten: two regions cannot have one address.
  std::erase_if(regions_, [&](const auto& region) { return overlaps(region); });
  auto region = std::make_unique<Region>();
  region->base = base;
  region->bytes = bytes;
  region->data = host;
  region->foreign = true;
  Region* kept = keep(std::move(region));
  used_ -= bytes;  // it takes nothing of the device's own memory
  return kept;
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
  region->races.reset();
  region->defined.reset();
  if (!region->foreign) used_ -= region->bytes;
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
