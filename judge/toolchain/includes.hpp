#pragma once
// Inside of judge/toolchain: which files a source draws in.
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace warpbook::toolchain {

/// What was read on the way; two equal values mean that the headers within reach are the same.
struct Included {
  std::string hash;
  bool complete = true;  ///< false: an `#include` names its file by a macro, or a header cannot be read, so `hash` does not say all
  bool tells_place = false;  ///< somewhere host code could learn which file and line it stands in: __LINE__, assert, ...
  bool tells_architecture = false;  ///< somewhere it says __CUDA_ARCH__: one program on one device and another on another
};

/// Follows `#include` and `__has_include` from `text` through `folders` (-I, in order). Headers found nowhere there belong to the
/// toolkit or the system and count by those versions.
Included follow_includes(std::string_view text, const std::vector<std::filesystem::path>& folders);

}  // namespace warpbook::toolchain
