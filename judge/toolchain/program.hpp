#pragma once
// A whole program from one .cu file: what `judge exec FILE.cu` runs. Unlike compile(), which needs each message in the learner's lines,
// nvcc does all by itself here and talks to the terminal itself.
#include <filesystem>
#include <string>
#include <vector>

#include "judge/base/error.hpp"
#include "judge/toolchain/compile.hpp"

namespace warpbook::toolchain {

struct ProgramSource {
  std::filesystem::path file;                  ///< with a main(); includes are found beside it
  std::string target = "80";                   ///< compute capability of the PTX: "80", "100"
  std::vector<std::filesystem::path> include;  ///< -I
  std::vector<std::string> words;              ///< further words for nvcc, behind ours so that they win
};

/// The words of the nvcc call, for messages and tests.
std::vector<std::string> program_words(const Toolkit& toolkit, const ProgramSource& source, const std::filesystem::path& output);

/// Writes an executable that takes its CUDA runtime from a shared library. nvcc's messages go to stderr as they come. False: nvcc refused
/// the source (it has said why). The error: nvcc could not be run or was stopped.
Result<bool> build_program(const Toolkit& toolkit, const ProgramSource& source, const std::filesystem::path& output);

}  // namespace warpbook::toolchain
