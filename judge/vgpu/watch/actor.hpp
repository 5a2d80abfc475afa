#pragma once
// Who does something that is watched: enough to order it against what others do, and to name it in a report.
#include "judge/vgpu/frame.hpp"
#include "judge/vgpu/step.hpp"

namespace warpbook::vgpu {

class Block;
class Warp;

struct Actor {
  const Block& block;
  const Warp& warp;
  const Frame& frame;
  const Step& step;
};

}  // namespace warpbook::vgpu
