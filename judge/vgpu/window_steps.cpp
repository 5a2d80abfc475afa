#include "judge/vgpu/window_steps.hpp"

#include "judge/vgpu/memory.hpp"

namespace warpbook::vgpu {

namespace {

/// Adds the step's immediate: the distance between a space's own addresses and generic ones.
void add_window(const Registers& registers, const Step& step, LaneMask active) {
  const std::uint64_t* from = registers.row<std::uint64_t>(step.src[0]);
  std::uint64_t* to = registers.row<std::uint64_t>(step.dst[0]);
  const auto distance = static_cast<std::uint64_t>(step.immediate);
  for (int lane = 0; lane < kWarpSize; ++lane) to[lane] = (active >> lane & 1u) != 0 ? from[lane] + distance : to[lane];
}

/// Asks whether generic addresses lie in the space that step.flags names.
void is_in_space(const Registers& registers, const Step& step, LaneMask active) {
  const std::uint64_t* address = registers.row<std::uint64_t>(step.src[0]);
  const auto space = static_cast<ptx::Space>(step.flags);
  LaneMask inside = 0;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if (space_of(address[lane]) == space) inside |= LaneMask{1} << lane;
  }
  LaneMask& to = registers.predicate(step.dst[0]);
  to = (to & ~active) | (inside & active);
}

}  // namespace

LaneOperation window_operation(const ptx::Instruction& instruction, bool in_entry, Step& step) {
  ptx::Space space = instruction.mod.space;
  if (space == ptx::Space::kParam && !in_entry) space = ptx::Space::kLocal;
  if (instruction.op == ptx::Opcode::kIsspacep) {
    step.flags = static_cast<std::uint8_t>(space);
    return is_in_space;
  }
  if (instruction.types.empty() || ptx::bits_of(instruction.types.front()) != 64) return nullptr;
  Address window = 0;
  if (space == ptx::Space::kShared) window = kSharedWindow;
  if (space == ptx::Space::kLocal) window = kLocalWindow;
  step.immediate = static_cast<std::int64_t>(instruction.mod.to ? 0 - window : window);
  return add_window;
}

}  // namespace warpbook::vgpu
