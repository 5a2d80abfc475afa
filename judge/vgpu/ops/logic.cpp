// Bitwise logic, on rows and on predicates, and the shifts. PTX clamps a shift amount to the width of the register (so a shift by 32 gives
// 0, or the sign), where C++ leaves it undefined and x86 wraps it.
#include <algorithm>

#include "judge/vgpu/ops/families.hpp"
#include "judge/vgpu/ops/lanes.hpp"

namespace warpbook::vgpu::ops {
namespace {

using ptx::Opcode;
using ptx::Type;

struct And {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a & b);
  }
};
struct Or {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a | b);
  }
};
struct Xor {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a ^ b);
  }
};
struct Not {
  template <class T>
  T operator()(T a) const {
    return static_cast<T>(~a);
  }
};
struct LogicalNot {
  template <class T>
  T operator()(T a) const {
    return a == 0 ? T{1} : T{0};
  }
};

/// and, or, xor of predicates: one operation on the masks of all lanes.
template <class Operator>
void combine_predicates(const Registers& registers, const Step& step, LaneMask active) {
  const LaneMask value = Operator{}(predicate_source(registers, step, 0), predicate_source(registers, step, 1));
  write_predicate(registers, step.dst[0], value, active);
}
void negate_predicate(const Registers& registers, const Step& step, LaneMask active) {
  write_predicate(registers, step.dst[0], ~predicate_source(registers, step, 0), active);
}

template <class Operator>
LaneOperation bitwise(Type type) {
  if (type == Type::kPred) return combine_predicates<Operator>;
  return for_bits(type, []<class T>() { return uniform_lanes<Operator, T, 2>(); });
}

/// 64-bit amounts for 64-bit values: with mixed widths the compiler does not vectorise the guard.
template <class T>
using Amount = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
template <class T>
constexpr Amount<T> kWidth = 8 * sizeof(T);

template <class T>
struct ShiftLeft {
  T operator()(T a, std::uint32_t b) const {
    const Amount<T> by = b;
    return by < kWidth<T> ? static_cast<T>(a << by) : T{0};
  }
};
template <class T>
struct ShiftRight {
  T operator()(T a, std::uint32_t b) const {
    const Amount<T> by = b;
    if constexpr (std::is_signed_v<T>) return static_cast<T>(a >> std::min(by, kWidth<T> - 1));
    return by < kWidth<T> ? static_cast<T>(a >> by) : T{0};
  }
};
template <bool kLeft, bool kClamp>
struct FunnelShift {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    constexpr std::uint32_t kWord = 32;
    const std::uint64_t both = static_cast<std::uint64_t>(b) << kWord | a;
    const std::uint64_t by = kClamp ? std::min(c, kWord) : c & (kWord - 1);
    return static_cast<std::uint32_t>(kLeft ? both << by >> kWord : both >> by);
  }
};

/// d = table[abc] bit by bit: the sum of those of the eight minterms that the table names.
struct Lookup3 {
  std::uint32_t use[8];
  explicit Lookup3(const Step& step) {
    for (int i = 0; i < 8; ++i) use[i] = (step.immediate >> i & 1) != 0 ? ~std::uint32_t{0} : 0;
  }
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    const std::uint32_t without_a = (~b & ((~c & use[0]) | (c & use[1]))) | (b & ((~c & use[2]) | (c & use[3])));
    const std::uint32_t with_a = (~b & ((~c & use[4]) | (c & use[5]))) | (b & ((~c & use[6]) | (c & use[7])));
    return (~a & without_a) | (a & with_a);
  }
};
enum PredicateResult : std::uint8_t { kNoPredicate = 0, kOrPredicate, kAndPredicate };

/// lop3 with .or or .and: dst[1] = (d != 0) op src[3]; d itself may be the sink.
void lookup3_with_predicate(const Registers& registers, const Step& step, LaneMask active) {
  alignas(64) std::uint32_t value[kWarpSize];
  apply<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>(
      value, kAllLanes, Lookup3(step), registers.row<std::uint32_t>(step.src[0]), registers.row<std::uint32_t>(step.src[1]),
      registers.row<std::uint32_t>(step.src[2]));
  const LaneMask nonzero = test<std::uint32_t>([](std::uint32_t d) { return d != 0; }, value);
  const LaneMask other = predicate_source(registers, step, 3);
  if (step.dst[0] != kNoRegister) blend(registers.row<std::uint32_t>(step.dst[0]), value, active);
  write_predicate(registers, step.dst[1], step.flags == kOrPredicate ? nonzero | other : nonzero & other, active);
}

/// prmt: each byte of the result is one of the eight bytes of {b, a}. `Selector` maps the control operand to byte number `index`.
template <class Selector>
struct Permute {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    constexpr std::uint32_t kByteMask = 0xFF, kSign = 0x80, kIndexMask = 3, kSecondWord = 4, kReplicateSign = 8;
    std::uint32_t result = 0;
    for (std::uint32_t i = 0; i < 4; ++i) {
      const std::uint32_t selected = Selector{}(c, i);
      const std::uint32_t word = (selected & kSecondWord) != 0 ? b : a;  // (one 64-bit shift would be half as fast)
      const std::uint32_t byte = word >> (8 * (selected & kIndexMask)) & kByteMask;
      const std::uint32_t sign = (byte & kSign) != 0 ? kByteMask : 0;
      result |= ((selected & kReplicateSign) != 0 ? sign : byte) << (8 * i);
    }
    return result;
  }
};
struct SelectGeneric {
  std::uint32_t operator()(std::uint32_t control, std::uint32_t i) const { return control >> (4 * i) & 0xFu; }
};
struct SelectForward {
  std::uint32_t operator()(std::uint32_t control, std::uint32_t i) const { return (control & 3u) + i; }
};
struct SelectBackward {
  std::uint32_t operator()(std::uint32_t control, std::uint32_t i) const { return ((control & 3u) - i) & 7u; }
};
struct SelectReplicate8 {
  std::uint32_t operator()(std::uint32_t control, std::uint32_t) const { return control & 3u; }
};
struct SelectClampLeft {
  std::uint32_t operator()(std::uint32_t control, std::uint32_t i) const { return std::max(control & 3u, i); }
};
struct SelectClampRight {
  std::uint32_t operator()(std::uint32_t control, std::uint32_t i) const { return std::min(control & 3u, i); }
};
struct SelectReplicate16 {
  std::uint32_t operator()(std::uint32_t control, std::uint32_t i) const { return (control & 1u) * 2 + (i & 1u); }
};

LaneOperation permute(const ptx::Instruction& instruction) {
  if (!has_only(instruction.mod, kOther) || first_type(instruction) != Type::kB32) return nullptr;
  const std::string& mode = instruction.mod.other;
  if (mode.empty()) return uniform_lanes<Permute<SelectGeneric>, std::uint32_t, 3>();
  if (mode == ".f4e") return uniform_lanes<Permute<SelectForward>, std::uint32_t, 3>();
  if (mode == ".b4e") return uniform_lanes<Permute<SelectBackward>, std::uint32_t, 3>();
  if (mode == ".rc8") return uniform_lanes<Permute<SelectReplicate8>, std::uint32_t, 3>();
  if (mode == ".ecl") return uniform_lanes<Permute<SelectClampLeft>, std::uint32_t, 3>();
  if (mode == ".ecr") return uniform_lanes<Permute<SelectClampRight>, std::uint32_t, 3>();
  if (mode == ".rc16") return uniform_lanes<Permute<SelectReplicate16>, std::uint32_t, 3>();
  return nullptr;
}

LaneOperation lookup3(const ptx::Instruction& instruction, Step& step) {
  constexpr std::size_t kTableSource = 3;
  if (!has_only(instruction.mod, kBoolOp) || first_type(instruction) != Type::kB32 || instruction.src.size() <= kTableSource ||
      instruction.src[kTableSource].kind != ptx::OperandKind::kImmediate) {
    return nullptr;
  }
  step.immediate = static_cast<std::int64_t>(instruction.src[kTableSource].bits);
  switch (instruction.mod.bool_op) {
    case ptx::BoolOp::kNone: return uniform_lanes<Lookup3, std::uint32_t, 3>();
    case ptx::BoolOp::kOr: step.flags = kOrPredicate; return lookup3_with_predicate;
    case ptx::BoolOp::kAnd: step.flags = kAndPredicate; return lookup3_with_predicate;
    default: return nullptr;
  }
}

LaneOperation funnel_shift(const ptx::Instruction& instruction) {
  const ptx::Modifiers& mod = instruction.mod;
  if (!has_only(mod, kShiftMode) || first_type(instruction) != Type::kB32 || mod.left == mod.right || mod.clamp == mod.wrap) return nullptr;
  if (mod.left) {
    return mod.clamp ? uniform_lanes<FunnelShift<true, true>, std::uint32_t, 3>()
                     : uniform_lanes<FunnelShift<true, false>, std::uint32_t, 3>();
  }
  return mod.clamp ? uniform_lanes<FunnelShift<false, true>, std::uint32_t, 3>()
                   : uniform_lanes<FunnelShift<false, false>, std::uint32_t, 3>();
}

}  // namespace

LaneOperation logic_operation(const ptx::Instruction& instruction, Step& step) {
  const Type type = first_type(instruction);
  switch (instruction.op) {
    case Opcode::kPrmt: return permute(instruction);
    case Opcode::kLop3: return lookup3(instruction, step);
    case Opcode::kShf: return funnel_shift(instruction);
    default: break;
  }
  if (!has_only(instruction.mod, kPlain)) return nullptr;
  switch (instruction.op) {
    case Opcode::kAnd: return bitwise<And>(type);
    case Opcode::kOr: return bitwise<Or>(type);
    case Opcode::kXor: return bitwise<Xor>(type);
    case Opcode::kNot:
      if (type == Type::kPred) return negate_predicate;
      return for_bits(type, []<class T>() { return uniform_lanes<Not, T, 1>(); });
    case Opcode::kCnot: return for_bits(type, []<class T>() { return uniform_lanes<LogicalNot, T, 1>(); });
    case Opcode::kShl: return for_bits(type, []<class T>() { return LaneOperation{lanes<ShiftLeft<T>, T, T, std::uint32_t>}; });
    case Opcode::kShr: return for_integer(type, []<class T>() { return LaneOperation{lanes<ShiftRight<T>, T, T, std::uint32_t>}; });
    default: return nullptr;
  }
}

}  // namespace warpbook::vgpu::ops
