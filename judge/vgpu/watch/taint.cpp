#include "judge/vgpu/watch/taint.hpp"

#include <algorithm>
#include <bit>

namespace warpbook::vgpu {

void Taint::clear() {
  rows_.clear();
  std::fill(present_.begin(), present_.end(), std::uint64_t{0});
}

const Taint::Row* Taint::search(std::uint32_t offset) const {
  for (const Row& row : rows_) {
    if (row.offset == offset) return &row;
  }
  return nullptr;
}

void Taint::set(std::uint32_t offset, LaneMask lanes, const ByteMasks& bytes, std::uint32_t origin) {
  const std::uint32_t slot = offset / kUnit;
  if (slot / 64 >= present_.size()) present_.resize(slot / 64 + 1);
  auto row = std::find_if(rows_.begin(), rows_.end(), [&](const Row& known) { return known.offset == offset; });
  if (row == rows_.end()) {
    rows_.push_back({offset, origin, {}});
    row = rows_.end() - 1;
    present_[slot / 64] |= std::uint64_t{1} << (slot % 64);
  }
  bool any_new = false, any = false;
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
    if ((lanes >> lane & 1u) != 0) {
      row->bytes[lane] = bytes[lane];
      any_new = any_new || bytes[lane] != 0;
    }
    any = any || row->bytes[lane] != 0;
  }
  if (any_new) row->origin = origin;
  if (any) return;
  present_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
  *row = rows_.back();
  rows_.pop_back();
}

LaneMask undefined_lanes(const Taint::Row* row, LaneMask lanes, std::uint8_t width_mask) {
  if (row == nullptr) return 0;
  LaneMask out = 0;
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    if ((row->bytes[static_cast<std::size_t>(lane)] & width_mask) != 0) out |= LaneMask{1} << lane;
  }
  return out;
}

}  // namespace warpbook::vgpu
