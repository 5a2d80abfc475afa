#pragma once
// The register file of a warp. Registers are rows of 32 lanes, one after another (structure of arrays), so that one instruction is one
// loop over a row and the compiler vectorises it. Predicates are one 32-bit mask each. Immediates and special registers are rows too,
// written once when the warp is made: every operand of every instruction is then a byte offset, and operations never ask what kind of
// operand they have. (Rejected: an operand-kind switch per fetch; it cost more than the arithmetic.)
#include <cstddef>
#include <cstdint>

namespace warpbook::vgpu {

inline constexpr int kWarpSize = 32;
using LaneMask = std::uint32_t;
inline constexpr LaneMask kAllLanes = 0xFFFFFFFFu;

/// A view of one warp's registers. Offsets are bytes, multiples of 64 for rows and of 4 for predicates.
/// A row of T has 32 elements: 8- and 16-bit registers are rows of uint16_t, 32-bit of uint32_t, 64-bit of uint64_t.
struct Registers {
  std::byte* base = nullptr;
  template <class T>
  T* row(std::uint32_t offset) const {
    return reinterpret_cast<T*>(__builtin_assume_aligned(base + offset, 64));
  }
  LaneMask& predicate(std::uint32_t offset) const { return *reinterpret_cast<LaneMask*>(base + offset); }
};

}  // namespace warpbook::vgpu
