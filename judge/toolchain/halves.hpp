#pragma once
// Inside of judge/toolchain: a unit.cu in the scratch folder becomes submission.so and device.ptx.
#include <filesystem>
#include <string>
#include <vector>

#include "judge/toolchain/cache.hpp"
#include "judge/toolchain/steps.hpp"

namespace warpbook::toolchain {

inline constexpr const char* kLibrary = "submission.so";
inline constexpr const char* kDevicePtx = "device.ptx";
/// Where build_by_nvcc leaves preprocessed text; build_by_steps leaves it beside the rest.
inline constexpr const char* kKeptFolder = "kept";

/// What both ways of building need to know.
struct Job {
  const Toolkit* toolkit = nullptr;
  const Plan* plan = nullptr;  ///< nullptr: nvcc does all by itself
  const Cache* cache = nullptr;
  std::vector<std::filesystem::path> include;  ///< absolute
  std::string host_key;                        ///< hash of all that the host half depends on, when the caller vouches for it; else empty
  std::string flags_key;                       ///< hash of flags, toolkit and headers
  std::vector<int> native;                     ///< compute capabilities to assemble for as well: 90 for sm_90
  bool by_architecture = false;                ///< they get PTX of their own: the source says __CUDA_ARCH__
};

/// What was built, or why not.
struct Built {
  Part device, host, link;
  bool host_from_cache = false;
  bool ok() const { return device.ok() && host.ok() && link.ok(); }
};

/// By nvcc's single commands, both halves side by side, the host half from the cache where it can be.
Built build_by_steps(Steps& steps, const Job& job);

/// By two calls of nvcc.
Built build_by_nvcc(Steps& steps, const Job& job);

/// Links `objects` (files or assembler sources in the scratch folder) to submission.so.
bool link_library(Steps& steps, const Job& job, const std::string& compiler, const std::vector<std::string>& objects, Part& part);

/// Takes the scratch folder's path out of the line table of the PTX file, so that it names the learner's file and nothing of this run.
bool tidy_ptx(Steps& steps, Part& part);

}  // namespace warpbook::toolchain
