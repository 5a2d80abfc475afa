#include "judge/toolchain/program.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>

#include "judge/run/process.hpp"

namespace warpbook::toolchain {
namespace {

constexpr std::chrono::minutes kPatienceForProgram{10};  // a file that includes all of CUB takes half a minute

}  // namespace

std::vector<std::string> program_words(const Toolkit& toolkit, const ProgramSource& source, const std::filesystem::path& output) {
  // -lineinfo names source lines of kernels, -g1 those of host code in a crash; neither changes the code.
  std::vector<std::string> words = {toolkit.nvcc.string(),
                                    "-std=c++17",
                                    "-O3",
                                    "-lineinfo",
                                    "-Xcompiler",
                                    "-g1",
                                    "-cudart",
                                    "shared",
                                    "-gencode",
                                    fmt::format("arch=compute_{0},code=compute_{0}", source.target),
                                    "-Wno-deprecated-gpu-targets"};
  for (const auto& folder : source.include) words.push_back("-I" + folder.string());
  words.insert(words.end(), source.words.begin(), source.words.end());
  words.insert(words.end(), {source.file.string(), "-o", output.string()});
  return words;
}

Result<bool> build_program(const Toolkit& toolkit, const ProgramSource& source, const std::filesystem::path& output) {
  run::Command command;
  command.argv = program_words(toolkit, source, output);
  command.limits.wall = kPatienceForProgram;
  const Result<run::Outcome> outcome = run::run(command);
  if (!outcome) return outcome.error();
  std::fwrite(outcome->out.data(), 1, outcome->out.size(), stderr);
  std::fwrite(outcome->err.data(), 1, outcome->err.size(), stderr);
  switch (outcome->ending) {
    case run::Ending::kExited: return outcome->code == 0;
    case run::Ending::kInterrupted: return Error{"interrupted"};
    case run::Ending::kSignalled: return Error{fmt::format("nvcc was ended by signal {}", outcome->code)};
    case run::Ending::kWallLimit:
    case run::Ending::kCpuLimit: break;
  }
  return Error{fmt::format("nvcc did not finish within {} minutes", kPatienceForProgram.count())};
}

}  // namespace warpbook::toolchain
