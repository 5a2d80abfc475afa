#pragma once
// Lays out the rows of a function's frame: predicates and registers first, behind them whatever else an operand can be. A constant, a
// special register or the address of a local variable becomes a row that is written when the frame is made; equal ones share it.
#include <map>
#include <tuple>

#include "judge/vgpu/program.hpp"

namespace warpbook::vgpu {

/// Bytes of one element of the row that holds a value of `type`: 2, 4 or 8; 0 for a predicate.
int row_bytes(ptx::Type type);

class Rows {
 public:
  /// Gives every register of `function.source` its row and writes `function.register_bytes`.
  explicit Rows(ProgramFunction& function);

  std::uint32_t of_register(std::int32_t index) const { return registers_[static_cast<std::size_t>(index)]; }
  int register_bytes(std::int32_t index) const { return row_bytes(function_.source->registers[static_cast<std::size_t>(index)].type); }
  /// `bits` in every lane, `bytes` wide (0: a predicate, true in all lanes or in none).
  std::uint32_t of_constant(std::uint64_t bits, int bytes);
  std::uint32_t of_special(ptx::SpecialRegister reg, int bytes);
  /// The frame's local base plus `displacement`.
  std::uint32_t of_frame_address(std::uint32_t displacement, int bytes);
  /// The hidden predicate that carries from add.cc to addc.
  std::uint32_t carry() const { return carry_; }

 private:
  std::uint32_t append(std::size_t bytes);

  ProgramFunction& function_;
  std::vector<std::uint32_t> registers_;
  std::uint32_t carry_ = 0;
  std::map<std::pair<std::uint64_t, int>, std::uint32_t> constants_;
  std::map<std::pair<ptx::SpecialRegister, int>, std::uint32_t> specials_;
  std::map<std::pair<std::uint32_t, int>, std::uint32_t> frame_addresses_;
};

/// Writes `bits` into all lanes of a row whose elements have 2, 4 or 8 bytes.
void fill_row(std::byte* row, std::uint64_t bits, int bytes);

}  // namespace warpbook::vgpu
