#include "judge/ptx/opcode.hpp"

namespace warpbook::ptx {
namespace {

struct Row {
  std::string_view mnemonic, family, section, summary;
};

constexpr Row kRows[] = {
#define OPCODE(enumerator, mnemonic, family, forms, operands, section, summary) {mnemonic, #family, section, summary},
#include "judge/ptx/opcodes.def"
#undef OPCODE
};

const Row& row_of(Opcode op) { return kRows[static_cast<int>(op)]; }

}  // namespace

std::string_view mnemonic_of(Opcode op) { return row_of(op).mnemonic; }
std::string_view section_of(Opcode op) { return row_of(op).section; }
std::string_view summary_of(Opcode op) { return row_of(op).summary; }
std::string_view family_of(Opcode op) { return row_of(op).family; }
bool is_refused(Opcode op) { return family_of(op) == "refused"; }

}  // namespace warpbook::ptx
