// selp: choose by predicate. slct: choose by the sign of a value, where NaN chooses the second and -0 counts as 0.
#include "judge/vgpu/ops/families.hpp"
#include "judge/vgpu/ops/float_bits.hpp"
#include "judge/vgpu/ops/lanes.hpp"

namespace warpbook::vgpu::ops {
namespace {

using ptx::Opcode;
using ptx::Type;

template <class T>
void select(const Registers& registers, const Step& step, LaneMask active) {
  const LaneMask chosen = predicate_source(registers, step, 2);
  const T* a = registers.row<T>(step.src[0]);
  const T* b = registers.row<T>(step.src[1]);
  masked(registers.row<T>(step.dst[0]), active, [&](T* out) {
#pragma GCC ivdep
    for (int lane = 0; lane < kWarpSize; ++lane) out[lane] = choose(chosen, lane, a[lane], b[lane]);
  });
}

template <class T>
struct SelectBySign {
  T operator()(T a, T b, std::int32_t c) const { return c >= 0 ? a : b; }
};
template <class T, bool kFlush>
struct SelectByFloat {
  T operator()(T a, T b, float c) const { return (kFlush ? flushed(c) : c) >= 0.0f ? a : b; }
};

LaneOperation select_by_value(const ptx::Instruction& instruction) {
  if (!has_only(instruction.mod, kFtz) || instruction.types.size() != 2) return nullptr;
  return for_bits(instruction.types[0], [&]<class T>() -> LaneOperation {
    if (instruction.types[1] == Type::kS32 && !instruction.mod.ftz) return lanes<SelectBySign<T>, T, T, T, std::int32_t>;
    if (instruction.types[1] != Type::kF32) return nullptr;
    if (instruction.mod.ftz) return lanes<SelectByFloat<T, true>, T, T, T, float>;
    return lanes<SelectByFloat<T, false>, T, T, T, float>;
  });
}

}  // namespace

LaneOperation select_operation(const ptx::Instruction& instruction, Step&) {
  if (instruction.op == Opcode::kSlct) return select_by_value(instruction);
  if (!has_only(instruction.mod, kPlain)) return nullptr;
  return for_bits(first_type(instruction), []<class T>() { return LaneOperation{select<T>}; });
}

}  // namespace warpbook::vgpu::ops
