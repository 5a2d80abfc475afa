#pragma once
// Inside of judge/toolchain: which machine code a GPU of this machine needs.
#include <string_view>
#include <vector>

#include "judge/toolchain/cache.hpp"
#include "judge/toolchain/compile.hpp"

namespace warpbook::toolchain {

/// Compute capabilities (90 for 9.0) of the GPUs here that this toolkit can assemble for; empty when there is none, and then a
/// program still runs from its PTX.
std::vector<int> native_capabilities(const Toolkit& toolkit, const Cache& cache, const std::filesystem::path& cache_folder);

/// {80, 90} out of "9.0\n8.0\n9.0\n", the answer of nvidia-smi.
std::vector<int> capabilities_in(std::string_view answer);

}  // namespace warpbook::toolchain
