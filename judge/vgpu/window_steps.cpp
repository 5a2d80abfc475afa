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
    if (lies_in(space, address[lane])) inside |= LaneMask{1} << lane;
  }
  LaneMask& to = registers.predicate(step.dst[0]);
  to = (to & ~active) | (inside & active);
}

template <class T>
void copy(const Registers& registers, const Step& step, LaneMask active) {
  const T* from = registers.row<T>(step.src[0]);
  T* to = registers.row<T>(step.dst[0]);
  for (int lane = 0; lane < kWarpSize; ++lane) to[lane] = (active >> lane & 1u) != 0 ? from[lane] : to[lane];
}

template <class T>
void zero(const Registers& registers, const Step& step, LaneMask active) {
  T* to = registers.row<T>(step.dst[0]);
  for (int lane = 0; lane < kWarpSize; ++lane) to[lane] = (active >> lane & 1u) != 0 ? T{0} : to[lane];
}

/// 128 bits as two of 64.
struct Halves {
  std::uint64_t low, high;
};

void pack(const Registers& registers, const Step& step, LaneMask active) {
  const std::uint64_t *low = registers.row<std::uint64_t>(step.src[0]), *high = registers.row<std::uint64_t>(step.src[1]);
  Halves* to = registers.row<Halves>(step.dst[0]);
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if ((active >> lane & 1u) != 0) to[lane] = {low[lane], high[lane]};
  }
}

void unpack(const Registers& registers, const Step& step, LaneMask active) {
  const Halves* from = registers.row<Halves>(step.src[0]);
  for (int half = 0; half < 2; ++half) {
    if (step.dst[half] == kNoRegister) continue;
    std::uint64_t* to = registers.row<std::uint64_t>(step.dst[half]);
    for (int lane = 0; lane < kWarpSize; ++lane) {
      if ((active >> lane & 1u) != 0) to[lane] = half == 0 ? from[lane].low : from[lane].high;
    }
  }
}

bool is_wide_move(const ptx::Instruction& instruction) {
  return !instruction.types.empty() && instruction.types.front() == ptx::Type::kB128;
}

LaneOperation wide_move(const ptx::Instruction& instruction) {
  const ptx::Operand &to = instruction.dst.front(), &from = instruction.src.front();
  const auto pair = [](const ptx::Operand& operand) { return operand.kind == ptx::OperandKind::kVector && operand.elements.size() == 2; };
  if (pair(from)) return to.kind == ptx::OperandKind::kRegister ? pack : nullptr;
  if (from.kind != ptx::OperandKind::kRegister) return nullptr;
  if (pair(to)) return unpack;
  return to.kind == ptx::OperandKind::kRegister ? copy<Halves> : nullptr;
}

}  // namespace

bool is_window_instruction(const ptx::Instruction& instruction) {
  switch (instruction.op) {
    case ptx::Opcode::kMov: return is_wide_move(instruction);
    case ptx::Opcode::kCvta:
    case ptx::Opcode::kIsspacep:
    case ptx::Opcode::kMapa:
    case ptx::Opcode::kGetctarank:
    case ptx::Opcode::kCreatepolicy: return true;
    default: return false;
  }
}

int window_slot(const ptx::Instruction& instruction, int source) {
  if (instruction.op == ptx::Opcode::kMov) return source;
  return source == 0 && instruction.op != ptx::Opcode::kCreatepolicy ? 0 : -1;
}

LaneOperation window_operation(const ptx::Instruction& instruction, bool in_entry, Step& step) {
  if (instruction.op == ptx::Opcode::kMov) return wide_move(instruction);
  ptx::Space space = instruction.mod.space;
  if (space == ptx::Space::kParam && !in_entry) space = ptx::Space::kLocal;
  if (instruction.op == ptx::Opcode::kIsspacep) {
    step.flags = static_cast<std::uint8_t>(space);
    return is_in_space;
  }
  const bool is_long = !instruction.types.empty() && ptx::bits_of(instruction.types.front()) == 64;
  if (instruction.op == ptx::Opcode::kMapa) return is_long ? copy<std::uint64_t> : copy<std::uint32_t>;
  if (instruction.op == ptx::Opcode::kGetctarank) return zero<std::uint32_t>;
  if (instruction.op == ptx::Opcode::kCreatepolicy) return zero<std::uint64_t>;
  if (!is_long) return nullptr;
  Address window = 0;
  if (space == ptx::Space::kShared) window = kSharedWindow;
  if (space == ptx::Space::kLocal) window = kLocalWindow;
  step.immediate = static_cast<std::int64_t>(instruction.mod.to ? 0 - window : window);
  return add_window;
}

}  // namespace warpbook::vgpu
