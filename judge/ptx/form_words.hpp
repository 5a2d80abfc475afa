#pragma once
// The words that may stand behind a mnemonic, each with the field of Modifiers it sets. Internal to this room.
#include <string_view>
#include <vector>

#include "judge/ptx/forms.hpp"

namespace warpbook::ptx {

/// The word `text` as a slot of `field` understands it; a flag that nobody knows goes to Modifiers::other.
Word word_of(Field field, std::string_view text);

/// Puts a word into the modifiers, or a type behind the types.
void apply(const Word& word, std::string_view text, Modifiers& mod, std::vector<Type>& types);

}  // namespace warpbook::ptx
