#pragma once
// The columns `forms` and `operands` of opcodes.def, read once: which words may follow a mnemonic, which field of Modifiers each of
// them sets, and what type each operand slot has.
#include <string>
#include <string_view>
#include <vector>

#include "judge/ptx/module.hpp"

namespace warpbook::ptx {

/// Where a word of an instruction goes.
enum class Field : std::uint8_t {
  kOther,
  kDropped,
  kType,
  kFlag,
  kRounding,
  kCompare,
  kBool,
  kMul,
  kAtom,
  kShuffle,
  kVote,
  kTest,
  kOrder,
  kScope,
  kSpace,
  kVector,
};

struct Word {
  std::string_view text;  ///< without the dot
  Field field = Field::kOther;
  int value = 0;  ///< of the enumeration that `field` names; for kFlag a member of Modifiers (forms.cpp)
};

struct Slot {
  std::vector<Word> words;
  bool optional = false, repeated = false;
  bool any_word = false;  ///< takes whatever comes (refused forms)
};

/// How an operand slot takes its type.
enum class TypeFrom : std::uint8_t { kFixed, kFirst, kSecond, kWidened, kDotAccumulator };

/// What may stand in an operand slot.
enum class OperandRole : std::uint8_t {
  kPlain,            ///< register of that width, constant, special register, name
  kWide,             ///< register of at least that width
  kVectorOf,         ///< as many registers as Modifiers::vector says, each at least that wide
  kFlexible,         ///< mov: register, constant, name, or a vector of as many bits
  kNegatable,        ///< predicate, may be `!p`
  kAddressOf,        ///< `[...]`
  kSizeOrPredicate,  ///< cp.async: how many bytes to read, or a predicate that says none
  kLabel,
  kLabelList,
};

struct OperandSlot {
  OperandRole role = OperandRole::kPlain;
  TypeFrom from = TypeFrom::kFixed;
  Type type = Type::kNone;  ///< when kFixed
  bool optional = false;
  bool with_bool_op = false;     ///< present exactly when the instruction has .and, .or, .xor
  bool with_cache_hint = false;  ///< present exactly when the instruction has .L2::cache_hint
  bool pair = false;             ///< destination behind a `|`
};

struct Shape {
  std::vector<OperandSlot> dst, src;
};

struct Form {
  bool refused = false;
  std::vector<Slot> slots;
  Shape shape;
};

struct Entry {
  Opcode op{};
  std::string_view mnemonic;
  std::vector<Form> forms;
};

/// The row of a mnemonic, null when there is none.
const Entry* entry_of(std::string_view mnemonic);
const Entry& entry_of(Opcode op);

/// A mnemonic with its modifiers, understood.
struct Matched {
  const Form* form = nullptr;  ///< null: illegal, see `problem`
  Modifiers mod;
  std::vector<Type> types;
  std::string problem;  ///< "add.s32 has no modifier .wide"
};

/// Finds the form that takes all `words` (without dots, in textual order) and reads them into Modifiers.
Matched match(const Entry& entry, const std::vector<std::string_view>& words);

/// The type of an operand slot in an instruction.
Type slot_type(const OperandSlot& slot, const Modifiers& mod, const std::vector<Type>& types);

}  // namespace warpbook::ptx
