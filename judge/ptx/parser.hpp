#pragma once
// PTX text to a checked Module. Hand-written recursive descent (the grammar is small and the messages matter), linear in the length
// of the text; each file parse_*.cpp reads one part of the language.
#include <string_view>

#include "judge/base/error.hpp"
#include "judge/ptx/module.hpp"

namespace warpbook::ptx {

/// Reads a whole module. The error names the line of the PTX text, what stands there and what should. An instruction (or a form of
/// one) that this version does not know is no error: it becomes Opcode::kUnknown with its text in Modifiers::other.
Result<Module> parse(std::string_view ptx);

}  // namespace warpbook::ptx
