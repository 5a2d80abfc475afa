#include "judge/ptx/form_words.hpp"

#include <fmt/format.h>

#include <iterator>

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

}  // namespace

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

}  // namespace warpbook::ptx
