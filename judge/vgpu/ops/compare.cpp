// setp and set. A comparison of two rows gives one mask; everything after it (combining with a predicate, writing p and q, spreading to
// all-ones or 1.0) works on masks, so the comparisons are the only templates and one table serves both instructions.
#include "judge/vgpu/ops/families.hpp"
#include "judge/vgpu/ops/half_format.hpp"
#include "judge/vgpu/ops/lanes.hpp"

namespace warpbook::vgpu::ops {
namespace {

using ptx::BoolOp;
using ptx::Compare;
using ptx::Opcode;
using ptx::Type;

/// The lanes for which src[0] compares to src[1]. Of x2 types: in the low (`half` 0) or high (1) half.
using RowTest = LaneMask (*)(const Registers& registers, const Step& step, int half);

/// What becomes of the mask: bits of step.flags.
enum SetFlags : std::uint8_t { kCombineAnd = 1, kCombineOr = 2, kCombineXor = 3, kCombineBits = 3 };

template <Compare kCompare, class T>
[[gnu::always_inline]] inline bool holds(T a, T b) {
  const bool unordered = a != a || b != b;  // never for integers
  switch (kCompare) {
    case Compare::kEq: return a == b;
    case Compare::kNe: return !unordered && a != b;
    case Compare::kLt:
    case Compare::kLo: return a < b;
    case Compare::kLe:
    case Compare::kLs: return a <= b;
    case Compare::kGt:
    case Compare::kHi: return a > b;
    case Compare::kGe:
    case Compare::kHs: return a >= b;
    case Compare::kEqu: return unordered || a == b;
    case Compare::kNeu: return a != b;
    case Compare::kLtu: return !(a >= b);
    case Compare::kLeu: return !(a > b);
    case Compare::kGtu: return !(a <= b);
    case Compare::kGeu: return !(a < b);
    case Compare::kNum: return !unordered;
    case Compare::kNan: return unordered;
    default: return false;
  }
}

template <Compare kCompare, class T>
LaneMask compare_rows(const Registers& registers, const Step& step, int) {
  return test<T, T>([](T a, T b) { return holds<kCompare>(a, b); }, registers.row<RowOf<T>>(step.src[0]),
                    registers.row<RowOf<T>>(step.src[1]));
}
template <Compare kCompare>
LaneMask compare_flushed(const Registers& registers, const Step& step, int) {
  return test<float, float>([](float a, float b) { return holds<kCompare>(flushed(a), flushed(b)); },
                            registers.row<std::uint32_t>(step.src[0]), registers.row<std::uint32_t>(step.src[1]));
}
template <Compare kCompare, class Format, bool kFlush, class Row>
LaneMask compare_halves(const Registers& registers, const Step& step, int half) {
  const int shift = 16 * half;
  const auto wide = [shift](Row bits) {
    const auto value = static_cast<std::uint16_t>(bits >> shift);
    return float_of_half<Format>(kFlush ? flushed_half<Format>(value) : value);
  };
  return test<Row, Row>([&](Row a, Row b) { return holds<kCompare>(wide(a), wide(b)); }, registers.row<Row>(step.src[0]),
                        registers.row<Row>(step.src[1]));
}

LaneMask combined(const Registers& registers, const Step& step, LaneMask mask) {
  switch (step.flags & kCombineBits) {
    case kCombineAnd: return mask & predicate_source(registers, step, 2);
    case kCombineOr: return mask | predicate_source(registers, step, 2);
    case kCombineXor: return mask ^ predicate_source(registers, step, 2);
    default: return mask;
  }
}

template <RowTest kTest>
void set_predicates(const Registers& registers, const Step& step, LaneMask active) {
  const LaneMask mask = kTest(registers, step, 0);
  // q first: when both are one register, PTX leaves open which wins, and c may be p or q.
  const LaneMask q = combined(registers, step, ~mask), p = combined(registers, step, mask);
  write_predicate(registers, step.dst[1], q, active);
  write_predicate(registers, step.dst[0], p, active);
}
/// x2 types: p is the comparison of the low halves, q that of the high ones.
template <RowTest kTest>
void set_pair_of_predicates(const Registers& registers, const Step& step, LaneMask active) {
  const LaneMask p = combined(registers, step, kTest(registers, step, 0)), q = combined(registers, step, kTest(registers, step, 1));
  write_predicate(registers, step.dst[0], p, active);
  write_predicate(registers, step.dst[1], q, active);
}

/// A comparison in the two shapes in which it is used.
struct Entry {
  RowTest row_test = nullptr;
  LaneOperation setp = nullptr;
};
template <RowTest kTest>
constexpr Entry entry() {
  return {kTest, set_predicates<kTest>};
}
template <RowTest kTest>
constexpr Entry pair_entry() {
  return {kTest, set_pair_of_predicates<kTest>};
}

template <Compare kCompare, class Format>
Entry half_entry(bool pair, bool flush) {
  if constexpr (std::is_same_v<Format, Half>) {
    if (flush)
      return pair ? pair_entry<compare_halves<kCompare, Half, true, std::uint32_t>>()
                  : entry<compare_halves<kCompare, Half, true, std::uint16_t>>();
  }
  if (flush) return {};
  return pair ? pair_entry<compare_halves<kCompare, Format, false, std::uint32_t>>()
              : entry<compare_halves<kCompare, Format, false, std::uint16_t>>();
}

template <Compare kCompare>
Entry float_entry(Type type, bool flush) {
  switch (type) {
    case Type::kF32: return flush ? entry<compare_flushed<kCompare>>() : entry<compare_rows<kCompare, float>>();
    case Type::kF64: return flush ? Entry{} : entry<compare_rows<kCompare, double>>();
    case Type::kF16:
    case Type::kF16x2: return half_entry<kCompare, Half>(type == Type::kF16x2, flush);
    case Type::kBF16:
    case Type::kBF16x2: return half_entry<kCompare, BFloat>(type == Type::kBF16x2, flush);
    default: return {};
  }
}
template <Compare kCompare, bool kOrdering>
Entry integer_entry(Type type) {
  switch (type) {
    case Type::kU16: return entry<compare_rows<kCompare, std::uint16_t>>();
    case Type::kU32: return entry<compare_rows<kCompare, std::uint32_t>>();
    case Type::kU64: return entry<compare_rows<kCompare, std::uint64_t>>();
    case Type::kS16: return entry<compare_rows<kCompare, std::int16_t>>();
    case Type::kS32: return entry<compare_rows<kCompare, std::int32_t>>();
    case Type::kS64: return entry<compare_rows<kCompare, std::int64_t>>();
    // Bit-size types have no order.
    case Type::kB16: return kOrdering ? Entry{} : entry<compare_rows<kCompare, std::uint16_t>>();
    case Type::kB32: return kOrdering ? Entry{} : entry<compare_rows<kCompare, std::uint32_t>>();
    case Type::kB64: return kOrdering ? Entry{} : entry<compare_rows<kCompare, std::uint64_t>>();
    default: return {};
  }
}
template <Compare kCompare, bool kOrdering>
Entry any_entry(Type type, bool flush) {
  if (ptx::is_float(type)) return float_entry<kCompare>(type, flush);
  return flush ? Entry{} : integer_entry<kCompare, kOrdering>(type);
}

Entry entry_of(Compare compare, Type type, bool flush) {
  const bool is_float = ptx::is_float(type), is_unsigned = !is_float && !ptx::is_signed(type);
  switch (compare) {
    case Compare::kEq: return any_entry<Compare::kEq, false>(type, flush);
    case Compare::kNe: return any_entry<Compare::kNe, false>(type, flush);
    case Compare::kLt: return any_entry<Compare::kLt, true>(type, flush);
    case Compare::kLe: return any_entry<Compare::kLe, true>(type, flush);
    case Compare::kGt: return any_entry<Compare::kGt, true>(type, flush);
    case Compare::kGe: return any_entry<Compare::kGe, true>(type, flush);
    case Compare::kLo: return is_unsigned ? any_entry<Compare::kLt, true>(type, flush) : Entry{};
    case Compare::kLs: return is_unsigned ? any_entry<Compare::kLe, true>(type, flush) : Entry{};
    case Compare::kHi: return is_unsigned ? any_entry<Compare::kGt, true>(type, flush) : Entry{};
    case Compare::kHs: return is_unsigned ? any_entry<Compare::kGe, true>(type, flush) : Entry{};
    case Compare::kEqu: return float_entry<Compare::kEqu>(type, flush);
    case Compare::kNeu: return float_entry<Compare::kNeu>(type, flush);
    case Compare::kLtu: return float_entry<Compare::kLtu>(type, flush);
    case Compare::kLeu: return float_entry<Compare::kLeu>(type, flush);
    case Compare::kGtu: return float_entry<Compare::kGtu>(type, flush);
    case Compare::kGeu: return float_entry<Compare::kGeu>(type, flush);
    case Compare::kNum: return float_entry<Compare::kNum>(type, flush);
    case Compare::kNan: return float_entry<Compare::kNan>(type, flush);
    default: return {};
  }
}

/// `set`: the mask spread over a row. Which comparison it is stands in step.immediate, as a pointer: one function per destination is
/// enough, since spreading costs more than an indirect call.
template <class Row, Row kTrue>
void set_row(const Registers& registers, const Step& step, LaneMask active) {
  const LaneMask mask = combined(registers, step, reinterpret_cast<RowTest>(step.immediate)(registers, step, 0));
  masked(registers.row<Row>(step.dst[0]), active, [&](Row* out) {
    for (int lane = 0; lane < kWarpSize; ++lane) out[lane] = (mask >> lane & 1u) != 0 ? kTrue : Row{0};
  });
}
template <std::uint16_t kTrue>
void set_pair_row(const Registers& registers, const Step& step, LaneMask active) {
  const auto compare = reinterpret_cast<RowTest>(step.immediate);
  const LaneMask low = combined(registers, step, compare(registers, step, 0)),
                 high = combined(registers, step, compare(registers, step, 1));
  masked(registers.row<std::uint32_t>(step.dst[0]), active, [&](std::uint32_t* out) {
    for (int lane = 0; lane < kWarpSize; ++lane) {
      const std::uint32_t low_bits = (low >> lane & 1u) != 0 ? kTrue : 0u, high_bits = (high >> lane & 1u) != 0 ? kTrue : 0u;
      out[lane] = high_bits << 16 | low_bits;
    }
  });
}

constexpr std::uint32_t kOnes32 = 0xFFFFFFFFu, kFloatOne = 0x3F800000u;
constexpr std::uint16_t kOnes16 = 0xFFFF;

LaneOperation set_operation(Type to, Type from) {
  if (from == Type::kF16x2 || from == Type::kBF16x2) {
    if (to == Type::kU32 || to == Type::kS32) return set_pair_row<kOnes16>;
    if (to == Type::kF16x2 && from == Type::kF16x2) return set_pair_row<Half::kOne>;
    if (to == Type::kBF16x2 && from == Type::kBF16x2) return set_pair_row<BFloat::kOne>;
    return nullptr;
  }
  switch (to) {
    case Type::kU32:
    case Type::kS32: return set_row<std::uint32_t, kOnes32>;
    case Type::kF32: return set_row<std::uint32_t, kFloatOne>;
    case Type::kU16:
    case Type::kS16: return set_row<std::uint16_t, kOnes16>;
    case Type::kF16: return set_row<std::uint16_t, Half::kOne>;
    case Type::kBF16: return set_row<std::uint16_t, BFloat::kOne>;
    default: return nullptr;
  }
}

}  // namespace

LaneOperation compare_operation(const ptx::Instruction& instruction, Step& step) {
  const ptx::Modifiers& mod = instruction.mod;
  const bool is_set = instruction.op == Opcode::kSet;
  if (!has_only(mod, kCompare | kBoolOp | kFtz) || instruction.types.size() != (is_set ? 2u : 1u)) return nullptr;
  const Entry found = entry_of(mod.compare, instruction.types.back(), mod.ftz);
  if (found.row_test == nullptr) return nullptr;
  switch (mod.bool_op) {
    case BoolOp::kNone: step.flags = 0; break;
    case BoolOp::kAnd: step.flags = kCombineAnd; break;
    case BoolOp::kOr: step.flags = kCombineOr; break;
    case BoolOp::kXor: step.flags = kCombineXor; break;
  }
  if (!is_set) return found.setp;
  step.immediate = reinterpret_cast<std::int64_t>(found.row_test);
  return set_operation(instruction.types[0], instruction.types[1]);
}

}  // namespace warpbook::vgpu::ops
