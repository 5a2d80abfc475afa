#pragma once
// The only list of instructions is opcodes.def; this header turns it into an enumeration.
#include <cstdint>
#include <string_view>

namespace warpbook::ptx {

enum class Opcode : std::uint16_t {
#define OPCODE(enumerator, mnemonic, ...) enumerator,
#include "judge/ptx/opcodes.def"
#undef OPCODE
};

/// "add" for Opcode::kAdd.
std::string_view mnemonic_of(Opcode op);

}  // namespace warpbook::ptx
