#pragma once
// The families of operations, one per file. Each takes an instruction whose opcode is its own and answers null for a combination of type
// and modifiers that it does not implement: an instruction is refused by name rather than run approximately, so every family first asks
// `has_only` whether something stands there that it would overlook.
#include <cstdint>

#include "judge/ptx/module.hpp"
#include "judge/vgpu/step.hpp"

namespace warpbook::vgpu::ops {

LaneOperation integer_operation(const ptx::Instruction& instruction, Step& step);      ///< integer.cpp: add ... mad24 of integers
LaneOperation packed_integer_operation(const ptx::Instruction& instruction);           ///< packed_integer.cpp: u16x2, s16x2
LaneOperation carry_operation(const ptx::Instruction& instruction, Step& step);        ///< carry.cpp: .cc, addc, subc, madc
LaneOperation bit_field_operation(const ptx::Instruction& instruction, Step& step);    ///< bit_fields.cpp: popc ... dp2a
LaneOperation logic_operation(const ptx::Instruction& instruction, Step& step);        ///< logic.cpp: and ... prmt
LaneOperation float32_operation(const ptx::Instruction& instruction, Step& step);      ///< float32.cpp
LaneOperation float64_operation(const ptx::Instruction& instruction, Step& step);      ///< float64.cpp
LaneOperation approximate_operation(const ptx::Instruction& instruction, Step& step);  ///< approximate.cpp: ex2 lg2 sin .approx .full
LaneOperation test_operation(const ptx::Instruction& instruction);                     ///< testp.cpp
LaneOperation half_operation(const ptx::Instruction& instruction, Step& step);         ///< half.cpp: f16, f16x2, bf16, bf16x2
LaneOperation compare_operation(const ptx::Instruction& instruction, Step& step);      ///< compare.cpp: setp set
LaneOperation select_operation(const ptx::Instruction& instruction, Step& step);       ///< select.cpp: selp slct
LaneOperation move_operation(const ptx::Instruction& instruction, Step& step);         ///< lane_moves.cpp: mov, pack, unpack
LaneOperation convert_operation(const ptx::Instruction& instruction, const ptx::Function& function, Step& step);  ///< convert.cpp: cvt
LaneOperation narrow_conversion(const ptx::Instruction& instruction);        ///< convert_narrow.cpp: tf32, 8-bit floats, .satfinite, .pack
bool is_narrow_conversion(const ptx::Instruction& instruction);              ///< whether narrow_conversion answers for a cvt
LaneOperation convert_integer(ptx::Type from, ptx::Type to, bool saturate);  ///< convert_integer.cpp: between integers

/// Modifiers an operation may carry, as bits for has_only.
enum Allowed : std::uint32_t {
  kPlain = 0,
  kRounding = 1u << 0,
  kFtz = 1u << 1,
  kSat = 1u << 2,
  kApprox = 1u << 3,
  kFull = 1u << 4,
  kNanModifier = 1u << 5,
  kXorsignAbs = 1u << 6,
  kRelu = 1u << 7,
  kCarry = 1u << 8,
  kShiftMode = 1u << 9,  ///< .wrap .clamp .l .r
  kShiftAmount = 1u << 10,
  kMulMode = 1u << 11,
  kCompare = 1u << 12,
  kBoolOp = 1u << 13,
  kTestMode = 1u << 14,
  kOther = 1u << 15,
};

/// True when the instruction carries no modifier outside `allowed`.
inline bool has_only(const ptx::Modifiers& mod, std::uint32_t allowed) {
  std::uint32_t seen = 0;
  if (mod.rounding != ptx::Rounding::kNone) seen |= kRounding;
  if (mod.ftz) seen |= kFtz;
  if (mod.sat) seen |= kSat;
  if (mod.approx) seen |= kApprox;
  if (mod.full) seen |= kFull;
  if (mod.nan) seen |= kNanModifier;
  if (mod.xorsign || mod.abs) seen |= kXorsignAbs;
  if (mod.relu) seen |= kRelu;
  if (mod.cc) seen |= kCarry;
  if (mod.wrap || mod.clamp || mod.left || mod.right) seen |= kShiftMode;
  if (mod.shiftamt) seen |= kShiftAmount;
  if (mod.mul != ptx::MulMode::kNone) seen |= kMulMode;
  if (mod.compare != ptx::Compare::kNone) seen |= kCompare;
  if (mod.bool_op != ptx::BoolOp::kNone) seen |= kBoolOp;
  if (mod.test != ptx::TestMode::kNone) seen |= kTestMode;
  if (!mod.other.empty()) seen |= kOther;
  return (seen & ~allowed) == 0;
}

/// The instruction's first type suffix, kNone when it has none.
inline ptx::Type first_type(const ptx::Instruction& instruction) {
  return instruction.types.empty() ? ptx::Type::kNone : instruction.types.front();
}

/// Bits 0 to 2 set for negated sources of a float product (the assembler's fusing makes such fma); step.flags of every fma.
inline std::uint8_t negated_sources(const ptx::Instruction& instruction) {
  std::uint8_t bits = 0;
  for (std::size_t i = 0; i < instruction.src.size() && i < 3; ++i) {
    if (instruction.src[i].negated) bits = static_cast<std::uint8_t>(bits | 1u << i);
  }
  return bits;
}

/// Calls `use.template operator()<T>()` with the C++ integer of an integer or bit-size type of 16, 32 or 64 bits; null for others.
template <class Use>
LaneOperation for_integer(ptx::Type type, const Use& use) {
  switch (type) {
    case ptx::Type::kB16:
    case ptx::Type::kU16: return use.template operator()<std::uint16_t>();
    case ptx::Type::kB32:
    case ptx::Type::kU32: return use.template operator()<std::uint32_t>();
    case ptx::Type::kB64:
    case ptx::Type::kU64: return use.template operator()<std::uint64_t>();
    case ptx::Type::kS16: return use.template operator()<std::int16_t>();
    case ptx::Type::kS32: return use.template operator()<std::int32_t>();
    case ptx::Type::kS64: return use.template operator()<std::int64_t>();
    default: return nullptr;
  }
}

/// Like for_integer for operations that do not look at the sign: T is unsigned. f16, bf16, f32 and f64 count as bits.
template <class Use>
LaneOperation for_bits(ptx::Type type, const Use& use) {
  switch (ptx::bits_of(type)) {
    case 8:
    case 16: return use.template operator()<std::uint16_t>();
    case 32: return use.template operator()<std::uint32_t>();
    case 64: return use.template operator()<std::uint64_t>();
    default: return nullptr;
  }
}

}  // namespace warpbook::vgpu::ops
