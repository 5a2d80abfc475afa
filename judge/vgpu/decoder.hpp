#pragma once
// The decoder's state while it walks one function; shared by decode.cpp, decode_memory.cpp and decode_call.cpp, used by nobody else.
#include <optional>
#include <string>

#include "judge/vgpu/decode.hpp"

namespace warpbook::vgpu {

/// Where extended-precision arithmetic finds the carry (ops/carry.cpp).
inline constexpr std::size_t kCarrySource = 3, kCarryDestination = 1;

class Decoder {
 public:
  Decoder(ProgramFunction& function, const ptx::Flow& flow, const Linker& linker);
  Status run();

 private:
  void find_reads();
  Step start(const ptx::Instruction& instruction, StepKind kind);
  Step decode_one(const ptx::Instruction& instruction);
  void decode_lanes(const ptx::Instruction& instruction, Step& step);
  void decode_branch(const ptx::Instruction& instruction, Step& step);
  void refresh_clocks(const ptx::Instruction& instruction);
  void decode_stack(const ptx::Instruction& instruction, Step& step);

  // decode_memory.cpp
  void decode_memory(const ptx::Instruction& instruction, Step& step);
  void decode_atomic(const ptx::Instruction& instruction, Step& step, MemoryPlan& plan);
  void place_address(const ptx::Operand& operand, Step& step, MemoryPlan& plan);
  bool place_elements(const ptx::Operand& operand, Step& step, MemoryPlan& plan);
  bool place_wide(const ptx::Instruction& instruction, Step& step, MemoryPlan& plan);

  // decode_async.cpp
  void decode_copy(const ptx::Instruction& instruction, Step& step);
  void decode_mbarrier(const ptx::Instruction& instruction, Step& step);

  // decode_call.cpp
  void decode_call(const ptx::Instruction& instruction, Step& step);
  std::optional<Slot> call_slot(const ptx::Operand& operand);

  void place_destinations(const ptx::Instruction& instruction, Step& step);
  std::uint32_t destination(const ptx::Operand& operand) const;
  /// Lays `operand` into step.src from `slot` on; the elements of a vector take a slot each.
  void place_source(const ptx::Operand& operand, ptx::Type type, std::size_t slot, Step& step);
  std::uint32_t row_of(const ptx::Operand& operand, int bytes);
  std::uint32_t row_of_symbol(const ptx::Operand& operand, int bytes);
  Where where(const ptx::Instruction& instruction) const;
  void fail(std::string what);

  ProgramFunction& function_;
  const ptx::Function& source_;
  const ptx::Flow& flow_;
  const Linker& linker_;
  Rows rows_;
  std::vector<bool> read_;  ///< registers that some instruction of the function reads
  std::int32_t current_ = 0;
  std::optional<std::string> failure_;
};

}  // namespace warpbook::vgpu
