#include "judge/vgpu/lane_text.hpp"

#include <fmt/format.h>

#include <bit>

namespace warpbook::vgpu {

std::string lanes_text(LaneMask lanes) {
  if (lanes == 0) return "no lane";
  std::string text = std::has_single_bit(lanes) ? "lane " : "lanes ";
  bool first = true;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if ((lanes >> lane & 1u) == 0) continue;
    int last = lane;
    while (last + 1 < kWarpSize && (lanes >> (last + 1) & 1u) != 0) ++last;
    if (!first) text += ", ";
    first = false;
    text += last == lane ? fmt::format("{}", lane) : fmt::format("{}-{}", lane, last);
    lane = last;
  }
  return text;
}

}  // namespace warpbook::vgpu
