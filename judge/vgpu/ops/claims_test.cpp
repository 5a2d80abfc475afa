// What this version claims to run, form by form, as a table; and tests over all of it: every form is known, lanes that are off keep what
// they have, the masked path computes what the full one does, and a destination may be one of the sources.
#include <random>
#include <set>

#include "judge/ptx/forms.hpp"
#include "judge/ptx/opcode.hpp"
#include "judge/tests/catch.hpp"
#include "judge/vgpu/ops/trial.hpp"

namespace warpbook::vgpu::ops {
namespace {

using ptx::Opcode;

/// `text` with each of the words that may stand in `slot` behind it.
std::vector<std::string> with_slot(const std::vector<std::string>& texts, const ptx::Slot& slot) {
  std::vector<std::string> longer;
  for (const std::string& text : texts) {
    if (slot.optional) longer.push_back(text);
    for (const ptx::Word& word : slot.words) longer.push_back(text + "." + std::string(word.text));
  }
  return longer;
}

bool has_word(const std::string& form, const char* word) { return (form + ".").find(std::string(".") + word + ".") != std::string::npos; }

/// What the table lets pass and ptxas does not, and the one legal form that this version lacks.
/// Forms whose operands are laid out in a way of their own; the goldens of judge/tests/ptx/golden run them as whole instructions.
bool is_for_goldens(const std::string& form) {
  for (const char* word : {"oob", "pack", "satfinite", "tf32", "e4m3x2", "e5m2x2"}) {
    if (has_word(form, word)) return true;
  }
  return false;
}

bool is_refused(const std::string& form) {
  if (form.starts_with("setp.") || form.starts_with("set.")) {
    const std::string type = form.substr(form.rfind('.') + 1);
    const bool above = has_word(form, "lo") || has_word(form, "ls") || has_word(form, "hi") || has_word(form, "hs");
    const bool order = has_word(form, "lt") || has_word(form, "le") || has_word(form, "gt") || has_word(form, "ge");
    return (above && type[0] != 'u') || (order && type[0] == 'b' && type[1] != 'f');
  }
  if (form.starts_with("cvt.")) {
    return (has_word(form, "ftz") && !has_word(form, "f32")) || (has_word(form, "sat") && has_word(form, "relu")) ||
           (has_word(form, "relu") && !has_word(form, "rn") && !has_word(form, "rz")) ||
           ((has_word(form, "f16x2") || has_word(form, "bf16x2")) && (has_word(form, "rm") || has_word(form, "rp")));
  }
  return form == "mov.b128" || form == "lop3.xor.b32";
}

std::uint64_t random_value(std::mt19937_64& generator) {
  const std::uint64_t bits = generator();
  switch (generator() % 4) {
    case 0: return bits;
    case 1: return bits % 70;  // shift amounts, small integers, subnormals
    case 2: return 0u - bits % 70;
    default: return 0x3F803C003F803C00u ^ (bits & 0x807F83FF807F83FFu);  // numbers near 1 of several types
  }
}

Lanes random_lanes(std::mt19937_64& generator) {
  Lanes lanes{};
  for (std::uint64_t& value : lanes) value = random_value(generator);
  return lanes;
}

}  // namespace

std::vector<std::string> claimed_forms() {
  std::set<std::string> forms;
  for (int i = 0; i < ptx::kOpcodeCount; ++i) {
    const auto op = static_cast<Opcode>(i);
    const std::string_view family = ptx::family_of(op);
    const bool of_registers = family == "integer" || family == "float" || family == "logic" || family == "compare";
    if (!of_registers && op != Opcode::kMov && op != Opcode::kCvt) continue;
    for (const ptx::Form& form : ptx::entry_of(op).forms) {
      if (form.refused) continue;
      std::vector<std::string> texts = {std::string(ptx::mnemonic_of(op))};
      for (const ptx::Slot& slot : form.slots) texts = with_slot(texts, slot);
      for (const std::string& text : texts) {
        if (!is_refused(text) && !is_for_goldens(text)) forms.insert(text);
      }
    }
  }
  return {forms.begin(), forms.end()};
}

TEST_CASE("every form of the instruction table has an operation") {
  const std::vector<std::string> forms = claimed_forms();
  CHECK(forms.size() > 5000);
  for (const std::string& form : forms) {
    INFO(form);
    CHECK(Trial(form).known());
  }
}

TEST_CASE("forms that are not PTX, or not of this version, are refused") {
  for (const char* form :
       {"add.rn.u32",  "add.ftz.f64",    "mul.u32",          "add.sat.u32",         "mul.wide.u64",   "fma.rn.ftz.bf16", "add.rz.f16",
        "setp.lt.b32", "setp.lo.s32",    "setp.equ.u32",     "setp.lt.ftz.f64",     "cvt.f32.s32",    "cvt.rni.f32.s32", "cvt.rn.s32.f32",
        "cvt.f16.f32", "cvt.rn.s32.s16", "cvt.relu.f32.f16", "cvt.rn.relu.f32.f64", "div.f32",        "rcp.f64",         "ex2.f32",
        "shf.l.b32",   "bmsk.b32",       "min.xorsign.f32",  "add.approx.f32",      "lg2.approx.f16", "selp.ftz.f32",    "dp4a.u64.u32",
        "abs.u32",     "popc.b16",       "prmt.b32.other",   "add.f32.f16"}) {
    INFO(form);
    CHECK_FALSE(Trial(form).known());
  }
}

TEST_CASE("lanes that are off keep what they have and the others get what a full warp gets") {
  std::mt19937_64 generator(20240607);
  constexpr std::uint64_t kBefore = 0x5A5AA5A55A5AA5A5u;
  for (const std::string& form : claimed_forms()) {
    Trial trial(form);
    trial.table(0x96).carry_in(0xF0F0A5A5u);
    std::vector<Lanes> sources;
    for (int i = 0; i < trial.sources(); ++i) sources.push_back(random_lanes(generator));
    const auto active = static_cast<LaneMask>(generator() | 1);
    const Trial::Outcome full = trial.run(sources), some = trial.run(sources, active, kBefore), none_of = trial.run(sources, 1, kBefore);
    const Trial::Outcome untouched = {{static_cast<std::size_t>(trial.results()), splat(kBefore)}, 0};
    INFO(form);
    for (std::size_t i = 0; i < full.results.size(); ++i) {
      const int bits = ptx::bits_of(trial.result_type_of(static_cast<int>(i)));
      const std::uint64_t before = bits == 64 ? kBefore : kBefore & ((std::uint64_t{1} << (bits == 8 ? 16 : bits)) - 1);
      bool right = true;
      for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
        const bool on = (active >> lane & 1) != 0;
        right = right && some.results[i][lane] == (on ? full.results[i][lane] : before);
        right = right && none_of.results[i][lane] == (lane == 0 ? full.results[i][lane] : before);
      }
      CHECK(right);
    }
    CHECK(some.carry == ((full.carry & active) | (0xF0F0A5A5u & ~active)));
  }
}

TEST_CASE("the destination may be a source") {
  std::mt19937_64 generator(7);
  for (const std::string& form : claimed_forms()) {
    Trial trial(form);
    trial.table(0x1A).carry_in(0x12345678u);
    std::vector<Lanes> sources;
    for (int i = 0; i < trial.sources(); ++i) sources.push_back(random_lanes(generator));
    const Lanes apart = trial.run(sources).results.front();
    for (int i = 0; i < trial.sources(); ++i) {
      const bool same_width = ptx::bits_of(trial.source_type_of(i)) == ptx::bits_of(trial.result_type_of(0));
      if (!same_width || (trial.instruction().op == ptx::Opcode::kLop3 && i >= 3)) continue;
      INFO(form << " in place of source " << i);
      CHECK(Trial(trial).in_place(i).run(sources).results.front() == apart);
    }
  }
}

}  // namespace warpbook::vgpu::ops
