#include "judge/vgpu/ops/ops.hpp"

#include "judge/vgpu/ops/families.hpp"

namespace warpbook::vgpu::ops {
namespace {

using ptx::Opcode;
using ptx::Type;

bool is_half(Type type) { return type == Type::kF16 || type == Type::kF16x2 || type == Type::kBF16 || type == Type::kBF16x2; }

/// Opcodes that several number types share: the type decides.
LaneOperation arithmetic_operation(const ptx::Instruction& instruction, Step& step) {
  const Type type = first_type(instruction);
  if (instruction.types.size() > 1) return nullptr;  // mixed precision: add.f32.f16
  if (is_half(type)) return half_operation(instruction, step);
  if (type == Type::kU16x2 || type == Type::kS16x2) return packed_integer_operation(instruction);
  if (type == Type::kF64) return float64_operation(instruction, step);
  if (type == Type::kF32) {
    const bool approximate = instruction.mod.approx || instruction.mod.full;
    return approximate ? approximate_operation(instruction, step) : float32_operation(instruction, step);
  }
  if (instruction.mod.cc || reads_carry(instruction)) return carry_operation(instruction, step);
  return integer_operation(instruction, step);
}

/// A negated source is a predicate, except for the products that fusing makes: only those operations look at it.
bool negations_are_understood(const ptx::Instruction& instruction) {
  const bool is_product = instruction.op == Opcode::kFma || instruction.op == Opcode::kMad;
  for (std::size_t i = 0; i < instruction.src.size(); ++i) {
    if (!instruction.src[i].negated || source_type(instruction, static_cast<int>(i)) == Type::kPred) continue;
    if (!is_product || !ptx::is_float(first_type(instruction))) return false;
  }
  return true;
}

Type twice_as_wide(Type type) {
  switch (type) {
    case Type::kU16: return Type::kU32;
    case Type::kS16: return Type::kS32;
    case Type::kU32: return Type::kU64;
    case Type::kS32: return Type::kS64;
    default: return type;
  }
}

}  // namespace

LaneOperation lane_operation(const ptx::Instruction& instruction, const ptx::Function& function, Step& step) {
  if (!negations_are_understood(instruction)) return nullptr;
  switch (instruction.op) {
    case Opcode::kAdd:
    case Opcode::kSub:
    case Opcode::kMul:
    case Opcode::kMad:
    case Opcode::kFma:
    case Opcode::kDiv:
    case Opcode::kRem:
    case Opcode::kAbs:
    case Opcode::kNeg:
    case Opcode::kMin:
    case Opcode::kMax:
    case Opcode::kSad:
    case Opcode::kMul24:
    case Opcode::kMad24:
    case Opcode::kAddc:
    case Opcode::kSubc:
    case Opcode::kMadc:
    case Opcode::kCopysign:
    case Opcode::kRcp:
    case Opcode::kSqrt:
    case Opcode::kRsqrt:
    case Opcode::kSin:
    case Opcode::kCos:
    case Opcode::kLg2:
    case Opcode::kEx2:
    case Opcode::kTanh: return arithmetic_operation(instruction, step);
    case Opcode::kTestp: return test_operation(instruction);
    case Opcode::kPopc:
    case Opcode::kClz:
    case Opcode::kBfind:
    case Opcode::kBrev:
    case Opcode::kBfe:
    case Opcode::kBfi:
    case Opcode::kSzext:
    case Opcode::kBmsk:
    case Opcode::kFns:
    case Opcode::kDp4a:
    case Opcode::kDp2a: return bit_field_operation(instruction, step);
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
    case Opcode::kNot:
    case Opcode::kCnot:
    case Opcode::kLop3:
    case Opcode::kShl:
    case Opcode::kShr:
    case Opcode::kShf:
    case Opcode::kPrmt: return logic_operation(instruction, step);
    case Opcode::kSetp:
    case Opcode::kSet: return compare_operation(instruction, step);
    case Opcode::kSelp:
    case Opcode::kSlct: return select_operation(instruction, step);
    case Opcode::kMov: return move_operation(instruction, step);
    case Opcode::kCvt: return convert_operation(instruction, function, step);
    default: return nullptr;
  }
}

ptx::Type source_type(const ptx::Instruction& instruction, int index) {
  const Type type = first_type(instruction);
  const auto second = instruction.types.size() > 1 ? instruction.types[1] : type;
  const bool wide = instruction.mod.mul == ptx::MulMode::kWide;
  switch (instruction.op) {
    case Opcode::kMad: return index == 2 && wide ? twice_as_wide(type) : type;
    case Opcode::kShl:
    case Opcode::kShr: return index == 1 ? Type::kU32 : type;
    case Opcode::kShf: return index == 2 ? Type::kU32 : type;
    case Opcode::kBfe: return index == 0 ? type : Type::kU32;
    case Opcode::kBfi: return index < 2 ? type : Type::kU32;
    case Opcode::kFns: return index == 2 ? Type::kS32 : Type::kB32;
    case Opcode::kDp4a:
    case Opcode::kDp2a: return index == 0 ? type : index == 1 ? second : Type::kB32;
    case Opcode::kLop3: return index == 4 ? Type::kPred : type;
    case Opcode::kSetp: return index == 2 ? Type::kPred : type;
    case Opcode::kSet: return index == 2 ? Type::kPred : second;
    case Opcode::kSelp: return index == 2 ? Type::kPred : type;
    case Opcode::kSlct: return index == 2 ? second : type;
    case Opcode::kCvt:
      if (instruction.mod.other.starts_with(".pack")) return index == 2 ? Type::kB32 : Type::kS32;
      return instruction.types.empty() ? Type::kNone : instruction.types.back();
    default: return type;
  }
}

int source_slot(const ptx::Instruction& instruction, int index) {
  constexpr int kTable = 3;  // of lop3: kept in step.immediate
  if (instruction.op != Opcode::kLop3 || index < kTable) return index;
  return index == kTable ? -1 : kTable;
}

}  // namespace warpbook::vgpu::ops
