// Walks the instruction table: every row has its section of the manual, kernels with recorded answers or a test elsewhere, and a wrong
// form that is refused. A row that lacks one of these fails here.
#include <fmt/format.h>

#include <map>
#include <set>

#include "judge/base/files.hpp"
#include "judge/ptx/opcode.hpp"
#include "judge/ptx/parser.hpp"
#include "judge/tests/catch.hpp"
#include "judge/tests/ptx/golden/exceptions.hpp"
#include "judge/tests/ptx/golden/results.hpp"
#include "judge/tests/ptx/golden/suite.hpp"
#include "judge/vgpu/vgpu.hpp"

namespace warpbook::golden {
namespace {

using ptx::Opcode;

const std::string kFolder = std::string(WARPBOOK_SOURCE_DIR) + "/judge/tests/ptx/golden/";

/// Rows whose effect is no value that a kernel could write, with the file beside this one that has them.
const std::map<Opcode, const char*> kElsewhere = {
    {Opcode::kTrap, "ends_test.cpp"},
    {Opcode::kBrkpt, "ends_test.cpp"},
    {Opcode::kSetmaxnreg, "ends_test.cpp"},
    {Opcode::kCreatepolicy, "ends_test.cpp"},
};

std::string in_kernel(const std::string& instruction) {
  return ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k() {\n.reg .pred %p<9>;\n.reg .b16 %h<9>;\n.reg .b32 %r<9>;\n"
         ".reg .b64 %d<9>;\nLABEL:\nLIST: .branchtargets LABEL;\n" +
         instruction + ";\nret;\n}\n";
}

/// Spellings without a kernel of their own: rows tested elsewhere; cache hints, which are run with one type; atomics of vectors and of 128
/// bits, which are run with one order and scope (wide_atomic_kernels).
bool runs_by_another(const Variant& variant) {
  const Opcode op = variant.entry->op;
  const bool hinted = variant.spelling.find("L1::") != std::string::npos || variant.spelling.find("L2::") != std::string::npos;
  const bool moves = op == Opcode::kLd || op == Opcode::kSt, atomic = op == Opcode::kAtom || op == Opcode::kRed;
  const bool wide = variant.matched.mod.vector > 1 || (!variant.matched.types.empty() && variant.matched.types.front() == ptx::Type::kB128);
  return kElsewhere.contains(op) || (moves && hinted) || (atomic && wide);
}

struct Refusal {
  std::string instruction, message;
};

std::vector<Refusal> refusals() {
  const auto text = read_file(kFolder + "refused.txt");
  REQUIRE(text);
  std::vector<Refusal> rows;
  for (const std::string& line : split_lines(*text)) {
    const std::size_t bar = line.find(" | ");
    // `d|p` stands without blanks.
    if (!line.starts_with('#') && bar != std::string::npos) rows.push_back({line.substr(0, bar), line.substr(bar + 3)});
  }
  return rows;
}

std::string mnemonic_in(const std::string& instruction) { return instruction.substr(0, instruction.find_first_of(". ")); }

}  // namespace

TEST_CASE("every row of the table has a section, recorded answers and a refused form") {
  const auto golden = read_results_file(kFolder + "results.txt.zst");
  REQUIRE(golden);
  std::map<Opcode, int> recorded;
  int variants = 0;
  for (const Variant& variant : all_variants()) {
    ++variants;
    const std::vector<Kernel> kernels = kernels_of(variant);
    for (const Kernel& kernel : kernels) recorded[variant.entry->op] += golden->contains(kernel.key) ? 1 : 0;
    INFO(variant.spelling);
    CHECK((!kernels.empty() || runs_by_another(variant)));
  }
  std::set<std::string> refused;
  for (const Refusal& row : refusals()) refused.insert(mnemonic_in(row.instruction));
  int rows = 0;
  for (int i = 0; i < ptx::kOpcodeCount; ++i) {
    const auto op = static_cast<Opcode>(i);
    if (op == Opcode::kUnknown) continue;  // stands for what is in no row
    INFO(ptx::mnemonic_of(op));
    CHECK_FALSE(ptx::section_of(op).empty());
    if (ptx::is_refused(op)) continue;  // below
    ++rows;
    if (const auto elsewhere = kElsewhere.find(op); elsewhere != kElsewhere.end()) {
      const auto text = read_file(kFolder + elsewhere->second);
      REQUIRE(text);
      CHECK(text->find(ptx::mnemonic_of(op)) != std::string::npos);
    } else {
      CHECK(recorded[op] > 0);
    }
    CHECK(refused.contains(std::string(ptx::mnemonic_of(op))));
  }
  fmt::print("table: {} rows, {} variants, {} refused forms\n", rows, variants, refusals().size());
}

TEST_CASE("a wrong form of each row is refused, and the message says what is wrong") {
  for (const Refusal& row : refusals()) {
    INFO(row.instruction);
    const auto module = ptx::parse(in_kernel(row.instruction));
    REQUIRE_FALSE(module);
    CHECK(module.error().what == row.message);
    CHECK(module.error().where.line > 0);
  }
}

TEST_CASE("an instruction that this version does not run is named when a thread reaches it") {
  for (int i = 0; i < ptx::kOpcodeCount; ++i) {
    const auto op = static_cast<Opcode>(i);
    if (!ptx::is_refused(op) || op == Opcode::kUnknown) continue;
    const std::string name(ptx::mnemonic_of(op));
    INFO(name);
    vgpu::Options options;
    options.properties.major = 9;
    options.properties.minor = 0;
    auto gpu = vgpu::VirtualGpu::create(options);
    std::uint64_t module = 0;
    REQUIRE(gpu->load_module(in_kernel(fmt::format("{}.some.b32 %r1, %r2", name)), module).ok());
    device::Launch launch;
    launch.module = module;
    launch.function = "k";
    (void)gpu->launch(launch);
    REQUIRE(gpu->faults().size() == 1);
    CHECK(gpu->faults().front().kind == device::FaultKind::kUnsupported);
    CHECK(gpu->faults().front().message.find(name) != std::string::npos);
  }
}

TEST_CASE("the suite needs every answer that is recorded") {
  const auto golden = read_results_file(kFolder + "results.txt.zst");
  REQUIRE(golden);
  std::set<std::string> keys;
  for (const Kernel& kernel : suite()) CHECK(keys.insert(kernel.key).second);
  for (const auto& [key, bits] : *golden) {
    INFO(key);
    CHECK(keys.contains(key));
  }
  CHECK(keys.size() > 20'000);
}

}  // namespace warpbook::golden
