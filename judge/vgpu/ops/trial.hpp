#pragma once
// For tests: one instruction, written as in PTX without operands ("fma.rn.ftz.f32"), run on one warp. The instruction is built here and not
// by the parser, so that a mistake in one is not hidden by the other. Values are passed as 64-bit integers, one per lane, whatever the
// width of the register; predicates as 0 and 1.
#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "judge/ptx/module.hpp"
#include "judge/vgpu/ops/float_bits.hpp"
#include "judge/vgpu/step.hpp"

namespace warpbook::vgpu::ops {

using Lanes = std::array<std::uint64_t, kWarpSize>;

/// A floating-point value as the bits of a register.
inline std::uint64_t bits(float value) { return bits_of_float(value); }
inline std::uint64_t bits(double value) { return bits_of_double(value); }

/// The same value in every lane.
Lanes splat(std::uint64_t value);

/// "cvt.rni.s32.f32" as an instruction with its operands still missing; op and types as written. Throws std::runtime_error for a word that
/// is no opcode, type or modifier.
ptx::Instruction instruction_of(std::string_view text);

class Trial {
 public:
  /// The instruction `text`, with as many sources and results as its opcode has.
  explicit Trial(std::string_view text);

  /// For cvt: declares the register behind source or result 0 as wider than the type.
  Trial& source_register(ptx::Type type);
  Trial& result_register(ptx::Type type);
  /// Marks source `index` negated: `!p`, or a negated factor of a fused product.
  Trial& negate(int index);
  /// For mov: takes the source (or the result) apart into `count` elements.
  Trial& pack(int count);
  Trial& unpack(int count);
  /// For lop3: the table.
  Trial& table(std::uint8_t value);
  /// The destination is one of the sources: `add d, d, b`.
  Trial& in_place(int source);
  /// Drops result `index`: `_`.
  Trial& sink(int index);
  Trial& carry_in(std::uint32_t mask);

  /// Whether lane_operation knows the instruction.
  bool known() const;

  struct Outcome {
    std::vector<Lanes> results;
    std::uint32_t carry = 0;
  };
  /// Runs on the lanes in `active`; every result holds `before` in all lanes at first.
  Outcome run(const std::vector<Lanes>& sources, LaneMask active = kAllLanes, std::uint64_t before = 0) const;
  /// Result 0 of one lane.
  std::uint64_t one(std::initializer_list<std::uint64_t> sources) const;

  const ptx::Instruction& instruction() const { return instruction_; }
  ptx::Type source_type_of(int index) const;
  ptx::Type result_type_of(int index) const;
  int sources() const { return sources_; }
  int results() const { return results_; }

 private:
  ptx::Instruction finished(ptx::Function& function) const;

  ptx::Instruction instruction_;
  int sources_ = 0, results_ = 1, in_place_ = -1;
  int packed_ = 0, unpacked_ = 0;
  std::uint32_t negated_ = 0, carry_in_ = 0, sunk_ = 0;
  std::uint8_t table_ = 0;
  ptx::Type source_register_ = ptx::Type::kNone, result_register_ = ptx::Type::kNone;
};

/// Trial(text).one(sources).
std::uint64_t one(std::string_view text, std::initializer_list<std::uint64_t> sources);

/// Every form that the instruction table allows, of the opcodes that work on registers, as PTX text without operands.
std::vector<std::string> claimed_forms();

}  // namespace warpbook::vgpu::ops
