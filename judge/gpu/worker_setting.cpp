#include "judge/gpu/worker_setting.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace warpbook::gpu {

Result<std::filesystem::path> find_nvidia_runtime(const std::filesystem::path& toolkit_root) {
  for (const char* folder : {"lib64", "lib", "targets/x86_64-linux/lib"})
    for (const char* name : {"libcudart.so.13", "libcudart.so.12"}) {
      std::error_code ignored;
      if (std::filesystem::exists(toolkit_root / folder / name, ignored)) return toolkit_root / folder / name;
    }
  return Error{fmt::format("NVIDIA's libcudart.so was not found under {}", toolkit_root.string())};
}

std::map<std::string, std::string> worker_environment() {
  std::map<std::string, std::string> environment;
  for (const char* name : {"LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES"})
    if (const char* value = std::getenv(name); value != nullptr) environment[name] = value;
  return environment;
}

}  // namespace warpbook::gpu
