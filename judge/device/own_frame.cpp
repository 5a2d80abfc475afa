#include "judge/device/own_frame.hpp"

#include <algorithm>

namespace warpbook::device {
namespace {

/// Folders that hold nothing but what was installed: /usr/local/cuda-13.0/targets/x86_64-linux/include, a wheel's nvidia/cu13/include ...
constexpr std::string_view kFolders[] = {"/targets/", "/cuda", "/nvidia/", "/nvhpc/"};
constexpr std::string_view kInclude = "/include/";
constexpr std::string_view kSystemFolders[] = {"/usr/include/", "/usr/lib/gcc/"};

/// Headers whose code is inlined into kernels.
constexpr std::string_view kNames[] = {"cooperative_groups.h", "math_functions.hpp", "device_functions.hpp", "cuda_fp16.hpp",
                                       "cuda_bf16.hpp",        "cuda_fp8.hpp",       "cuda_awbarrier.h",     "cuda_pipeline.h"};
constexpr std::string_view kEndings[] = {"_intrinsics.hpp", "_intrinsics.h", "_atomic_functions.hpp", "_atomic_functions.h", "_rt.hpp"};

}  // namespace

bool is_toolkit_file(std::string_view path) {
  for (const std::string_view folder : kSystemFolders)
    if (path.starts_with(folder)) return true;
  for (const std::string_view folder : kFolders) {
    const std::size_t at = path.find(folder);
    if (at != std::string_view::npos && path.find(kInclude, at) != std::string_view::npos) return true;
  }
  const std::string_view name = path.substr(path.rfind('/') + 1);  // npos + 1 is 0
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames) ||
         std::any_of(std::begin(kEndings), std::end(kEndings), [&](std::string_view ending) { return name.ends_with(ending); });
}

const Frame* own_frame(const std::vector<Frame>& frames) {
  if (frames.empty()) return nullptr;
  const auto own = std::find_if(frames.begin(), frames.end(), [](const Frame& frame) { return !is_toolkit_file(frame.file); });
  return own == frames.end() ? &frames.front() : &*own;
}

}  // namespace warpbook::device
