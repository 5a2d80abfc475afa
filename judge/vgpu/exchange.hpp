#pragma once
// What lanes give each other once they have met: the arithmetic of shfl, vote, match, redux and elect on lanes that may come from several
// splits.
#include <array>
#include <optional>
#include <span>

#include "judge/vgpu/step.hpp"

namespace warpbook::vgpu {

struct Frame;

/// Lanes of one split at a rendezvous, with the registers and the step they brought.
struct Participant {
  Registers registers;
  const Step* step = nullptr;
  LaneMask lanes = 0;
  const Frame* frame = nullptr;
};

/// A shuffle asked for the value of a lane that is not present.
struct AbsentRead {
  int reader = 0, source = 0;
  const Step* step = nullptr;
};

/// Computes and writes the results of all lanes in `present`, the union of the participants' lanes. `mask`: what they named.
std::optional<AbsentRead> run_exchange(std::span<const Participant> participants, LaneMask mask, LaneMask present);

/// From which lane each lane of a shuffle reads; called before the exchange writes its results.
std::array<std::uint32_t, kWarpSize> shuffle_sources(std::span<const Participant> participants);

}  // namespace warpbook::vgpu
