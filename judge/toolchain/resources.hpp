#pragma once
// What the assembler gives a kernel: registers, shared memory, and what did not fit into registers. PTX does not say; only ptxas knows.
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "judge/base/error.hpp"
#include "judge/toolchain/compile.hpp"

namespace warpbook::toolchain {

struct KernelResources {
  int registers = 0;      ///< a thread
  int spilled_bytes = 0;  ///< a thread, stored to local memory
};

/// By entry name. Runs `ptxas -v`, well under a second for a lesson. The error says what is missing or what ptxas said.
Result<std::map<std::string, KernelResources>> kernel_resources(const Toolkit& toolkit, const std::filesystem::path& ptx, int capability);

/// The same from what `ptxas -v` wrote.
std::map<std::string, KernelResources> parse_resources(std::string_view said);

}  // namespace warpbook::toolchain
