// Which form of an instruction takes its modifiers and types, and why none does.
#include <fmt/format.h>

#include <optional>

#include "judge/ptx/form_words.hpp"
#include "judge/ptx/forms.hpp"
#include "judge/ptx/names.hpp"

namespace warpbook::ptx {
namespace {

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
  std::size_t first_type = 0;  // types stand in the order of their slots: cvt.u32.u16 is not cvt.u16.u32
  for (std::size_t w = 0; w < words.size(); ++w) {
    bool placed = false;
    for (std::size_t s = 0; s < form.slots.size() && !placed; ++s) {
      if (taken[s] && !form.slots[s].repeated) continue;
      const Word* word = find_word(form.slots[s], words[w]);
      if (word == nullptr || (word->field == Field::kType && s < first_type)) continue;
      if (word->field == Field::kType) first_type = s + 1;
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

}  // namespace warpbook::ptx
