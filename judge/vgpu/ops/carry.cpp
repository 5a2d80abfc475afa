// Extended-precision arithmetic: add.cc, addc, sub.cc, subc, mad.cc, madc. PTX's condition code register CC.CF is one hidden predicate per
// function frame: operations read it as src[3] and write it as dst[1] (ops.hpp tells decode when). After sub.cc it holds the borrow.
// Rare, so lanes are computed one by one in 128 bits.
#include "judge/vgpu/ops/families.hpp"
#include "judge/vgpu/ops/lanes.hpp"
#include "judge/vgpu/ops/ops.hpp"

namespace warpbook::vgpu::ops {
namespace {

using ptx::Opcode;
__extension__ using Unsigned128 = unsigned __int128;
__extension__ using Signed128 = __int128;

enum class Kind { kAdd, kSubtract, kMultiplyLow, kMultiplyHigh };
constexpr std::uint8_t kReadsCarry = 1, kWritesCarry = 2;  // bits of step.flags

/// T is signed only where it matters: for the high half of a product.
template <class T, Kind kKind>
void carry_lanes(const Registers& registers, const Step& step, LaneMask active) {
  using Row = std::make_unsigned_t<T>;
  constexpr int kBits = 8 * static_cast<int>(sizeof(T));
  constexpr bool kProduct = kKind == Kind::kMultiplyLow || kKind == Kind::kMultiplyHigh;
  const Row* a = registers.row<Row>(step.src[0]);
  const Row* b = registers.row<Row>(step.src[1]);
  const Row* c = kProduct ? registers.row<Row>(step.src[2]) : b;
  const LaneMask carry_in = (step.flags & kReadsCarry) != 0 ? registers.predicate(step.src[3]) : 0;
  LaneMask carry_out = 0;
  masked(registers.row<Row>(step.dst[0]), active, [&](Row* out) {
    for (int lane = 0; lane < kWarpSize; ++lane) {
      const Unsigned128 in = carry_in >> lane & 1u;
      Unsigned128 wide;
      if constexpr (kKind == Kind::kAdd) {
        wide = Unsigned128{a[lane]} + b[lane] + in;
      } else if constexpr (kKind == Kind::kSubtract) {
        wide = Unsigned128{a[lane]} - b[lane] - in;
      } else {
        using Product = std::conditional_t<std::is_signed_v<T>, Signed128, Unsigned128>;
        const auto product = static_cast<Unsigned128>(Product{static_cast<T>(a[lane])} * Product{static_cast<T>(b[lane])});
        const auto part = static_cast<Row>(kKind == Kind::kMultiplyHigh ? product >> kBits : product);
        wide = Unsigned128{part} + c[lane] + in;
      }
      out[lane] = static_cast<Row>(wide);
      carry_out |= static_cast<LaneMask>(wide >> kBits & 1u) << lane;
    }
  });
  if ((step.flags & kWritesCarry) != 0) write_predicate(registers, step.dst[1], carry_out, active);
}

template <class T>
LaneOperation carry_of(const ptx::Instruction& instruction) {
  switch (instruction.op) {
    case Opcode::kAdd:
    case Opcode::kAddc: return carry_lanes<std::make_unsigned_t<T>, Kind::kAdd>;
    case Opcode::kSub:
    case Opcode::kSubc: return carry_lanes<std::make_unsigned_t<T>, Kind::kSubtract>;
    case Opcode::kMad:
    case Opcode::kMadc:
      if (instruction.mod.mul == ptx::MulMode::kLo) return carry_lanes<std::make_unsigned_t<T>, Kind::kMultiplyLow>;
      if (instruction.mod.mul == ptx::MulMode::kHi) return carry_lanes<T, Kind::kMultiplyHigh>;
      return nullptr;
    default: return nullptr;
  }
}

}  // namespace

bool reads_carry(const ptx::Instruction& instruction) {
  return instruction.op == Opcode::kAddc || instruction.op == Opcode::kSubc || instruction.op == Opcode::kMadc;
}

bool writes_carry(const ptx::Instruction& instruction) { return instruction.mod.cc; }

LaneOperation carry_operation(const ptx::Instruction& instruction, Step& step) {
  if (!has_only(instruction.mod, kCarry | kMulMode)) return nullptr;
  step.flags = static_cast<std::uint8_t>((reads_carry(instruction) ? kReadsCarry : 0) | (writes_carry(instruction) ? kWritesCarry : 0));
  switch (first_type(instruction)) {
    case ptx::Type::kU32: return carry_of<std::uint32_t>(instruction);
    case ptx::Type::kS32: return carry_of<std::int32_t>(instruction);
    case ptx::Type::kU64: return carry_of<std::uint64_t>(instruction);
    case ptx::Type::kS64: return carry_of<std::int64_t>(instruction);
    default: return nullptr;
  }
}

}  // namespace warpbook::vgpu::ops
