// What nvcc writes, from both of its back ends (NVVM 7 for compute_80, NVVM 20 for compute_100), and the same text damaged.
#include <filesystem>

#include "judge/base/files.hpp"
#include "judge/ptx/contract.hpp"
#include "judge/ptx/flow.hpp"
#include "judge/ptx/instruction.hpp"
#include "judge/ptx/parser.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook;
using namespace warpbook::ptx;

namespace {

std::vector<std::filesystem::path> modules() {
  std::vector<std::filesystem::path> found;
  for (const auto& file : std::filesystem::recursive_directory_iterator(std::filesystem::path(WARPBOOK_SOURCE_DIR) / "judge/tests/ptx")) {
    if (file.path().extension() == ".ptx") found.push_back(file.path());
  }
  return found;
}

std::string text_of_file(const std::filesystem::path& path) {
  auto text = read_file(path);
  REQUIRE(text);
  return *text;
}

}  // namespace

TEST_CASE("every module that nvcc wrote is read, and every instruction of it is known", "[ptx][nvcc]") {
  CHECK(modules().size() >= 21);
  for (const auto& path : modules()) {
    INFO(path);
    auto module = parse(text_of_file(path));
    INFO((module ? "" : module.error().text()));
    REQUIRE(module);
    std::size_t located = 0, instructions = 0;
    for (Function& function : module->functions) {
      for (const Instruction& instruction : function.body) {
        INFO(text_of(instruction, function));
        CHECK_FALSE(is_refused(instruction.op));
        ++instructions;
        located += instruction.location >= 0;
      }
      if (function.external) continue;
      Flow flow = analyze(function);
      CHECK(flow.block_of.size() == function.body.size());
      fuse_products(function);
      for (const Instruction& instruction : function.body) {
        if (instruction.op == Opcode::kBra) CHECK(instruction.src[0].target < static_cast<std::int32_t>(function.body.size()));
      }
    }
    CHECK(instructions > 5);
    if (path.parent_path().filename() == "nvcc") CHECK(located == instructions);  // compiled with -lineinfo
  }
}

TEST_CASE("a line of an inlined function leads to the learner's file", "[ptx][nvcc]") {
  auto module = parse(text_of_file(std::filesystem::path(WARPBOOK_SOURCE_DIR) / "judge/tests/ptx/nvcc/row_kernel.sm_80.ptx"));
  REQUIRE(module);
  bool through_header = false;
  for (const Location& location : module->locations) {
    auto file_of = [&](const Frame& frame) {
      return std::filesystem::path(module->files[static_cast<std::size_t>(frame.file)]).filename();
    };
    CHECK(file_of(location.frames.back()) == "row_kernel.cu");
    if (file_of(location.frames[0]) == "row_kernel.cu" || location.frames.size() < 3) continue;
    CHECK_FALSE(location.frames[0].function.empty());
    CHECK(location.frames[1].function == "_Z8warp_sumf");
    through_header = true;
  }
  CHECK(through_header);
}

TEST_CASE("text cut off anywhere is an error or a module, never more", "[ptx][nvcc]") {
  constexpr std::size_t kStep = 37;
  for (const char* name : {"inline_asm.sm_80.ptx", "control.sm_100.ptx", "row_kernel.sm_80.ptx"}) {
    std::string text = text_of_file(std::filesystem::path(WARPBOOK_SOURCE_DIR) / "judge/tests/ptx/nvcc" / name);
    for (std::size_t length = 0; length < text.size(); length += kStep) {
      auto module = parse(std::string_view(text).substr(0, length));
      if (module) continue;
      CHECK_FALSE(module.error().what.empty());
      CHECK(module.error().where.line > 0);
    }
  }
}

TEST_CASE("flipped bytes are an error or a module, never more", "[ptx][nvcc]") {
  constexpr std::size_t kStep = 53;
  unsigned random = 1;
  for (const char* name : {"inline_asm.sm_80.ptx", "control.sm_80.ptx", "half_types.sm_80.ptx"}) {
    const std::string text = text_of_file(std::filesystem::path(WARPBOOK_SOURCE_DIR) / "judge/tests/ptx/nvcc" / name);
    for (std::size_t at = 0; at < text.size(); at += kStep) {
      std::string damaged = text;
      random = random * 1664525u + 1013904223u;
      damaged[at] = static_cast<char>(damaged[at] ^ (1u << (random >> 24) % 8));
      auto module = parse(damaged);
      if (!module) {
        CHECK_FALSE(module.error().what.empty());
        continue;
      }
      for (Function& function : module->functions) {
        if (function.external) continue;
        fuse_products(function);
        CHECK(analyze(function).block_of.size() == function.body.size());
      }
    }
  }
}
