#pragma once
// Inside of judge/toolchain: where a toolkit is looked for.
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "judge/toolchain/compile.hpp"

namespace warpbook::toolchain {

/// The three places that may name a toolkit, in the order in which they are asked.
struct Places {
  std::string cuda_home;  ///< value of CUDA_HOME, empty when not set
  std::string path;       ///< value of PATH
  std::filesystem::path usual_folder = "/usr/local/cuda";
};

Places places_of_environment();

/// The oldest toolkit that is accepted: older ones lack `--image3` fat binaries and C++17 device code as the lessons use it.
inline constexpr int kOldestMajor = 12;

/// find_toolkit() for given places.
Result<Toolkit> find_toolkit_in(const Places& places);

/// "13.0.88" out of what `nvcc --version` prints; nothing when it does not say.
std::optional<std::string> version_in(std::string_view text);

/// The first regular executable file called `name` in the folders of `path`; empty when there is none.
std::filesystem::path program_in_path(std::string_view name, std::string_view path);

}  // namespace warpbook::toolchain
