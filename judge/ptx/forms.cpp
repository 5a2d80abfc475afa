#include "judge/ptx/forms.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <unordered_map>

#include "judge/ptx/names.hpp"

namespace warpbook::ptx {
namespace {

struct FlagRow {
  std::string_view word;
  bool Modifiers::*member;
};

constexpr FlagRow kFlags[] = {
    {"ftz", &Modifiers::ftz},
    {"sat", &Modifiers::sat},
    {"approx", &Modifiers::approx},
    {"full", &Modifiers::full},
    {"nc", &Modifiers::nc},
    {"sync", &Modifiers::sync},
    {"aligned", &Modifiers::aligned},
    {"uni", &Modifiers::uni},
    {"to", &Modifiers::to},
    {"wrap", &Modifiers::wrap},
    {"clamp", &Modifiers::clamp},
    {"l", &Modifiers::left},
    {"r", &Modifiers::right},
    {"NaN", &Modifiers::nan},
    {"xorsign", &Modifiers::xorsign},
    {"abs", &Modifiers::abs},
    {"shiftamt", &Modifiers::shiftamt},
    {"noinc", &Modifiers::noinc},
    {"arrive", &Modifiers::arrive},
    {"relu", &Modifiers::relu},
    {"cc", &Modifiers::cc},
};

struct ValueRow {
  Field field;
  std::string_view word;
  int value;
};

template <class E>
constexpr int number(E e) {
  return static_cast<int>(e);
}

constexpr ValueRow kValues[] = {
    {Field::kRounding, "rn", number(Rounding::kRn)},
    {Field::kRounding, "rz", number(Rounding::kRz)},
    {Field::kRounding, "rm", number(Rounding::kRm)},
    {Field::kRounding, "rp", number(Rounding::kRp)},
    {Field::kRounding, "rna", number(Rounding::kRna)},
    {Field::kRounding, "rni", number(Rounding::kRni)},
    {Field::kRounding, "rzi", number(Rounding::kRzi)},
    {Field::kRounding, "rmi", number(Rounding::kRmi)},
    {Field::kRounding, "rpi", number(Rounding::kRpi)},
    {Field::kCompare, "eq", number(Compare::kEq)},
    {Field::kCompare, "ne", number(Compare::kNe)},
    {Field::kCompare, "lt", number(Compare::kLt)},
    {Field::kCompare, "le", number(Compare::kLe)},
    {Field::kCompare, "gt", number(Compare::kGt)},
    {Field::kCompare, "ge", number(Compare::kGe)},
    {Field::kCompare, "lo", number(Compare::kLo)},
    {Field::kCompare, "ls", number(Compare::kLs)},
    {Field::kCompare, "hi", number(Compare::kHi)},
    {Field::kCompare, "hs", number(Compare::kHs)},
    {Field::kCompare, "equ", number(Compare::kEqu)},
    {Field::kCompare, "neu", number(Compare::kNeu)},
    {Field::kCompare, "ltu", number(Compare::kLtu)},
    {Field::kCompare, "leu", number(Compare::kLeu)},
    {Field::kCompare, "gtu", number(Compare::kGtu)},
    {Field::kCompare, "geu", number(Compare::kGeu)},
    {Field::kCompare, "num", number(Compare::kNum)},
    {Field::kCompare, "nan", number(Compare::kNan)},
    {Field::kBool, "and", number(BoolOp::kAnd)},
    {Field::kBool, "or", number(BoolOp::kOr)},
    {Field::kBool, "xor", number(BoolOp::kXor)},
    {Field::kMul, "lo", number(MulMode::kLo)},
    {Field::kMul, "hi", number(MulMode::kHi)},
    {Field::kMul, "wide", number(MulMode::kWide)},
    {Field::kAtom, "add", number(AtomOp::kAdd)},
    {Field::kAtom, "min", number(AtomOp::kMin)},
    {Field::kAtom, "max", number(AtomOp::kMax)},
    {Field::kAtom, "inc", number(AtomOp::kInc)},
    {Field::kAtom, "dec", number(AtomOp::kDec)},
    {Field::kAtom, "and", number(AtomOp::kAnd)},
    {Field::kAtom, "or", number(AtomOp::kOr)},
    {Field::kAtom, "xor", number(AtomOp::kXor)},
    {Field::kAtom, "exch", number(AtomOp::kExch)},
    {Field::kAtom, "cas", number(AtomOp::kCas)},
    {Field::kShuffle, "up", number(ShuffleMode::kUp)},
    {Field::kShuffle, "down", number(ShuffleMode::kDown)},
    {Field::kShuffle, "bfly", number(ShuffleMode::kBfly)},
    {Field::kShuffle, "idx", number(ShuffleMode::kIdx)},
    {Field::kVote, "all", number(VoteMode::kAll)},
    {Field::kVote, "any", number(VoteMode::kAny)},
    {Field::kVote, "uni", number(VoteMode::kUni)},
    {Field::kVote, "ballot", number(VoteMode::kBallot)},
    {Field::kTest, "finite", number(TestMode::kFinite)},
    {Field::kTest, "infinite", number(TestMode::kInfinite)},
    {Field::kTest, "number", number(TestMode::kNumber)},
    {Field::kTest, "notanumber", number(TestMode::kNotANumber)},
    {Field::kTest, "normal", number(TestMode::kNormal)},
    {Field::kTest, "subnormal", number(TestMode::kSubnormal)},
    {Field::kOrder, "weak", number(Order::kWeak)},
    {Field::kOrder, "relaxed", number(Order::kRelaxed)},
    {Field::kOrder, "acquire", number(Order::kAcquire)},
    {Field::kOrder, "release", number(Order::kRelease)},
    {Field::kOrder, "acq_rel", number(Order::kAcqRel)},
    {Field::kOrder, "sc", number(Order::kSc)},
    {Field::kOrder, "volatile", number(Order::kVolatile)},
    {Field::kScope, "cta", number(Scope::kCta)},
    {Field::kScope, "cluster", number(Scope::kCluster)},
    {Field::kScope, "gpu", number(Scope::kGpu)},
    {Field::kScope, "gl", number(Scope::kGpu)},
    {Field::kScope, "sys", number(Scope::kSys)},
    {Field::kSpace, "const", number(Space::kConst)},
    {Field::kSpace, "global", number(Space::kGlobal)},
    {Field::kSpace, "local", number(Space::kLocal)},
    {Field::kSpace, "param", number(Space::kParam)},
    {Field::kSpace, "param::entry", number(Space::kParam)},
    {Field::kSpace, "param::func", number(Space::kParam)},
    {Field::kSpace, "shared", number(Space::kShared)},
    {Field::kSpace, "shared::cta", number(Space::kShared)},
    {Field::kSpace, "shared::cluster", number(Space::kShared)},
    {Field::kVector, "v2", 2},
    {Field::kVector, "v4", 4},
    {Field::kVector, "v8", 8},
};

struct ListRow {
  std::string_view name, slot;
};

// The words in capitals of the table. A slot of several blanks-separated slots (ATOM) is spliced in.
constexpr ListRow kLists[] = {
    {"RND", "rounding:rn/rz/rm/rp"},
    {"RN", "rounding:rn"},
    {"RNZ", "rounding:rn/rz"},
    {"IRND", "rounding:rni/rzi/rmi/rpi"},
    {"FTZ", "ftz"},
    {"SAT", "sat"},
    {"LOHI", "mul:lo/hi"},
    {"CLAMP", "wrap/clamp"},
    {"BOOL", "bool:and/or/xor"},
    {"FCMP", "compare:eq/ne/lt/le/gt/ge/equ/neu/ltu/leu/gtu/geu/num/nan"},
    {"UCMP", "compare:eq/ne/lt/le/gt/ge/lo/ls/hi/hs"},
    {"SCMP", "compare:eq/ne/lt/le/gt/ge"},
    {"BCMP", "compare:eq/ne"},
    {"TEST", "test:finite/infinite/number/notanumber/normal/subnormal"},
    {"SHFL", "shuffle:up/down/bfly/idx"},
    {"VOTE", "vote:all/any/uni"},
    {"SCOPE", "scope:cta/cluster/gpu/sys"},
    {"FENCEORDER", "order:sc/acq_rel/acquire/release"},
    {"VEC", "vector:v2/v4"},
    {"LDSPACE", "space:const/global/local/param/param::entry/param::func/shared/shared::cta/shared::cluster"},
    {"STSPACE", "space:global/local/param/param::func/shared/shared::cta/shared::cluster"},
    {"CVTASPACE", "space:const/global/local/param/param::entry/shared/shared::cta/shared::cluster"},
    {"PREFSPACE", "space:global/local"},
    {"GSPACE", "space:global/shared/shared::cta/shared::cluster"},
    {"BARSPACE", "space:shared/shared::cta"},
    {"LDCACHE", "ca/cg/cs/lu/cv"},
    {"NCCACHE", "ca/cg/cs"},
    {"STCACHE", "wb/cg/cs/wt"},
    {"LEVEL", "L1/L2"},
    {"HINT",
     "L1::evict_normal/L1::evict_unchanged/L1::evict_first/L1::evict_last/L1::no_allocate/L2::evict_normal/L2::evict_first/"
     "L2::evict_last/L2::cache_hint/L2::64B/L2::128B/L2::256B"},
    {"COPYHINT", "none:L2::cache_hint/L2::64B/L2::128B/L2::256B"},
    {"PRMT", "f4e/b4e/rc8/ecl/ecr/rc16"},
    {"EXOTIC", "tf32/e4m3x2/e5m2x2/e2m1x2/e2m3x2/e3m2x2/e4m3x4/e5m2x4/e2m1x4/e2m3x4/e3m2x4/ue8m0x2/s2f6x2"},
    {"ATOM", "order:relaxed/acquire/release/acq_rel? scope:cta/cluster/gpu/sys? space:global/shared/shared::cta/shared::cluster?"},
    {"RED", "order:relaxed/release? scope:cta/cluster/gpu/sys? space:global/shared/shared::cta/shared::cluster?"},
};

constexpr ListRow kTypeLists[] = {
    {"INT", "u16/u32/u64/s16/s32/s64"},
    {"INTB", "b16/b32/b64/u16/u32/u64/s16/s32/s64"},
    {"I8", "u8/u16/u32/u64/s8/s16/s32/s64"},
    {"ANY", "b16/b32/b64/u16/u32/u64/s16/s32/s64/f32/f64"},
    {"MEM32", "b8/b16/b32/u8/u16/u32/s8/s16/s32/f32"},
    {"MEM4", "b32/u32/s32/f32"},
    {"MEM64", "b64/u64/s64/f64"},
    {"MEM", "b8/b16/b32/b64/b128/u8/u16/u32/u64/s8/s16/s32/s64/f32/f64"},
};

struct FieldRow {
  std::string_view name;
  Field field;
};

constexpr FieldRow kFields[] = {
    {"other", Field::kOther}, {"none", Field::kDropped},  {"rounding", Field::kRounding}, {"compare", Field::kCompare},
    {"bool", Field::kBool},   {"mul", Field::kMul},       {"atom", Field::kAtom},         {"shuffle", Field::kShuffle},
    {"vote", Field::kVote},   {"test", Field::kTest},     {"order", Field::kOrder},       {"scope", Field::kScope},
    {"space", Field::kSpace}, {"vector", Field::kVector},
};

constexpr std::string_view kAnyWord = "WORD";

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  while (true) {
    std::size_t at = text.find(separator);
    if (std::string_view part = text.substr(0, at); !part.empty()) parts.push_back(part);
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + separator.size());
  }
}

Word word_of(Field field, std::string_view text) {
  if (field != Field::kFlag) {
    for (const ValueRow& row : kValues) {
      if (row.field == field && row.word == text) return {text, field, row.value};
    }
    return {text, field, 0};
  }
  for (int i = 0; i < static_cast<int>(std::size(kFlags)); ++i) {
    if (kFlags[i].word == text) return {text, Field::kFlag, i};
  }
  return {text, Field::kOther, 0};
}

void add_types(Slot& slot, std::string_view names) {
  for (std::string_view name : split(names, "/")) {
    bool listed = false;
    for (const ListRow& list : kTypeLists) {
      if (list.name != name) continue;
      add_types(slot, list.slot);
      listed = true;
    }
    if (!listed) slot.words.push_back({name, Field::kType, number(type_of(name).value_or(Type::kNone))});
  }
}

void add_slots(std::vector<Slot>& slots, std::string_view text) {
  for (std::string_view part : split(text, " ")) {
    Slot slot;
    if (part.back() == '?') slot.optional = true, part.remove_suffix(1);
    if (part.back() == '*') slot.optional = slot.repeated = true, part.remove_suffix(1);
    if (part == kAnyWord) {
      slot.any_word = true;
      slots.push_back(slot);
      continue;
    }
    bool listed = false;
    for (const ListRow& list : kLists) {
      if (list.name != part) continue;
      std::size_t before = slots.size();
      add_slots(slots, list.slot);
      for (std::size_t i = before; i < slots.size(); ++i) slots[i].optional |= slot.optional, slots[i].repeated |= slot.repeated;
      listed = true;
    }
    if (listed) continue;
    if (part.front() == ':') {
      add_types(slot, part.substr(1));
    } else {
      Field field = Field::kFlag;
      std::size_t colon = part.find(':');
      for (const FieldRow& row : kFields) {
        if (colon != std::string_view::npos && row.name == part.substr(0, colon)) field = row.field;
      }
      if (field != Field::kFlag) part.remove_prefix(colon + 1);
      for (std::string_view word : split(part, "/")) slot.words.push_back(word_of(field, word));
    }
    slots.push_back(std::move(slot));
  }
}

OperandSlot operand_slot(std::string_view text) {
  OperandSlot slot;
  if (text == "c") return {OperandRole::kNegatable, TypeFrom::kFixed, Type::kPred, true, true};
  if (text.back() == '?') slot.optional = true, text.remove_suffix(1);
  if (text == "@") slot.role = OperandRole::kLabel;
  if (text == "@list") slot.role = OperandRole::kLabelList;
  if (text == "size") slot.role = OperandRole::kSizeOrPredicate, slot.type = Type::kU32;
  if (text.front() == '@' || text == "size") return slot;
  switch (text.front()) {
    case '!': slot.role = OperandRole::kNegatable, text.remove_prefix(1); break;
    case '>': slot.role = OperandRole::kWide, text.remove_prefix(1); break;
    case '~': slot.role = OperandRole::kFlexible, text.remove_prefix(1); break;
    case '<': slot.role = OperandRole::kVectorOf, text = text.substr(1, text.size() - 2); break;
    case '[': slot.role = OperandRole::kAddressOf, text = text.substr(1, text.size() - 2); break;
    default: break;
  }
  if (text == "T") slot.from = TypeFrom::kFirst;
  else if (text == "U") slot.from = TypeFrom::kSecond;
  else if (text == "M") slot.from = TypeFrom::kWidened;
  else if (text == "D") slot.from = TypeFrom::kDotAccumulator;
  else slot.type = text == "p" ? Type::kPred : type_of(text).value_or(Type::kNone);
  return slot;
}

Shape shape_of(std::string_view text) {
  Shape shape;
  std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return shape;  // call: read by its own function
  for (std::string_view part : split(text.substr(0, equals), " ")) {
    std::size_t bar = part.find('|');
    shape.dst.push_back(operand_slot(part.substr(0, bar)));
    if (bar == std::string_view::npos) continue;
    shape.dst.push_back(operand_slot(part.substr(bar + 1)));
    shape.dst.back().pair = true;
  }
  for (std::string_view part : split(text.substr(equals + 1), " ")) shape.src.push_back(operand_slot(part));
  return shape;
}

Entry build_entry(Opcode op, std::string_view mnemonic, std::string_view forms, std::string_view operands) {
  Entry entry{op, mnemonic, {}};
  // `split` drops empty parts: "" is one form without slots.
  std::vector<std::string_view> texts = split(forms, " ; ");
  if (texts.empty()) texts.push_back("");
  for (std::string_view text : texts) {
    Form form;
    std::string_view shape = operands;
    if (std::size_t arrow = text.find("->"); arrow != std::string_view::npos) {
      shape = text.substr(arrow + 2);
      text = text.substr(0, arrow);
    }
    if (text.starts_with("! ")) form.refused = true, text.remove_prefix(2);
    add_slots(form.slots, text);
    form.shape = shape_of(shape);
    entry.forms.push_back(std::move(form));
  }
  return entry;
}

const std::array<Entry, kOpcodeCount>& entries() {
  static const std::array<Entry, kOpcodeCount> all = {
#define OPCODE(enumerator, mnemonic, family, forms, operands, ...) build_entry(Opcode::enumerator, mnemonic, forms, operands),
#include "judge/ptx/opcodes.def"
#undef OPCODE
  };
  return all;
}

void apply(const Word& word, std::string_view text, Modifiers& mod, std::vector<Type>& types) {
  switch (word.field) {
    case Field::kOther: mod.other += fmt::format(".{}", text); break;
    case Field::kDropped: break;
    case Field::kType: types.push_back(static_cast<Type>(word.value)); break;
    case Field::kFlag: mod.*kFlags[word.value].member = true; break;
    case Field::kRounding: mod.rounding = static_cast<Rounding>(word.value); break;
    case Field::kCompare: mod.compare = static_cast<Compare>(word.value); break;
    case Field::kBool: mod.bool_op = static_cast<BoolOp>(word.value); break;
    case Field::kMul: mod.mul = static_cast<MulMode>(word.value); break;
    case Field::kAtom: mod.atom = static_cast<AtomOp>(word.value); break;
    case Field::kShuffle: mod.shuffle = static_cast<ShuffleMode>(word.value); break;
    case Field::kVote: mod.vote = static_cast<VoteMode>(word.value); break;
    case Field::kTest: mod.test = static_cast<TestMode>(word.value); break;
    case Field::kOrder: mod.order = static_cast<Order>(word.value); break;
    case Field::kScope: mod.scope = static_cast<Scope>(word.value); break;
    case Field::kSpace:
      mod.space = static_cast<Space>(word.value);
      if (text == "shared::cluster") mod.other += ".shared::cluster";
      break;
    case Field::kVector: mod.vector = static_cast<std::uint8_t>(word.value); break;
  }
}

const Word* find_word(const Slot& slot, std::string_view text) {
  static const Word any{"", Field::kOther, 0};
  if (slot.any_word) return &any;
  for (const Word& word : slot.words) {
    if (word.text == text) return &word;
  }
  return nullptr;
}

// One attempt: which words found no slot, which slots no word.
struct Attempt {
  Modifiers mod;
  std::vector<Type> types;
  std::optional<std::size_t> homeless_word;
  const Slot* empty_slot = nullptr;
  std::size_t homeless = 0;
};

Attempt attempt(const Form& form, const std::vector<std::string_view>& words) {
  Attempt result;
  std::vector<bool> taken(form.slots.size());
  for (std::size_t w = 0; w < words.size(); ++w) {
    bool placed = false;
    for (std::size_t s = 0; s < form.slots.size() && !placed; ++s) {
      if (taken[s] && !form.slots[s].repeated) continue;
      const Word* word = find_word(form.slots[s], words[w]);
      if (word == nullptr) continue;
      taken[s] = placed = true;
      apply(*word, words[w], result.mod, result.types);
    }
    if (placed) continue;
    ++result.homeless;
    if (!result.homeless_word) result.homeless_word = w;
  }
  for (std::size_t s = 0; s < form.slots.size() && result.empty_slot == nullptr; ++s) {
    if (!taken[s] && !form.slots[s].optional) result.empty_slot = &form.slots[s];
  }
  return result;
}

bool known_to(const Entry& entry, std::string_view text) {
  for (const Form& form : entry.forms) {
    for (const Slot& slot : form.slots) {
      if (!slot.any_word && find_word(slot, text) != nullptr) return true;
    }
  }
  return false;
}

std::string choice_of(const Slot& slot) {
  std::string text = slot.words.size() == 1 ? "" : "one of ";
  for (const Word& word : slot.words) text += fmt::format(".{}{}", word.text, &word == &slot.words.back() ? "" : " ");
  return text;
}

std::string explain(const Entry& entry, const std::vector<std::string_view>& words, const Attempt& best) {
  for (std::string_view word : words) {
    if (known_to(entry, word)) continue;
    return fmt::format("{} has no {} .{}", entry.mnemonic, type_of(word) ? "type" : "modifier", word);
  }
  std::string types;
  for (std::string_view word : words) {
    if (type_of(word)) types += fmt::format(".{}", word);
  }
  if (best.homeless_word) {
    std::string_view word = words[*best.homeless_word];
    if (type_of(word)) return fmt::format("{} cannot have the types {} with these modifiers", entry.mnemonic, types);
    return fmt::format("{}{} has no modifier .{}", entry.mnemonic, types, word);
  }
  return fmt::format("{}{} lacks {}", entry.mnemonic, types, best.empty_slot == nullptr ? "a modifier" : choice_of(*best.empty_slot));
}

}  // namespace

const Entry& entry_of(Opcode op) { return entries()[static_cast<std::size_t>(op)]; }

const Entry* entry_of(std::string_view mnemonic) {
  static const auto index = [] {
    std::unordered_map<std::string_view, const Entry*> map;
    for (const Entry& entry : entries()) {
      if (!entry.mnemonic.empty()) map.emplace(entry.mnemonic, &entry);
    }
    return map;
  }();
  auto found = index.find(mnemonic);
  return found == index.end() ? nullptr : found->second;
}

Matched match(const Entry& entry, const std::vector<std::string_view>& words) {
  Attempt best;
  bool first = true;
  for (const Form& form : entry.forms) {
    Attempt now = attempt(form, words);
    if (!now.homeless_word && now.empty_slot == nullptr) return {&form, std::move(now.mod), std::move(now.types), {}};
    if (form.refused) continue;
    // The closest form explains the refusal: fewest words without a place; among equals the one whose types fit.
    bool closer = first || now.homeless < best.homeless || (now.homeless == best.homeless && now.types.size() > best.types.size());
    if (closer) best = std::move(now);
    first = false;
  }
  return {nullptr, {}, {}, explain(entry, words, best)};
}

Type slot_type(const OperandSlot& slot, const Modifiers& mod, const std::vector<Type>& types) {
  Type first = types.empty() ? Type::kNone : types[0];
  Type second = types.size() < 2 ? first : types[1];
  switch (slot.from) {
    case TypeFrom::kFixed: return slot.type;
    case TypeFrom::kFirst: return first;
    case TypeFrom::kSecond: return second;
    case TypeFrom::kWidened:
      if (mod.mul != MulMode::kWide) return first;
      switch (first) {
        case Type::kU16: return Type::kU32;
        case Type::kS16: return Type::kS32;
        case Type::kU32: return Type::kU64;
        default: return Type::kS64;
      }
    case TypeFrom::kDotAccumulator: return is_signed(first) || is_signed(second) ? Type::kS32 : Type::kU32;
  }
  return Type::kNone;
}

}  // namespace warpbook::ptx
