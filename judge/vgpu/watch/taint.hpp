#pragma once
// Which bytes of a frame's registers hold nothing that anybody computed. Almost always none: the engine asks `any()` once per turn and
// has a loop of its own for frames that hold such values, so that the others pay nothing (rejected: a mask per register that every
// instruction combines; it costs as much as the arithmetic).
#include <array>
#include <cstdint>
#include <vector>

#include "judge/vgpu/registers.hpp"

namespace warpbook::vgpu {

/// Bit i of an element: byte i of that lane's value is undefined. Predicates: 0xFF or 0.
using ByteMasks = std::array<std::uint8_t, kWarpSize>;
inline constexpr std::uint8_t kAllBytes = 0xFF;
/// The mask of an element of `count` bytes; wider ones have the mask of eight.
inline std::uint8_t low_bytes(int count) { return count >= 8 ? kAllBytes : static_cast<std::uint8_t>((1u << count) - 1); }

class Taint {
 public:
  struct Row {
    std::uint32_t offset = 0;  ///< of the register in the frame
    std::uint32_t origin = 0;  ///< where the value came from: InitWatch knows
    ByteMasks bytes{};
  };

  bool any() const { return !rows_.empty(); }
  void clear();
  /// Null when every lane of the register at `offset` is defined.
  const Row* find(std::uint32_t offset) const {
    const std::uint32_t slot = offset / kUnit;
    if (slot / 64 >= present_.size() || (present_[slot / 64] >> (slot % 64) & 1u) == 0) return nullptr;
    return search(offset);
  }
  /// Says what the `lanes` of the register hold from now on.
  void set(std::uint32_t offset, LaneMask lanes, const ByteMasks& bytes, std::uint32_t origin);
  void set_defined(std::uint32_t offset, LaneMask lanes) {
    if (find(offset) != nullptr) set(offset, lanes, ByteMasks{}, 0);
  }
  const std::vector<Row>& rows() const { return rows_; }

 private:
  static constexpr std::uint32_t kUnit = 4;  // predicates are four bytes apart, rows more
  const Row* search(std::uint32_t offset) const;

  std::vector<Row> rows_;
  std::vector<std::uint64_t> present_;  ///< a bit per possible offset
};

/// Lanes of `lanes` for which some byte of `width` is undefined.
LaneMask undefined_lanes(const Taint::Row* row, LaneMask lanes, std::uint8_t width_mask = kAllBytes);

}  // namespace warpbook::vgpu
