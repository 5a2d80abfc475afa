#include "judge/ptx/forms.hpp"

#include <set>

#include "judge/tests/catch.hpp"

using namespace warpbook::ptx;

namespace {

std::vector<std::string_view> words_of(std::string_view spelling) {
  std::vector<std::string_view> words;
  while (true) {
    std::size_t dot = spelling.find('.');
    if (dot == std::string_view::npos) return words;
    spelling.remove_prefix(dot + 1);
    words.push_back(spelling.substr(0, spelling.find('.')));
  }
}

Matched form_of(std::string_view spelling) {
  const Entry* entry = entry_of(spelling.substr(0, spelling.find('.')));
  INFO(spelling);
  REQUIRE(entry != nullptr);
  return match(*entry, words_of(spelling));
}

std::string problem(std::string_view spelling) {
  Matched matched = form_of(spelling);
  CHECK(matched.form == nullptr);
  return matched.problem;
}

}  // namespace

TEST_CASE("the table is whole: unique mnemonics, a section and a summary each, no empty choice", "[ptx][forms]") {
  std::set<std::string_view> mnemonics;
  for (int i = 0; i < kOpcodeCount; ++i) {
    auto op = static_cast<Opcode>(i);
    INFO(mnemonic_of(op));
    CHECK(mnemonics.insert(mnemonic_of(op)).second);
    CHECK_FALSE(summary_of(op).empty());
    CHECK(section_of(op).empty() == (op == Opcode::kUnknown));
    const Entry& entry = entry_of(op);
    CHECK(entry.op == op);
    CHECK_FALSE(entry.forms.empty());
    for (const Form& form : entry.forms) {
      for (const Slot& slot : form.slots) {
        CHECK(slot.words.empty() == slot.any_word);
        for (const Word& word : slot.words) {
          // A list name or a field prefix that nobody read would show up as a word.
          bool prefixed = word.text.find(':') != std::string_view::npos && word.text.find("::") == std::string_view::npos;
          CHECK_FALSE(prefixed);
          bool capitals = word.text.size() > 2 && word.text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string_view::npos;
          CHECK_FALSE(capitals);
          if (word.field == Field::kType && !form.refused) CHECK(word.value != 0);
        }
      }
      for (const auto* slots : {&form.shape.dst, &form.shape.src}) {
        for (const OperandSlot& slot : *slots) {
          bool typed = slot.from != TypeFrom::kFixed || slot.type != Type::kNone;
          CHECK((typed || slot.role == OperandRole::kLabel || slot.role == OperandRole::kLabelList));
        }
      }
    }
  }
}

TEST_CASE("modifiers go to their fields", "[ptx][forms]") {
  CHECK(form_of("mul.hi.s32").mod.mul == MulMode::kHi);
  CHECK(form_of("setp.hi.u32").mod.compare == Compare::kHi);
  CHECK(form_of("setp.lt.and.f32").mod.bool_op == BoolOp::kAnd);
  CHECK(form_of("atom.global.and.b32").mod.atom == AtomOp::kAnd);
  CHECK(form_of("redux.sync.add.s32").mod.atom == AtomOp::kAdd);
  CHECK(form_of("fma.rz.ftz.sat.f32").mod.rounding == Rounding::kRz);
  CHECK(form_of("fma.rz.ftz.sat.f32").mod.ftz);
  CHECK(form_of("fma.rz.ftz.sat.f32").mod.sat);
  CHECK(form_of("cvt.rzi.s32.f32").types == std::vector{Type::kS32, Type::kF32});
  CHECK(form_of("cvt.rzi.s32.f32").mod.rounding == Rounding::kRzi);
  CHECK(form_of("vote.sync.ballot.b32").mod.vote == VoteMode::kBallot);
  CHECK(form_of("match.any.sync.b64").mod.vote == VoteMode::kAny);
  CHECK(form_of("shfl.sync.bfly.b32").mod.shuffle == ShuffleMode::kBfly);
  CHECK(form_of("shf.l.wrap.b32").mod.left);
  CHECK(form_of("bfind.shiftamt.u32").mod.shiftamt);
  CHECK(form_of("add.cc.u32").mod.cc);
  CHECK(form_of("testp.subnormal.f64").mod.test == TestMode::kSubnormal);
  Matched load = form_of("ld.acquire.gpu.global.L1::evict_last.v4.u32");
  CHECK(load.mod.order == Order::kAcquire);
  CHECK(load.mod.scope == Scope::kGpu);
  CHECK(load.mod.space == Space::kGlobal);
  CHECK(load.mod.vector == 4);
  CHECK(load.mod.other == ".L1::evict_last");
  CHECK(form_of("ld.global.nc.f32").mod.nc);
  CHECK(form_of("ld.volatile.shared.u8").mod.order == Order::kVolatile);
  CHECK(form_of("st.shared::cta.b32").mod.space == Space::kShared);
  CHECK(form_of("membar.gl").mod.scope == Scope::kGpu);
  CHECK(form_of("bar.arrive").mod.arrive);
  CHECK(form_of("bar.red.popc.u32").mod.other == ".red.popc");
  CHECK(form_of("bar.red.or.pred").mod.bool_op == BoolOp::kOr);
  CHECK(form_of("bar.warp.sync").mod.other == ".warp");
  CHECK(form_of("prmt.b32.b4e").mod.other == ".b4e");
  CHECK(form_of("cp.async.ca.shared.global.L2::128B").mod.other == ".async.ca");
  CHECK(form_of("cp.async.mbarrier.arrive.noinc.shared.b64").mod.noinc);
}

TEST_CASE("modifiers may stand in another order, types may not", "[ptx][forms]") {
  CHECK(form_of("atom.add.release.gpu.u32").mod.order == Order::kRelease);
  CHECK(form_of("atom.release.gpu.add.u32").mod.order == Order::kRelease);
  CHECK(form_of("set.gt.u32.f32").form != nullptr);
  CHECK(form_of("set.gt.f16x2.f32").form == nullptr);
}

TEST_CASE("types stand in the order of their slots", "[ptx][forms]") {
  CHECK(form_of("cvt.sat.u16.u32").form != nullptr);
  CHECK(problem("cvt.sat.u32.u16") == "cvt.u32.u16 has no modifier .sat");
  CHECK(form_of("set.eq.u16.f16").form != nullptr);
  CHECK(form_of("set.eq.u16.f32").form == nullptr);
}

TEST_CASE("cache hints belong to global memory", "[ptx][forms]") {
  CHECK(form_of("ld.global.L1::evict_last.L2::64B.b32").form != nullptr);
  CHECK(form_of("ld.shared.L1::evict_last.b32").form == nullptr);
  CHECK(form_of("ld.global.ca.L1::evict_last.b32").form == nullptr);
  CHECK(form_of("ld.global.L2::evict_first.b32").form == nullptr);
  CHECK(form_of("ld.global.L2::evict_first.v8.b32").form != nullptr);
  CHECK(form_of("st.global.L2::64B.b32").form == nullptr);
  CHECK(form_of("atom.global.cas.L2::cache_hint.b32").form == nullptr);
}

TEST_CASE("an illegal combination is explained", "[ptx][forms]") {
  CHECK(problem("add.wide.s32") == "add has no modifier .wide");
  CHECK(problem("add.b32") == "add has no type .b32");
  CHECK(problem("add.sat.u32") == "add.u32 has no modifier .sat");
  CHECK(problem("mul.s32") == "mul.s32 lacks one of .lo .hi");
  CHECK(problem("div.f32") == "div.f32 lacks .approx");
  CHECK(problem("ld.global") == "ld lacks one of .b8 .b16 .b32 .b64 .b128 .u8 .u16 .u32 .u64 .s8 .s16 .s32 .s64 .f32 .f64");
  CHECK(problem("cvt.s32.f32") == "cvt.s32.f32 lacks one of .rni .rzi .rmi .rpi");
  CHECK(problem("setp.lt.b32") == "setp.b32 has no modifier .lt");
  CHECK(problem("setp.lo.s32") == "setp.s32 has no modifier .lo");
  CHECK(problem("add.ftz.ftz.f32") == "add.f32 has no modifier .ftz");
  CHECK(problem("shl.u32") == "shl has no type .u32");
}

TEST_CASE("legal PTX that this version lacks is refused, not illegal", "[ptx][forms]") {
  for (const char* spelling : {"add.f32x2", "cvt.rn.satfinite.e2m1x2.f32", "cvt.rs.f16x2.f32", "shfl.up.b32", "barrier.cluster.arrive",
                               "cp.async.bulk.commit_group", "st.async.weak.b32", "fma.rn.f32x2"}) {
    INFO(spelling);
    REQUIRE(form_of(spelling).form != nullptr);
    CHECK(form_of(spelling).form->refused);
  }
}

TEST_CASE("operand types follow the instruction", "[ptx][forms]") {
  auto source = [](std::string_view spelling, std::size_t i) {
    Matched m = form_of(spelling);
    return slot_type(m.form->shape.src[i], m.mod, m.types);
  };
  auto destination = [](std::string_view spelling) {
    Matched m = form_of(spelling);
    return slot_type(m.form->shape.dst[0], m.mod, m.types);
  };
  CHECK(source("shl.b64", 1) == Type::kU32);
  CHECK(destination("mul.wide.s32") == Type::kS64);
  CHECK(source("mad.wide.u16", 2) == Type::kU32);
  CHECK(source("mad.lo.s32", 2) == Type::kS32);
  CHECK(destination("cvt.rn.f64.s32") == Type::kF64);
  CHECK(source("cvt.rn.f64.s32", 0) == Type::kS32);
  CHECK(source("selp.f64", 2) == Type::kPred);
  CHECK(source("slct.b64.f32", 2) == Type::kF32);
  CHECK(destination("popc.b64") == Type::kU32);
  CHECK(destination("dp4a.u32.s32") == Type::kS32);
  CHECK(destination("dp4a.u32.u32") == Type::kU32);
  CHECK(destination("setp.lt.f64") == Type::kPred);
  CHECK(source("set.lt.u32.f64", 1) == Type::kF64);
}
