#pragma once
// Inside of judge/toolchain: under which names results are kept.
#include <string>
#include <vector>

#include "judge/toolchain/compile.hpp"

namespace warpbook::toolchain {

/// Hashes of everything that a result depends on.
struct Keys {
  std::string toolchain;   ///< toolkit, host compiler, flags, environment
  std::string flags;       ///< the above and the headers within reach
  std::string whole;       ///< flags and the source with its glue
  std::string host;        ///< flags and the caller's host key; empty when the caller gave none
  bool repeatable = true;  ///< false: something could not be followed, so nothing may be reused
  bool by_architecture = false;  ///< what runs may depend on __CUDA_ARCH__
};

Keys make_keys(const Toolkit& toolkit, const Source& source, const CompileOptions& options, const std::vector<int>& native);

}  // namespace warpbook::toolchain
