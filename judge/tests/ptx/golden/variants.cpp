// Every legal spelling of the table, one by one.
#include <fmt/format.h>

#include <set>

#include "judge/ptx/names.hpp"
#include "judge/ptx/opcode.hpp"
#include "judge/tests/ptx/golden/suite.hpp"

namespace warpbook::golden {
namespace {

using Words = std::vector<std::string_view>;

/// All choices of words of a form, without those that may be repeated.
std::vector<Words> choices(const ptx::Form& form) {
  std::vector<Words> texts{{}};
  for (const ptx::Slot& slot : form.slots) {
    if (slot.repeated || slot.any_word) continue;
    std::vector<Words> longer;
    for (const Words& text : texts) {
      if (slot.optional) longer.push_back(text);
      for (const ptx::Word& word : slot.words) {
        longer.push_back(text);
        longer.back().push_back(word.text);
      }
    }
    texts = std::move(longer);
  }
  return texts;
}

/// Cache hints: each of them on one spelling.
std::vector<Words> hinted(const ptx::Form& form, const std::vector<Words>& plain) {
  std::vector<Words> texts;
  for (const ptx::Slot& slot : form.slots) {
    if (!slot.repeated || slot.any_word) continue;
    const Words& base = plain.front();
    for (const ptx::Word& word : slot.words) {
      texts.push_back(base);
      const bool typed = !base.empty() && ptx::type_of(base.back()).has_value();  // the type stays behind
      texts.back().insert(texts.back().end() - (typed ? 1 : 0), word.text);
    }
  }
  return texts;
}

}  // namespace

std::vector<Variant> all_variants() {
  std::vector<Variant> variants;
  std::set<std::string> seen;
  for (int i = 0; i < ptx::kOpcodeCount; ++i) {
    const ptx::Entry& entry = ptx::entry_of(static_cast<ptx::Opcode>(i));
    if (ptx::is_refused(entry.op)) continue;
    for (const ptx::Form& form : entry.forms) {
      if (form.refused) continue;
      std::vector<Words> texts = choices(form);
      const std::vector<Words> more = hinted(form, texts);
      texts.insert(texts.end(), more.begin(), more.end());
      for (const Words& words : texts) {
        std::string spelling(entry.mnemonic);
        for (const std::string_view word : words) spelling += fmt::format(".{}", word);
        if (!seen.insert(spelling).second) continue;
        ptx::Matched matched = ptx::match(entry, words);
        if (matched.form != nullptr) variants.push_back({std::move(spelling), &entry, std::move(matched)});
      }
    }
  }
  return variants;
}

}  // namespace warpbook::golden
