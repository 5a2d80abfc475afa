// The table against NVIDIA's assembler: every form it calls legal is assembled by ptxas. On a machine without the CUDA toolkit this
// file has nothing to compare with and says so; forms_test.cpp holds what can be checked without.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "judge/base/files.hpp"
#include "judge/ptx/forms.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook;
using namespace warpbook::ptx;

namespace {

std::filesystem::path find_ptxas() {
  std::vector<std::filesystem::path> folders;
  if (const char* home = std::getenv("CUDA_HOME")) folders.push_back(std::filesystem::path(home) / "bin");
  folders.push_back("/usr/local/cuda/bin");
  for (const auto& folder : folders) {
    if (std::filesystem::exists(folder / "ptxas")) return folder / "ptxas";
  }
  return {};
}

std::string register_of(Type type, std::size_t i) {
  switch (bits_of(type)) {
    case 1: return fmt::format("%p{}", i);
    case 32: return fmt::format("%{}{}", type == Type::kF32 ? "f" : "r", i);
    case 64: return fmt::format("%{}{}", type == Type::kF64 ? "e" : "d", i);
    case 128: return fmt::format("%q{}", i);
    default: return fmt::format("%h{}", i);
  }
}

std::string operand_of(const OperandSlot& slot, const Modifiers& mod, const std::vector<Type>& types, std::size_t i) {
  Type type = slot_type(slot, mod, types);
  switch (slot.role) {
    case OperandRole::kAddressOf: return mod.space == Space::kParam ? "[slot]" : "[%d9]";
    case OperandRole::kLabel: return "LABEL";
    case OperandRole::kLabelList: return "LIST";
    case OperandRole::kVectorOf: {
      if (mod.vector == 1) return register_of(type, i);
      std::string text = "{";
      for (std::size_t k = 0; k < mod.vector; ++k) text += fmt::format("{}{}", k == 0 ? "" : ", ", register_of(type, 8 * i + k));
      return text + "}";
    }
    default: return register_of(type, i);
  }
}

// Operands that must be constants.
std::string constant_of(Opcode op, std::size_t source) {
  if (op == Opcode::kLop3 && source == 3) return "0x96";
  if (op == Opcode::kCp && source == 2) return "16";
  if (op == Opcode::kCp && source == 0) return "0";  // wait_group
  if ((op == Opcode::kDiscard || op == Opcode::kApplypriority) && source == 1) return "128";
  return op == Opcode::kPmevent ? "1" : "";
}

std::string instruction_of(const Entry& entry, const Form& form, const std::string& spelling, const Matched& matched) {
  std::string text = spelling + " ";
  std::size_t count = 0;
  for (const OperandSlot& slot : form.shape.dst) {
    if (slot.optional) continue;
    text += fmt::format("{}{}", count == 0 ? "" : slot.pair ? "|" : ", ", operand_of(slot, matched.mod, matched.types, count));
    ++count;
  }
  for (std::size_t s = 0; s < form.shape.src.size(); ++s) {
    const OperandSlot& slot = form.shape.src[s];
    const bool hinted = spelling.find(".L2::cache_hint") != std::string::npos;
    if (slot.with_bool_op ? matched.mod.bool_op == BoolOp::kNone : slot.with_cache_hint ? !hinted : slot.optional) continue;
    std::string constant = slot.role == OperandRole::kAddressOf ? "" : constant_of(entry.op, s);
    text += fmt::format("{}{}", count == 0 ? "" : ", ", constant.empty() ? operand_of(slot, matched.mod, matched.types, count) : constant);
    ++count;
  }
  return text + ";";
}

// Every choice of words of a form; slots that repeat (hints) are left empty.
std::vector<std::vector<std::string_view>> spellings(const Form& form) {
  std::vector<std::vector<std::string_view>> texts{{}};
  for (const Slot& slot : form.slots) {
    if (slot.repeated || slot.any_word) continue;
    std::vector<std::vector<std::string_view>> longer;
    for (const auto& text : texts) {
      if (slot.optional) longer.push_back(text);
      for (const Word& word : slot.words) {
        longer.push_back(text);
        longer.back().push_back(word.text);
      }
    }
    texts = std::move(longer);
  }
  return texts;
}

// Forms that need no operand slot of their own kind in this harness, or that ptxas refuses for the kernel around them.
bool left_out(const Entry& entry, std::string_view spelling) {
  bool to_distributed = spelling.find("::cluster") != std::string_view::npos || spelling.find(".proxy") != std::string_view::npos;
  bool short_pointer = entry.op == Opcode::kCvta && spelling.ends_with(".u32");  // legal, but not in a module of 64-bit addresses
  bool one_family = entry.op == Opcode::kSetmaxnreg || (entry.op == Opcode::kRedux && spelling.ends_with(".f32"));  // sm_90a, sm_100a
  return is_refused(entry.op) || entry.op == Opcode::kCall || to_distributed || short_pointer || one_family;
}

}  // namespace

TEST_CASE("ptxas takes every form that the table calls legal", "[ptx][forms][ptxas]") {
  std::filesystem::path ptxas = find_ptxas();
  if (ptxas.empty()) {
    WARN("no ptxas here: the table is not compared with it");
    return;
  }
  std::set<std::string> seen;
  std::vector<std::string> lines;
  for (int i = 0; i < kOpcodeCount; ++i) {
    const Entry& entry = entry_of(static_cast<Opcode>(i));
    for (const Form& form : entry.forms) {
      if (form.refused) continue;
      for (const auto& words : spellings(form)) {
        std::string spelling(entry.mnemonic);
        for (std::string_view word : words) spelling += fmt::format(".{}", word);
        if (left_out(entry, spelling) || !seen.insert(spelling).second) continue;
        Matched matched = match(entry, words);
        INFO(spelling);
        REQUIRE(matched.form != nullptr);
        lines.push_back(instruction_of(entry, *matched.form, spelling, matched));
      }
    }
  }
  REQUIRE(lines.size() > 20'000);
  // The last line is wrong on purpose: its complaint shows that ptxas read this far, and keeps it from generating code.
  lines.push_back("add.wide.s32 %r0, %r1, %r2;");

  // The newest target: it has all instructions.
  std::string text =
      ".version 9.0\n.target sm_100\n.address_size 64\n.visible .entry k(.param .u64 in) {\n"
      ".reg .pred %p<99>; .reg .b16 %h<99>; .reg .b32 %r<99>; .reg .b64 %d<99>; .reg .f32 %f<99>; .reg .f64 %e<99>; .reg .b128 %q<99>;\n"
      ".param .align 16 .b8 slot[64];\nLIST: .branchtargets LABEL;\nLABEL:\n";
  const auto first_line = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  for (const std::string& line : lines) text += line + "\n";
  std::filesystem::path file =
      std::filesystem::temp_directory_path() / fmt::format("forms_{}.ptx", reinterpret_cast<std::uintptr_t>(&lines) & 0xFFFFFF);
  REQUIRE(write_file(file, text + "ret;\n}\n"));

  std::FILE* pipe = popen(fmt::format("'{}' -O0 -arch=sm_100 '{}' -o /dev/null 2>&1", ptxas.string(), file.string()).c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string output;
  char buffer[4096];
  while (std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe)) output.append(buffer, got);
  pclose(pipe);
  std::filesystem::remove(file);
  if (output.find("Unsupported .version") != std::string::npos ||
      output.find("is not defined for option 'gpu-name'") != std::string::npos) {
    WARN("this ptxas is older than the table: not compared");
    return;
  }
  std::set<std::size_t> faulty;
  for (const std::string& message : split_lines(output)) {
    if (message.find("; error") == std::string::npos) continue;
    std::size_t index = std::stoul(message.substr(message.find(", line ") + 7)) - first_line;
    faulty.insert(index);
    INFO(lines.at(index) << "\n" << message);
    CHECK((index + 1 == lines.size() || faulty.size() > 20));
  }
  CHECK(faulty == std::set<std::size_t>{lines.size() - 1});
}
