#pragma once
// Inside of judge/gpu: with what a worker is started on a real GPU.
#include <filesystem>
#include <map>
#include <string>

#include "judge/base/error.hpp"

namespace warpbook::gpu {

/// NVIDIA's libcudart.so of a toolkit; the error names the toolkit.
Result<std::filesystem::path> find_nvidia_runtime(const std::filesystem::path& toolkit_root);

/// Where the driver lies and which GPU is ours is the machine's business; everything else of the environment stays outside.
std::map<std::string, std::string> worker_environment();

}  // namespace warpbook::gpu
