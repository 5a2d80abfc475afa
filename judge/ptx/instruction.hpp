#pragma once
// Instructions as text again, for messages and traces.
#include <string>

#include "judge/ptx/module.hpp"

namespace warpbook::ptx {

/// "st.global.f32": mnemonic and modifiers as written; a refused one too.
std::string opcode_text(const Instruction& instruction);

/// "@!%p1 st.global.f32 [%rd1+4], %f3": the whole instruction, without the semicolon.
std::string text_of(const Instruction& instruction, const Function& function);

}  // namespace warpbook::ptx
