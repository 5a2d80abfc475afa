#pragma once
// The only list of instructions is opcodes.def; this header turns it into an enumeration and answers what the table says.
#include <cstdint>
#include <string_view>

namespace warpbook::ptx {

enum class Opcode : std::uint16_t {
#define OPCODE(enumerator, mnemonic, ...) enumerator,
#include "judge/ptx/opcodes.def"
#undef OPCODE
};

/// Number of rows of the table.
inline constexpr int kOpcodeCount = 0
#define OPCODE(...) +1
#include "judge/ptx/opcodes.def"
#undef OPCODE
    ;

/// "add" for Opcode::kAdd; empty for kUnknown.
std::string_view mnemonic_of(Opcode op);
/// Section of the PTX ISA manual (9.1), e.g. "9.7.1.1".
std::string_view section_of(Opcode op);
/// What it does, in a few words.
std::string_view summary_of(Opcode op);
/// "integer", "memory", ... "refused".
std::string_view family_of(Opcode op);
/// True for instructions that are named when met and never run.
bool is_refused(Opcode op);

}  // namespace warpbook::ptx
