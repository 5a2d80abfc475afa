#pragma once
// A bench on the virtual GPU: it lives in this process, the learner's host code in a worker at the other end of two sockets.
#include <memory>

#include "judge/grade/bench.hpp"
#include "judge/task/task.hpp"
#include "judge/vgpu/vgpu.hpp"

namespace warpbook::grade {

struct VgpuBenchOptions {
  std::string launch = "warpbook_launch";  ///< the function of the library to call
  vgpu::ImagePointer image;              ///< the submission's device code, read and decoded once for all cases
  std::filesystem::path program_folder;  ///< where warpbook-worker and the runtime library are
  vgpu::Schedule schedule{};
  vgpu::FindTracer tracer{};
  bool line_meters = false;  ///< count by source line
  task::FailingCall fail = task::FailingCall::kNone;  ///< this call fails ...
  int fail_at = 1;                                    ///< ... when it comes for this time
  std::uint64_t instruction_budget = 0;  ///< thread instructions per launch, 0: the device's own
};

std::unique_ptr<Bench> make_vgpu_bench(const VgpuBenchOptions& options);

/// Verdict and reason for a fault; the same list for every device.
Reason reason_of(device::FaultKind kind);

}  // namespace warpbook::grade
