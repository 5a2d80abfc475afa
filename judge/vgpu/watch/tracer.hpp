#pragma once
// Somebody who looks over a launch's shoulder, step by step. The engine tells everything and keeps nothing.
#include "judge/vgpu/access.hpp"
#include "judge/vgpu/watch/actor.hpp"

namespace warpbook::vgpu {

class Tracer {
 public:
  virtual ~Tracer() = default;
  /// A step is about to run. `mask`: lanes of the split; `active`: those whose guard holds (possibly none).
  virtual void step(const Actor& actor, LaneMask mask, LaneMask active) = 0;
  /// A checked access of `lanes`, before its bytes move; follows the step() it belongs to.
  virtual void access(const Actor& actor, const Access& access, LaneMask lanes) = 0;
};

}  // namespace warpbook::vgpu
