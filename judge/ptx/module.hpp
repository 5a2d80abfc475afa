#pragma once
// PTX in memory: what parser.cpp makes of the text and what the virtual GPU decodes. Names are resolved, operands carry their
// types, and every instruction knows its line in the learner's file. Nothing here knows how an instruction is executed.
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "judge/ptx/opcode.hpp"

namespace warpbook::ptx {

enum class Type : std::uint8_t {
  kNone,
  kPred,
  kB8,
  kB16,
  kB32,
  kB64,
  kB128,
  kU8,
  kU16,
  kU32,
  kU64,
  kS8,
  kS16,
  kS32,
  kS64,
  kU16x2,
  kS16x2,
  kF16,
  kF16x2,
  kBF16,
  kBF16x2,
  kF32,
  kF64,
  kTF32,    ///< of cvt only: 32 bits
  kE4M3x2,  ///< of cvt only, like kE5M2x2: two floats of 8 bits in 16
  kE5M2x2,
};

/// Width in bits; kPred is 1, kNone 0.
int bits_of(Type type);
bool is_signed(Type type);
bool is_float(Type type);  ///< f16, f16x2, bf16, bf16x2, f32, f64 and the formats of cvt
std::string_view name_of(Type type);

enum class Space : std::uint8_t { kGeneric, kGlobal, kShared, kLocal, kParam, kConst, kReg };

enum class Rounding : std::uint8_t { kNone, kRn, kRz, kRm, kRp, kRna, kRni, kRzi, kRmi, kRpi };
enum class Compare : std::uint8_t {
  kNone,
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kLo,
  kLs,
  kHi,
  kHs,
  kEqu,
  kNeu,
  kLtu,
  kLeu,
  kGtu,
  kGeu,
  kNum,
  kNan,
};
enum class BoolOp : std::uint8_t { kNone, kAnd, kOr, kXor };
enum class MulMode : std::uint8_t { kNone, kLo, kHi, kWide };
enum class AtomOp : std::uint8_t { kNone, kAdd, kMin, kMax, kInc, kDec, kAnd, kOr, kXor, kExch, kCas };
enum class ShuffleMode : std::uint8_t { kNone, kUp, kDown, kBfly, kIdx };
enum class VoteMode : std::uint8_t { kNone, kAll, kAny, kUni, kBallot };
enum class TestMode : std::uint8_t { kNone, kFinite, kInfinite, kNumber, kNotANumber, kNormal, kSubnormal };
enum class Order : std::uint8_t { kWeak, kRelaxed, kAcquire, kRelease, kAcqRel, kSc, kVolatile };
enum class Scope : std::uint8_t { kNone, kCta, kCluster, kGpu, kSys };

/// Everything between the mnemonic and the operands, e.g. `.wide`, `.ftz`, `.lt`. Absent ones keep their defaults.
struct Modifiers {
  Rounding rounding = Rounding::kNone;
  Compare compare = Compare::kNone;
  BoolOp bool_op = BoolOp::kNone;
  MulMode mul = MulMode::kNone;
  AtomOp atom = AtomOp::kNone;
  ShuffleMode shuffle = ShuffleMode::kNone;
  VoteMode vote = VoteMode::kNone;
  TestMode test = TestMode::kNone;
  Order order = Order::kWeak;
  Scope scope = Scope::kNone;
  Space space = Space::kGeneric;  ///< of ld, st, atom, red, cvta, prefetch ...
  std::uint8_t vector = 1;        ///< 1, 2, 4 (8 where PTX allows it)
  bool ftz = false, sat = false, approx = false, full = false, nc = false, sync = false, aligned = false, uni = false, to = false;
  bool wrap = false, clamp = false, left = false, right = false, nan = false, xorsign = false, abs = false, shiftamt = false, noinc = false,
       arrive = false;
  bool relu = false, cc = false;
  std::string other;  ///< remaining modifiers with their dots, in order: ".b4e", ".L1::no_allocate"
};

enum class SpecialRegister : std::uint8_t {
  kTidX,
  kTidY,
  kTidZ,
  kNtidX,
  kNtidY,
  kNtidZ,
  kCtaidX,
  kCtaidY,
  kCtaidZ,
  kNctaidX,
  kNctaidY,
  kNctaidZ,
  kLaneid,
  kWarpid,
  kNwarpid,
  kSmid,
  kNsmid,
  kGridid,
  kLanemaskEq,
  kLanemaskLt,
  kLanemaskLe,
  kLanemaskGt,
  kLanemaskGe,
  kClock,
  kClockHi,
  kClock64,
  kGlobaltimer,
  kGlobaltimerLo,
  kGlobaltimerHi,
  kClusteridX,
  kClusteridY,
  kClusteridZ,
  kNclusteridX,
  kNclusteridY,
  kNclusteridZ,
  kClusterCtaidX,
  kClusterCtaidY,
  kClusterCtaidZ,
  kClusterNctaidX,
  kClusterNctaidY,
  kClusterNctaidZ,
  kClusterCtarank,
  kClusterNctarank,
  kIsExplicitCluster,  ///< a predicate
  kCurrentGraphExec,
  kDynamicSmemSize,
  kTotalSmemSize,
  kAggrSmemSize,
  kReservedSmemOffsetBegin,
  kReservedSmemOffsetEnd,
  kReservedSmemOffsetCap,
  kReservedSmemOffset0,
  kReservedSmemOffset1,
  kEnvreg,  ///< those that nobody gives a meaning
  kPm,
  kEnvreg1,
  kEnvreg2,
};

enum class OperandKind : std::uint8_t {
  kNone,
  kRegister,   ///< reg (negated: `!p`)
  kImmediate,  ///< bits, already converted to `type`
  kSpecial,    ///< special
  kSymbol,     ///< address of symbol + offset
  kAddress,    ///< [reg + offset], [symbol + offset] or [offset]
  kVector,     ///< elements
  kLabel,      ///< target: index of an instruction of the same function
  kFunction,   ///< symbol: a function
  kSink,       ///< `_`
};

/// An operand with the type its slot has in the instruction. The register behind it can be wider (ld, st, cvt) and says so
/// itself in Function::registers.
struct Operand {
  OperandKind kind = OperandKind::kNone;
  Type type = Type::kNone;
  bool negated = false;     ///< `!p`; or -a of a fused product (see Instruction)
  std::int32_t reg = -1;    ///< index into Function::registers; -1: none (kAddress with a symbol or constant base)
  std::uint64_t bits = 0;   ///< kImmediate
  std::int64_t offset = 0;  ///< kAddress, kSymbol
  SpecialRegister special{};
  std::int32_t target = -1;       ///< kLabel
  std::string symbol;             ///< kSymbol, kAddress, kFunction, unresolved label names
  std::vector<Operand> elements;  ///< kVector
};

/// One frame of a source position; the innermost first.
struct Frame {
  std::int32_t file = -1;  ///< index into Module::files
  std::int32_t line = 0, column = 0;
  std::string function;  ///< name of the inlined function when PTX gives it
};

/// A source position with the calls it was inlined through: [0] is the innermost frame, the last is in the kernel itself.
struct Location {
  std::vector<Frame> frames;
};

/// Sources can be negated: `!%p` of a predicate, and, in what fuse_products() makes (contract.hpp), a float register taken with the
/// opposite sign (Operand::negated with a float type, on kFma only; both halves of f16x2).
struct Instruction {
  Opcode op{};
  Modifiers mod;
  std::vector<Type> types;  ///< the type suffixes in order: cvt.f32.s32 -> {f32, s32}
  std::int32_t guard = -1;  ///< predicate register, -1: unconditional
  bool guard_negated = false;
  std::vector<Operand> dst;    ///< destinations: d; shfl `d|p` -> {d, p}; setp `p|q` -> {p, q}; ld vector -> one kVector
  std::vector<Operand> src;    ///< sources in textual order; for st the address is src[0], the value src[1]; call: see below
  std::int32_t location = -1;  ///< index into Module::locations, -1: unknown
  std::int32_t ptx_line = 0;   ///< line of the PTX text
  // call only: src[0] is kFunction (direct) or kRegister (indirect); these are the .param names or registers of the call site
  std::vector<Operand> call_results, call_arguments;
  std::string call_prototype;  ///< indirect calls: label of the .callprototype, or of a .calltargets list
  std::string spelling;        ///< mnemonic and modifiers as written: "st.global.f32"; for messages
};

/// A register that occurs in the text; `%r<58>` declares 58 and makes none. Names can repeat: scopes shadow each other.
struct Register {
  std::string name;
  Type type = Type::kNone;
};

/// A variable of a state space: module-wide, or of one function (.shared demoted, .local, .param of a call site). Names are unique
/// within a function and against the module: a second `param0` becomes `param0#2`, in the operands too.
struct Variable {
  std::string name;
  Space space = Space::kGlobal;
  Type type = Type::kB8;
  std::uint32_t alignment = 1;
  std::uint64_t bytes = 0;  ///< 0 for `.extern .shared s[]`
  bool external = false;
  bool managed = false;
  bool visible = false;
  std::vector<std::uint8_t> initial;  ///< the first bytes; the rest (or all, when empty) is zero
  struct Relocation {
    std::uint64_t at = 0;
    std::string symbol;
    std::int64_t offset = 0;
    bool generic = false;
  };
  std::vector<Relocation> relocations;  ///< 8-byte addresses to be written into `initial`
};

/// A formal parameter: of an entry (in param space) or of a function (.param or .reg).
struct Parameter {
  std::string name;
  Type type = Type::kB8;
  std::uint32_t alignment = 1;
  std::uint32_t bytes = 0;
  std::uint32_t offset = 0;  ///< in the parameter block
  std::int32_t reg = -1;     ///< .reg parameters of functions
};

/// A variable of the source and the register that holds it where WATCH (common/kernel/watch.cuh) names it.
struct Watch {
  std::string name;  ///< as written: "mine.x", "held[i]"
  std::string type;  ///< "f32", "s32", "u64" ...: PTX's own types do not tell int from unsigned
  std::int32_t reg = -1;
  std::int32_t before = 0;  ///< index into Function::body: the instruction that follows
  std::int32_t location = -1;
};

struct Function {
  std::string name;
  bool entry = false;
  bool external = false;  ///< declared only: vprintf, __assertfail, malloc, free
  std::vector<Parameter> parameters, results;
  std::vector<Register> registers;
  std::vector<Variable> variables;
  std::vector<Instruction> body;  ///< control never falls off its end: a `ret` is appended where it could
  std::map<std::string, std::int32_t> labels;
  std::map<std::string, std::vector<std::string>> branch_targets;                  ///< .branchtargets lists for brx.idx: names in `labels`
  std::map<std::string, std::vector<std::string>> call_targets;                    ///< .calltargets lists: names of functions
  std::uint32_t max_threads = 0, required_threads[3] = {0, 0, 0}, min_blocks = 0;  ///< .maxntid (product), .reqntid, .minnctapersm
  std::int32_t location = -1;
  std::vector<Watch> watches;
};

struct Module {
  int version_major = 0, version_minor = 0;
  int target = 0;                  ///< 80 for sm_80
  std::vector<std::string> files;  ///< by index; [0] unused (PTX counts from 1)
  std::vector<Location> locations;
  std::vector<Function> functions;
  std::vector<Variable> variables;  ///< global, const, shared of module scope
  const Function* find_function(std::string_view name) const;
};

}  // namespace warpbook::ptx
