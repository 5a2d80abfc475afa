#include "judge/ptx/forms.hpp"

#include <array>
#include <unordered_map>

#include "judge/ptx/form_words.hpp"
#include "judge/ptx/names.hpp"

namespace warpbook::ptx {
namespace {

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
    {"L1HINT", "L1::evict_normal/L1::evict_unchanged/L1::evict_first/L1::evict_last/L1::no_allocate"},
    {"L2HINT", "L2::cache_hint/L2::64B/L2::128B/L2::256B"},
    {"L2SIZE", "L2::64B/L2::128B/L2::256B"},
    {"L2EVICT", "L2::evict_normal/L2::evict_first/L2::evict_last"},
    {"FENCESPACE", "other:global/shared::cta/shared::cluster"},
    {"ATOMG", "order:relaxed/acquire/release/acq_rel? scope:cta/cluster/gpu/sys? space:global?"},
    {"REDG", "order:relaxed/release? scope:cta/cluster/gpu/sys? space:global?"},
    {"COPYHINT", "none:L2::cache_hint/L2::64B/L2::128B/L2::256B"},
    {"PRMT", "f4e/b4e/rc8/ecl/ecr/rc16"},
    {"EXOTIC", "tf32/e4m3x2/e5m2x2/e2m1x2/e2m3x2/e3m2x2/e4m3x4/e5m2x4/e2m1x4/e2m3x4/e3m2x4/ue8m0x2/s2f6x2"},
    {"ATOM", "order:relaxed/acquire/release/acq_rel? scope:cta/cluster/gpu/sys? space:global/shared/shared::cta/shared::cluster?"},
    {"RED", "order:relaxed/release? scope:cta/cluster/gpu/sys? space:global/shared/shared::cta/shared::cluster?"},
};

constexpr ListRow kTypeLists[] = {
    {"INT", "u16/u32/u64/s16/s32/s64"},
    {"INTB", "b16/b32/b64/u16/u32/u64/s16/s32/s64"},
    {"FP8", "e4m3x2/e5m2x2"},
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

void add_types(Slot& slot, std::string_view names) {
  for (std::string_view name : split(names, "/")) {
    bool listed = false;
    for (const ListRow& list : kTypeLists) {
      if (list.name != name) continue;
      add_types(slot, list.slot);
      listed = true;
    }
    if (!listed) slot.words.push_back({name, Field::kType, static_cast<int>(type_of(name).value_or(Type::kNone))});
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
  if (text == "policy") return {OperandRole::kPlain, TypeFrom::kFixed, Type::kU64, true, false, true};
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
