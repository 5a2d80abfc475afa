// alloca, stacksave and stackrestore. The lanes of a frame share one stack pointer, which makes addresses the same in all of them: alloca
// takes as much as the lane that asks for most. Stacks grow upwards here; a program can only tell by comparing addresses.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "judge/vgpu/rows.hpp"
#include "judge/vgpu/warp.hpp"

namespace warpbook::vgpu {

namespace {

constexpr std::uint64_t kLeastAlignment = 16;

std::uint64_t value_of(const Registers& registers, std::uint32_t row, int bytes, int lane) {
  return bytes == 8 ? registers.row<std::uint64_t>(row)[lane] : registers.row<std::uint32_t>(row)[lane];
}

void put(const Registers& registers, std::uint32_t row, int bytes, LaneMask active, std::uint64_t value) {
  if (row == kNoRegister) return;
  for (LaneMask left = active; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    if (bytes == 8) registers.row<std::uint64_t>(row)[lane] = value;
    else registers.row<std::uint32_t>(row)[lane] = static_cast<std::uint32_t>(value);
  }
}

}  // namespace

bool Warp::stack_step(Split& split, const Step& step, LaneMask active) {
  Frame& frame = *split.frame;
  const Registers registers = frame.registers();
  const ptx::Instruction& instruction = *step.instruction;
  const int bytes = row_bytes(instruction.types.front());
  if (instruction.op == ptx::Opcode::kStacksave) {
    put(registers, step.dst[0], bytes, active, frame.local_end());
    return true;
  }
  if (instruction.op == ptx::Opcode::kStackrestore) {
    // Only when nobody of the frame is elsewhere: the others may still use what lies above.
    const std::uint64_t to = value_of(registers, step.src[0], bytes, std::countr_zero(active));
    const std::uint64_t bottom = std::uint64_t{frame.local_base} + frame.function->local_bytes;
    if (active == frame.lanes && to >= bottom && to < frame.local_end()) frame.grown = static_cast<std::uint32_t>(to - bottom);
    return true;
  }
  std::uint64_t most = 0;
  for (LaneMask left = active; left != 0; left &= left - 1)
    most = std::max(most, value_of(registers, step.src[0], bytes, std::countr_zero(left)));
  const std::uint64_t alignment = std::max<std::uint64_t>(kLeastAlignment, static_cast<std::uint64_t>(step.immediate));
  const std::uint64_t at = (frame.local_end() + alignment - 1) / alignment * alignment;
  if (most > context_.program.stack_bytes || at + most > context_.program.stack_bytes) {
    return report(device::FaultKind::kStackOverflow, device::Code::kHardwareStackError,
                  fmt::format("alloca of {} bytes: the stack of {} bytes per thread has {} left", most, context_.program.stack_bytes,
                              context_.program.stack_bytes - std::min(frame.local_end(), context_.program.stack_bytes)),
                  frame, step, std::countr_zero(active));
  }
  frame.grown = static_cast<std::uint32_t>((at + most + kLeastAlignment - 1) / kLeastAlignment * kLeastAlignment - frame.local_base -
                                           frame.function->local_bytes);
  put(registers, step.dst[0], bytes, active, at);
  if (context_.initialised != nullptr) {
    for (LaneMask left = active; left != 0; left &= left - 1)
      local_.defined()->forget(static_cast<std::uint64_t>(std::countr_zero(left)) * local_.stride() + at, most);
  }
  return true;
}

}  // namespace warpbook::vgpu
