#pragma once
// What is handed in for grading.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "judge/grade/bench.hpp"
#include "judge/grade/result.hpp"
#include "judge/task/task.hpp"
#include "judge/toolchain/compile.hpp"
#include "judge/vgpu/vgpu.hpp"

namespace warpbook::grade {

struct Submission {
  std::string shown_name;      ///< the path as its owner knows it; messages carry it
  std::string text;            ///< the whole file
  bool trusted_whole = false;  ///< an author's wrong or correct submission: judged as it is, not spliced
};

enum class DeviceKind { kVirtual, kGpu };

/// Which cases run and where; everything a verdict depends on besides the submission.
struct GradeOptions {
  toolchain::Toolkit toolkit;
  std::filesystem::path cache;
  std::filesystem::path root;            ///< of the workbook; kernels include "common/kernel/..."
  std::filesystem::path program_folder;  ///< where warpbook-worker and lib/ are
  DeviceKind device = DeviceKind::kVirtual;
  std::string device_name = "virtual GPU sm_80";
  std::function<std::unique_ptr<Bench>()> make_gpu_bench;  ///< for kGpu: called in the case's own process
  std::uint64_t seed = 0;
  std::string seed_hash;                   ///< of the secret that gave the seed: recorded in its place, and not the seed; empty: no secret
  std::optional<vgpu::Schedule> schedule;  ///< on the virtual GPU: this order of blocks and warps and no other
  bool every_order = false;                ///< on the virtual GPU: in every order of order_runs.cpp, also where none can matter
  bool one_process = false;                ///< on the virtual GPU: cases one after another in this process; a crash takes all of them
  int jobs = 1;
  std::vector<std::string> only_cases;  ///< empty: all
  bool kernel_meters = false;           ///< on the virtual GPU: keep the meters of each kernel, with its occupancy
  bool line_meters = false;             ///< and count by source line
  std::function<void(int done, int total, const std::string& what)> progress;
  std::function<void(const SubmissionResult& built)> on_compiled;  ///< after a compilation that went well
  std::function<void(const CaseResult& result)> on_case;           ///< each case as soon as it is judged, in the order of their ends
};

}  // namespace warpbook::grade
