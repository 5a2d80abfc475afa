#pragma once
// Device memory: one address space in which allocations are never neighbours.
//
// Addresses grow and are never given out twice, and between two allocations lies a guard at least as long as the first of them. So an
// overrun lands in no man's land instead of in another tensor, and a freed allocation is still known by name when a stale pointer comes
// back. The bytes behind an allocation are mapped without reserving them: three rows at a stride of 2^30 floats cost the three rows.
// (Rejected: the allocator of the host. Its neighbours touch, and its addresses come back.)
//
// Managed and pinned memory is mapped at its own device address, so that one pointer serves host and kernels. Host memory that a program
// registers keeps the address that it has, far above all others; only there can an address come back.
#include <memory>
#include <string_view>
#include <vector>

#include "judge/vgpu/region.hpp"

namespace warpbook::vgpu {

inline constexpr Address kNullPageEnd = 0x10000;           ///< addresses below are null pointers with an offset
inline constexpr Address kFirstAddress = 0x7'0000'0000;    ///< of the first allocation
inline constexpr Address kLastAddress = 0x6000'0000'0000;  ///< no allocation reaches it
inline constexpr Address kConstWindow = 0x6000'0000'0000;  ///< constants lie here, so that isspacep.const can tell
inline constexpr Address kParamWindow = 0x6100'0000'0000;  ///< and parameters of kernels here
inline constexpr std::uint64_t kReadOnlyWindowBytes = std::uint64_t{1} << 40;
inline constexpr Address kSharedWindow = 0x7000'0000'0000;  ///< generic address of shared offset 0
inline constexpr Address kLocalWindow = 0x7100'0000'0000;   ///< generic address of local offset 0
inline constexpr std::uint64_t kWindowBytes = 1u << 24;     ///< length of the shared and the local window
inline constexpr Address kCodeWindow = 0x7200'0000'0000;    ///< addresses of functions
inline constexpr std::uint64_t kAllocationAlignment = 256;

/// In which space a generic address lies: shared, local, or global for everything else.
inline ptx::Space space_of(Address generic) {
  if (generic - kSharedWindow < kWindowBytes) return ptx::Space::kShared;
  if (generic - kLocalWindow < kWindowBytes) return ptx::Space::kLocal;
  return ptx::Space::kGlobal;
}

/// Whether a generic address lies in the window of `space`, as isspacep asks. Parameters of kernels are among global memory, too (PTX
/// manual, isspacep); constants are not.
inline bool lies_in(ptx::Space space, Address generic) {
  const bool constant = generic - kConstWindow < kReadOnlyWindowBytes;
  if (space == ptx::Space::kConst) return constant;
  if (space == ptx::Space::kParam) return generic - kParamWindow < kReadOnlyWindowBytes;
  return space_of(generic) == space && !constant;
}

class Memory {
 public:
  /// `capacity` bytes may be live at once.
  explicit Memory(std::uint64_t capacity) : capacity_(capacity) {}
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// Zeroed memory at `offset` bytes past a multiple of 256; null when capacity or addresses are exhausted.
  Region* allocate(std::uint64_t bytes, std::uint64_t offset, std::string_view name, ptx::Space space);
  /// Zeroed memory that the host uses too: its device address is its host address. Null as above, or when the host has no room there.
  Region* allocate_shared(std::uint64_t bytes, std::string_view name);
  /// Host memory [host, host + bytes) as a region of its own address; it stays the caller's. Null when it overlaps a live region.
  Region* share(std::byte* host, std::uint64_t bytes);
  /// Ends the region that starts at `base`; false when no live one does.
  bool release(Address base);
  /// The live region that holds `address`, or null.
  Region* find(Address address) const;
  /// The region, live or freed, that is closest to `address`; null when there is none.
  const Region* nearest(Address address) const;
  /// The freed region that held `address`, or null.
  const Region* find_freed(Address address) const;

  std::uint64_t used() const { return used_; }
  std::uint64_t capacity() const { return capacity_; }

 private:
  /// Claims the next `bytes` addresses and a guard behind them; null when capacity or addresses are exhausted.
  std::unique_ptr<Region> claim(std::uint64_t bytes, std::uint64_t offset, std::string_view name, ptx::Space space);
  Region* keep(std::unique_ptr<Region> region);
  std::size_t index_after(Address address) const;  ///< of the first region that starts behind `address`

  std::vector<std::unique_ptr<Region>> regions_;  ///< by address
  std::uint64_t capacity_;
  std::uint64_t used_ = 0;
  Address next_ = kFirstAddress, next_const_ = kConstWindow, next_param_ = kParamWindow;
};

}  // namespace warpbook::vgpu
