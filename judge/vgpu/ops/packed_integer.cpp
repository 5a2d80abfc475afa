// Two 16-bit integers in one register: add, min and max of u16x2 and s16x2. Nothing is carried from the lower half into the upper one.
#include <algorithm>

#include "judge/vgpu/ops/families.hpp"
#include "judge/vgpu/ops/lanes.hpp"

namespace warpbook::vgpu::ops {
namespace {

using ptx::Opcode;
using ptx::Type;

struct Sum {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a + b);
  }
};
struct Smaller {
  template <class T>
  T operator()(T a, T b) const {
    return std::min(a, b);
  }
};
struct Larger {
  template <class T>
  T operator()(T a, T b) const {
    return std::max(a, b);
  }
};
/// .relu: what is below zero becomes zero.
template <class Functor>
struct Clamped {
  template <class T>
  T operator()(T a, T b) const {
    return std::max(Functor{}(a, b), T{0});
  }
};

template <class Functor, class T>
struct Pair {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
    const auto half = [](std::uint32_t x, std::uint32_t y) {
      return static_cast<std::uint32_t>(static_cast<std::uint16_t>(Functor{}(static_cast<T>(x), static_cast<T>(y))));
    };
    return half(a >> 16, b >> 16) << 16 | half(a & 0xFFFFu, b & 0xFFFFu);
  }
};

template <class Functor>
LaneOperation pair(bool is_signed) {
  return is_signed ? uniform_lanes<Pair<Functor, std::int16_t>, std::uint32_t, 2>()
                   : uniform_lanes<Pair<Functor, std::uint16_t>, std::uint32_t, 2>();
}

}  // namespace

LaneOperation packed_integer_operation(const ptx::Instruction& instruction) {
  const ptx::Modifiers& mod = instruction.mod;
  const bool is_signed = first_type(instruction) == Type::kS16x2;
  if (!has_only(mod, kRelu) || instruction.src.size() != 2) return nullptr;
  if (mod.relu && (!is_signed || instruction.op == Opcode::kAdd)) return nullptr;
  switch (instruction.op) {
    case Opcode::kAdd: return pair<Sum>(is_signed);
    case Opcode::kMin: return mod.relu ? pair<Clamped<Smaller>>(true) : pair<Smaller>(is_signed);
    case Opcode::kMax: return mod.relu ? pair<Clamped<Larger>>(true) : pair<Larger>(is_signed);
    default: return nullptr;
  }
}

}  // namespace warpbook::vgpu::ops
