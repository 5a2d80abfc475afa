// mov between registers, and mov that packs a vector into a wider register or takes one apart. Decode lays vector elements in consecutive
// slots: up to four sources for a pack, up to four destinations for an unpack, `_` as kNoRegister.
#include "judge/vgpu/ops/families.hpp"
#include "judge/vgpu/ops/lanes.hpp"

namespace warpbook::vgpu::ops {
namespace {

using ptx::OperandKind;
using ptx::Type;

struct Copy {
  template <class T>
  T operator()(T a) const {
    return a;
  }
};

void copy_predicate(const Registers& registers, const Step& step, LaneMask active) {
  write_predicate(registers, step.dst[0], predicate_source(registers, step, 0), active);
}

/// Bits of one of `kCount` elements of a Whole; an element of 8 bits lives in a 16-bit row.
template <class Whole, int kCount>
constexpr int kElementBits = 8 * static_cast<int>(sizeof(Whole)) / kCount;
template <class Whole, int kCount>
using Element = std::conditional_t<kElementBits<Whole, kCount> == 32, std::uint32_t, std::uint16_t>;
template <class Whole, int kCount>
constexpr Whole kElementMask = static_cast<Whole>((std::uint64_t{1} << kElementBits<Whole, kCount>)-1);

template <class Whole, int kCount>
void pack(const Registers& registers, const Step& step, LaneMask active) {
  using Part = Element<Whole, kCount>;
  masked(registers.row<Whole>(step.dst[0]), active, [&](Whole* out) {
    alignas(64) Whole whole[kWarpSize] = {};
    for (int i = 0; i < kCount; ++i) {
      const Part* part = registers.row<Part>(step.src[i]);
      const int shift = kElementBits<Whole, kCount> * i;
      for (int lane = 0; lane < kWarpSize; ++lane) {
        whole[lane] = static_cast<Whole>(whole[lane] | (static_cast<Whole>(part[lane]) & kElementMask<Whole, kCount>) << shift);
      }
    }
    for (int lane = 0; lane < kWarpSize; ++lane) out[lane] = whole[lane];
  });
}

template <class Whole, int kCount>
void unpack(const Registers& registers, const Step& step, LaneMask active) {
  using Part = Element<Whole, kCount>;
  alignas(64) Whole whole[kWarpSize];  // a copy: a 16-bit row can be taken apart into itself
  const Whole* source = registers.row<Whole>(step.src[0]);
  for (int lane = 0; lane < kWarpSize; ++lane) whole[lane] = source[lane];
  for (int i = 0; i < kCount; ++i) {
    if (step.dst[i] == kNoRegister) continue;
    const int shift = kElementBits<Whole, kCount> * i;
    masked(registers.row<Part>(step.dst[i]), active, [&](Part* out) {
      for (int lane = 0; lane < kWarpSize; ++lane) out[lane] = static_cast<Part>(whole[lane] >> shift & kElementMask<Whole, kCount>);
    });
  }
}

template <class Whole, int kCount>
LaneOperation pack_or_unpack(bool packs) {
  return packs ? LaneOperation{pack<Whole, kCount>} : LaneOperation{unpack<Whole, kCount>};
}

LaneOperation vector_move(Type type, std::size_t count, bool packs) {
  switch (ptx::bits_of(type)) {
    case 16: return count == 2 ? pack_or_unpack<std::uint16_t, 2>(packs) : nullptr;
    case 32:
      if (count == 2) return pack_or_unpack<std::uint32_t, 2>(packs);
      return count == 4 ? pack_or_unpack<std::uint32_t, 4>(packs) : nullptr;
    case 64:
      if (count == 2) return pack_or_unpack<std::uint64_t, 2>(packs);
      return count == 4 ? pack_or_unpack<std::uint64_t, 4>(packs) : nullptr;
    default: return nullptr;
  }
}

}  // namespace

LaneOperation move_operation(const ptx::Instruction& instruction, Step&) {
  if (!has_only(instruction.mod, kPlain) || instruction.dst.size() != 1 || instruction.src.size() != 1) return nullptr;
  const Type type = first_type(instruction);
  const ptx::Operand& from = instruction.src[0];
  const ptx::Operand& to = instruction.dst[0];
  if (from.kind == OperandKind::kVector && to.kind == OperandKind::kVector) return nullptr;
  if (from.kind == OperandKind::kVector) return vector_move(type, from.elements.size(), true);
  if (to.kind == OperandKind::kVector) return vector_move(type, to.elements.size(), false);
  if (type == Type::kPred) return copy_predicate;
  return for_bits(type, []<class T>() { return uniform_lanes<Copy, T, 1>(); });
}

}  // namespace warpbook::vgpu::ops
