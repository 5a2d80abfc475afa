#include "judge/vgpu/ops/trial.hpp"

#include <cstring>
#include <map>
#include <stdexcept>

#include "judge/tests/catch.hpp"
#include "judge/vgpu/ops/ops.hpp"

namespace warpbook::vgpu::ops {
namespace {

using ptx::Modifiers;
using ptx::Opcode;
using ptx::Type;

const std::map<std::string, Opcode, std::less<>>& opcodes() {
  static const std::map<std::string, Opcode, std::less<>> table = {
#define OPCODE(enumerator, mnemonic, ...) {mnemonic, Opcode::enumerator},
#include "judge/ptx/opcodes.def"
#undef OPCODE
  };
  return table;
}

const std::map<std::string, Type, std::less<>>& types() {
  static const std::map<std::string, Type, std::less<>> table = {
      {"pred", Type::kPred},    {"b8", Type::kB8},       {"b16", Type::kB16},     {"b32", Type::kB32},       {"b64", Type::kB64},
      {"u8", Type::kU8},        {"u16", Type::kU16},     {"u32", Type::kU32},     {"u64", Type::kU64},       {"s8", Type::kS8},
      {"s16", Type::kS16},      {"s32", Type::kS32},     {"s64", Type::kS64},     {"f16", Type::kF16},       {"bf16", Type::kBF16},
      {"u16x2", Type::kU16x2},  {"s16x2", Type::kS16x2}, {"f16x2", Type::kF16x2}, {"bf16x2", Type::kBF16x2}, {"f32", Type::kF32},
      {"f64", Type::kF64},      {"u16x2", Type::kU16x2}, {"s16x2", Type::kS16x2}, {"tf32", Type::kTF32},     {"e4m3x2", Type::kE4M3x2},
      {"e5m2x2", Type::kE5M2x2}};
  return table;
}

using Setter = void (*)(Modifiers&);
const std::map<std::string, Setter, std::less<>>& modifiers() {
  using ptx::Rounding;
  using ptx::TestMode;
  static const std::map<std::string, Setter, std::less<>> table = {
      {"rn", [](Modifiers& m) { m.rounding = Rounding::kRn; }},
      {"rz", [](Modifiers& m) { m.rounding = Rounding::kRz; }},
      {"rm", [](Modifiers& m) { m.rounding = Rounding::kRm; }},
      {"rp", [](Modifiers& m) { m.rounding = Rounding::kRp; }},
      {"rna", [](Modifiers& m) { m.rounding = Rounding::kRna; }},
      {"rni", [](Modifiers& m) { m.rounding = Rounding::kRni; }},
      {"rzi", [](Modifiers& m) { m.rounding = Rounding::kRzi; }},
      {"rmi", [](Modifiers& m) { m.rounding = Rounding::kRmi; }},
      {"rpi", [](Modifiers& m) { m.rounding = Rounding::kRpi; }},
      {"ftz", [](Modifiers& m) { m.ftz = true; }},
      {"sat", [](Modifiers& m) { m.sat = true; }},
      {"approx", [](Modifiers& m) { m.approx = true; }},
      {"full", [](Modifiers& m) { m.full = true; }},
      {"NaN", [](Modifiers& m) { m.nan = true; }},
      {"xorsign", [](Modifiers& m) { m.xorsign = true; }},
      {"abs", [](Modifiers& m) { m.abs = true; }},
      {"relu", [](Modifiers& m) { m.relu = true; }},
      {"cc", [](Modifiers& m) { m.cc = true; }},
      {"wrap", [](Modifiers& m) { m.wrap = true; }},
      {"clamp", [](Modifiers& m) { m.clamp = true; }},
      {"l", [](Modifiers& m) { m.left = true; }},
      {"r", [](Modifiers& m) { m.right = true; }},
      {"shiftamt", [](Modifiers& m) { m.shiftamt = true; }},
      {"wide", [](Modifiers& m) { m.mul = ptx::MulMode::kWide; }},
      {"finite", [](Modifiers& m) { m.test = TestMode::kFinite; }},
      {"infinite", [](Modifiers& m) { m.test = TestMode::kInfinite; }},
      {"number", [](Modifiers& m) { m.test = TestMode::kNumber; }},
      {"notanumber", [](Modifiers& m) { m.test = TestMode::kNotANumber; }},
      {"normal", [](Modifiers& m) { m.test = TestMode::kNormal; }},
      {"subnormal", [](Modifiers& m) { m.test = TestMode::kSubnormal; }},
  };
  return table;
}

const std::map<std::string, ptx::Compare, std::less<>>& compares() {
  using ptx::Compare;
  static const std::map<std::string, Compare, std::less<>> table = {
      {"eq", Compare::kEq},   {"ne", Compare::kNe},   {"lt", Compare::kLt},   {"le", Compare::kLe},   {"gt", Compare::kGt},
      {"ge", Compare::kGe},   {"lo", Compare::kLo},   {"ls", Compare::kLs},   {"hi", Compare::kHi},   {"hs", Compare::kHs},
      {"equ", Compare::kEqu}, {"neu", Compare::kNeu}, {"ltu", Compare::kLtu}, {"leu", Compare::kLeu}, {"gtu", Compare::kGtu},
      {"geu", Compare::kGeu}, {"num", Compare::kNum}, {"nan", Compare::kNan}};
  return table;
}

void add_word(ptx::Instruction& instruction, const std::string& word) {
  Modifiers& mod = instruction.mod;
  const bool comparing = instruction.op == Opcode::kSetp || instruction.op == Opcode::kSet;
  const bool packs = mod.other == ".pack" && mod.sat && word.size() == 2;  // cvt.pack.sat.u8: the width of a field, no type of an operand
  if (packs || word == "pack" || word == "satfinite" || word == "oob") {
    mod.other += "." + word;
  } else if (const auto type = types().find(word); type != types().end()) {
    instruction.types.push_back(type->second);
  } else if (const auto compare = compares().find(word); comparing && compare != compares().end()) {
    mod.compare = compare->second;
  } else if (word == "and") {
    mod.bool_op = ptx::BoolOp::kAnd;
  } else if (word == "or") {
    mod.bool_op = ptx::BoolOp::kOr;
  } else if (word == "xor") {
    mod.bool_op = ptx::BoolOp::kXor;
  } else if (word == "lo") {
    mod.mul = ptx::MulMode::kLo;
  } else if (word == "hi") {
    mod.mul = ptx::MulMode::kHi;
  } else if (const auto modifier = modifiers().find(word); modifier != modifiers().end()) {
    modifier->second(mod);
  } else if (instruction.op == Opcode::kPrmt) {
    mod.other += "." + word;
  } else {
    throw std::runtime_error("no such modifier: " + word);
  }
}

int source_count(const ptx::Instruction& instruction) {
  const bool combines = instruction.mod.bool_op != ptx::BoolOp::kNone;
  switch (instruction.op) {
    case Opcode::kMad:
    case Opcode::kMadc:
    case Opcode::kFma:
    case Opcode::kSad:
    case Opcode::kMad24:
    case Opcode::kDp4a:
    case Opcode::kDp2a:
    case Opcode::kBfe:
    case Opcode::kFns:
    case Opcode::kShf:
    case Opcode::kPrmt:
    case Opcode::kSelp:
    case Opcode::kSlct: return 3;
    case Opcode::kBfi: return 4;
    case Opcode::kLop3: return combines ? 5 : 4;
    case Opcode::kSetp:
    case Opcode::kSet: return combines ? 3 : 2;
    case Opcode::kAbs:
    case Opcode::kNeg:
    case Opcode::kPopc:
    case Opcode::kClz:
    case Opcode::kBfind:
    case Opcode::kBrev:
    case Opcode::kRcp:
    case Opcode::kSqrt:
    case Opcode::kRsqrt:
    case Opcode::kSin:
    case Opcode::kCos:
    case Opcode::kLg2:
    case Opcode::kEx2:
    case Opcode::kTanh:
    case Opcode::kTestp:
    case Opcode::kNot:
    case Opcode::kCnot:
    case Opcode::kMov: return 1;
    case Opcode::kCvt: {
      if (instruction.mod.other.starts_with(".pack")) return instruction.mod.other == ".pack" ? 2 : 3;
      const Type type = instruction.types.front();
      const bool pair = type == Type::kF16x2 || type == Type::kBF16x2 || type == Type::kE4M3x2 || type == Type::kE5M2x2;
      return pair && instruction.types.back() == Type::kF32 ? 2 : 1;
    }
    default: return 2;
  }
}

int result_count(const ptx::Instruction& instruction) {
  if (instruction.op == Opcode::kSetp) return 2;
  return instruction.op == Opcode::kLop3 && instruction.mod.bool_op != ptx::BoolOp::kNone ? 2 : 1;
}

Type bits_type(int bits) { return bits == 32 ? Type::kB32 : bits == 16 ? Type::kB16 : Type::kB8; }

/// A register file under construction: rows and predicates at consecutive offsets.
class File {
 public:
  std::uint32_t place(Type type, const Lanes& values) {
    const std::uint32_t offset = size_;
    const int bits = ptx::bits_of(type);
    size_ += kRowBytes;
    if (bits == 1) {
      LaneMask mask = 0;
      for (int lane = 0; lane < kWarpSize; ++lane) mask |= static_cast<LaneMask>(values[static_cast<std::size_t>(lane)] & 1) << lane;
      registers().predicate(offset) = mask;
    }
    for (int lane = 0; lane < kWarpSize && bits > 1; ++lane) {
      const std::uint64_t value = values[static_cast<std::size_t>(lane)];
      if (bits == 64) registers().row<std::uint64_t>(offset)[lane] = value;
      if (bits == 32) registers().row<std::uint32_t>(offset)[lane] = static_cast<std::uint32_t>(value);
      if (bits <= 16) registers().row<std::uint16_t>(offset)[lane] = static_cast<std::uint16_t>(value);
    }
    return offset;
  }
  Lanes read(Type type, std::uint32_t offset) const {
    Lanes values{};
    const int bits = ptx::bits_of(type);
    for (int lane = 0; lane < kWarpSize; ++lane) {
      std::uint64_t& value = values[static_cast<std::size_t>(lane)];
      if (bits == 1) value = registers().predicate(offset) >> lane & 1;
      if (bits == 64) value = registers().row<std::uint64_t>(offset)[lane];
      if (bits == 32) value = registers().row<std::uint32_t>(offset)[lane];
      if (bits == 8 || bits == 16) value = registers().row<std::uint16_t>(offset)[lane];
    }
    return values;
  }
  Registers registers() const { return Registers{const_cast<std::byte*>(bytes_)}; }

 private:
  static constexpr std::uint32_t kRowBytes = 256;
  alignas(64) std::byte bytes_[16 * kRowBytes] = {};
  std::uint32_t size_ = 0;
};

}  // namespace

Lanes splat(std::uint64_t value) {
  Lanes lanes{};
  lanes.fill(value);
  return lanes;
}

ptx::Instruction instruction_of(std::string_view text) {
  ptx::Instruction instruction;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find('.', begin), text.size());
    const std::string word(text.substr(begin, end - begin));
    if (begin == 0) {
      const auto op = opcodes().find(word);
      if (op == opcodes().end()) throw std::runtime_error("no such opcode: " + word);
      instruction.op = op->second;
    } else {
      add_word(instruction, word);
    }
    begin = end + 1;
  }
  return instruction;
}

Trial::Trial(std::string_view text) : instruction_(instruction_of(text)) {
  sources_ = source_count(instruction_);
  results_ = result_count(instruction_);
}

Trial& Trial::source_register(Type type) { return source_register_ = type, *this; }
Trial& Trial::result_register(Type type) { return result_register_ = type, *this; }
Trial& Trial::negate(int index) { return negated_ |= 1u << index, *this; }
Trial& Trial::pack(int count) { return packed_ = sources_ = count, *this; }
Trial& Trial::unpack(int count) { return unpacked_ = results_ = count, *this; }
Trial& Trial::table(std::uint8_t value) { return table_ = value, *this; }
Trial& Trial::in_place(int source) { return in_place_ = source, *this; }
Trial& Trial::sink(int index) { return sunk_ |= 1u << index, *this; }
Trial& Trial::carry_in(std::uint32_t mask) { return carry_in_ = mask, *this; }

Type Trial::source_type_of(int index) const {
  if (index == 0 && source_register_ != Type::kNone) return source_register_;
  if (packed_ != 0) return bits_type(ptx::bits_of(instruction_.types.front()) / packed_);
  ptx::Function unused;
  return source_type(finished(unused), index);
}

Type Trial::result_type_of(int index) const {
  if (result_register_ != Type::kNone) return result_register_;
  const Type type = instruction_.types.front();
  switch (instruction_.op) {
    case Opcode::kSetp:
    case Opcode::kTestp: return Type::kPred;
    case Opcode::kPopc:
    case Opcode::kClz:
    case Opcode::kBfind: return Type::kU32;
    case Opcode::kLop3: return index == 1 ? Type::kPred : type;
    case Opcode::kCvt: return instruction_.mod.other.starts_with(".pack") ? Type::kB32 : type;
    case Opcode::kMov: return unpacked_ == 0 ? type : bits_type(ptx::bits_of(type) / unpacked_);
    default: break;
  }
  if (instruction_.mod.mul != ptx::MulMode::kWide) return type;
  return ptx::bits_of(type) == 16 ? Type::kB32 : Type::kB64;
}

ptx::Instruction Trial::finished(ptx::Function& function) const {
  ptx::Instruction instruction = instruction_;
  const auto vector_of = [](int count) {
    ptx::Operand operand;
    operand.kind = ptx::OperandKind::kVector;
    operand.elements.resize(static_cast<std::size_t>(count));
    return operand;
  };
  const auto register_of = [&](Type type) {
    ptx::Operand operand;
    operand.kind = ptx::OperandKind::kRegister;
    operand.reg = static_cast<std::int32_t>(function.registers.size());
    function.registers.push_back({"r", type});
    return operand;
  };
  if (packed_ != 0) {
    instruction.src = {vector_of(packed_)};
  } else {
    for (int i = 0; i < sources_; ++i) {
      const bool declared = i == 0 && source_register_ != Type::kNone;
      ptx::Operand operand = register_of(declared ? source_register_ : source_type(instruction, i));
      operand.negated = (negated_ >> i & 1) != 0;
      if (instruction.op == Opcode::kLop3 && i == 3) {
        operand.kind = ptx::OperandKind::kImmediate;
        operand.bits = table_;
      }
      instruction.src.push_back(operand);
    }
  }
  if (unpacked_ != 0) {
    instruction.dst = {vector_of(unpacked_)};
  } else {
    for (int i = 0; i < results_; ++i) instruction.dst.push_back(register_of(result_type_of(i)));
  }
  return instruction;
}

bool Trial::known() const {
  Step step;
  ptx::Function function;
  const ptx::Instruction instruction = finished(function);
  return lane_operation(instruction, function, step) != nullptr;
}

Trial::Outcome Trial::run(const std::vector<Lanes>& sources, LaneMask active, std::uint64_t before) const {
  Step step;
  ptx::Function function;
  const ptx::Instruction instruction = finished(function);
  const LaneOperation operation = lane_operation(instruction, function, step);
  if (operation == nullptr) throw std::runtime_error("no operation");
  File file;
  for (int i = 0; i < sources_; ++i) {
    const int slot = source_slot(instruction, i);
    if (slot < 0) continue;
    step.src[slot] = file.place(source_type_of(i), sources.at(static_cast<std::size_t>(i)));
    if (source_type_of(i) == Type::kPred && (negated_ >> i & 1) != 0) step.source_negated |= 1u << slot;
  }
  const Lanes carry = [&] {
    Lanes lanes{};
    for (int lane = 0; lane < kWarpSize; ++lane) lanes[static_cast<std::size_t>(lane)] = carry_in_ >> lane & 1;
    return lanes;
  }();
  const std::uint32_t condition_code = file.place(Type::kPred, carry);
  if (reads_carry(instruction)) step.src[3] = condition_code;
  for (int i = 0; i < results_; ++i) {
    if ((sunk_ >> i & 1) != 0) continue;
    step.dst[i] = in_place_ >= 0 && i == 0 ? step.src[in_place_] : file.place(result_type_of(i), splat(before));
  }
  if (writes_carry(instruction)) step.dst[1] = condition_code;
  operation(file.registers(), step, active);
  Outcome outcome;
  for (int i = 0; i < results_; ++i) {
    outcome.results.push_back(step.dst[i] == kNoRegister ? Lanes{} : file.read(result_type_of(i), step.dst[i]));
  }
  outcome.carry = file.registers().predicate(condition_code);
  return outcome;
}

std::uint64_t Trial::one(std::initializer_list<std::uint64_t> sources) const {
  std::vector<Lanes> rows;
  for (const std::uint64_t value : sources) rows.push_back(splat(value));
  return run(rows).results.front().front();
}

std::uint64_t one(std::string_view text, std::initializer_list<std::uint64_t> sources) { return Trial(text).one(sources); }

TEST_CASE("an instruction is built from its text") {
  const ptx::Instruction instruction = instruction_of("setp.lo.and.u32");
  CHECK(instruction.op == Opcode::kSetp);
  CHECK(instruction.mod.compare == ptx::Compare::kLo);
  CHECK(instruction.mod.bool_op == ptx::BoolOp::kAnd);
  CHECK(instruction.types == std::vector<Type>{Type::kU32});
  CHECK_THROWS(instruction_of("add.quickly.f32"));
}

}  // namespace warpbook::vgpu::ops
