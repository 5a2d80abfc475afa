#pragma once
// The judge's side of a worker: starts it, serves its device calls, takes its reply, and ends it however it behaves.
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "judge/base/error.hpp"
#include "judge/device/server.hpp"
#include "judge/run/process.hpp"
#include "judge/run/worker_protocol.hpp"

namespace warpbook::run {

/// Programs of ours that a worker needs.
struct WorkerFiles {
  std::filesystem::path worker;   ///< warpbook-worker
  std::filesystem::path runtime;  ///< our libcudart.so.13
};

/// Looks beside the running program: warpbook-worker in its folder, the runtime in ../lib/cudart13.
Result<WorkerFiles> find_worker_files();

struct WorkerRequest {
  std::filesystem::path worker;      ///< the worker program
  std::filesystem::path runtime;     ///< libcudart to load: ours, or NVIDIA's on a real GPU
  std::filesystem::path submission;  ///< shared object with the launch function that the order names
  WorkerOrder order;
  /// `wall` does not count the time that the device works for the worker: that is bounded by instructions and by device_time.
  Limits limits;
  std::chrono::milliseconds device_time{120'000};  ///< in all; a launch under way is finished first
  std::map<std::string, std::string> environment;  ///< the worker sees nothing else of the judge's environment
  device::ServeLimits serve_limits;
  device::ServeHooks hooks;
};

enum class WorkerEnding : std::uint8_t {
  kReplied,      ///< `reply` says how far it came
  kExitedEarly,  ///< the program exited with `code` before it replied
  kCrashed,      ///< signal `code`
  kCpuLimit,
  kWallLimit,
  kDeviceLimit,  ///< device_time ran out
  kViolation,    ///< it broke the protocol; `message` says how
  kInterrupted,  ///< the judge was told to stop
  kNotStarted,   ///< the worker could not be started (ours to mend)
};

struct WorkerOutcome {
  WorkerEnding ending = WorkerEnding::kNotStarted;
  int code = 0;
  WorkerReply reply;
  std::string message;
  std::string out, err;        ///< what the learner's code printed, at most limits.output bytes each
  device::ServeReport device;  ///< calls, launches, the first call that was refused
  double wall_seconds = 0, cpu_seconds = 0;
};

/// Runs one launch to its end. `device` is null on a real GPU, where the worker has its own way to it. Always returns, with nothing of
/// the worker left running.
WorkerOutcome run_worker(const WorkerRequest& request, device::Device* device);

}  // namespace warpbook::run
