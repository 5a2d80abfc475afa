#include "judge/grade/worker_verdict.hpp"

#include <fmt/format.h>

#include <cstring>

#include "judge/device/codes.hpp"

namespace warpbook::grade {
namespace {

constexpr std::chrono::milliseconds kCpuLimit{5'000};
constexpr std::chrono::milliseconds kWallLimit{20'000};
constexpr std::uint64_t kFileLimit = 1u << 20;
constexpr std::uint64_t kOutputLimit = 16u << 10;

BenchRun end(Verdict verdict, Reason reason, std::string message) {
  BenchRun run;
  run.verdict = verdict;
  run.reason = reason;
  run.message = std::move(message);
  return run;
}

std::string code_text(std::int32_t code) {
  const auto known = static_cast<device::Code>(code);
  return fmt::format("{} ({}: {})", device::name_of(known), code, device::meaning_of(known));
}

/// CUDA's codes that say what a kernel did; the rest is "the launch function or the device reported an error".
Reason reason_of_code(std::int32_t code) {
  switch (static_cast<device::Code>(code)) {
    case device::Code::kIllegalAddress: return Reason::kOutOfBounds;
    case device::Code::kMisalignedAddress: return Reason::kMisaligned;
    case device::Code::kAssert: return Reason::kAssert;
    case device::Code::kLaunchTimeout: return Reason::kWallClock;
    case device::Code::kIllegalInstruction:
    case device::Code::kLaunchFailure: return Reason::kTrap;
    case device::Code::kHardwareStackError: return Reason::kStackOverflow;
    case device::Code::kInvalidValue:
    case device::Code::kInvalidConfiguration:
    case device::Code::kLaunchOutOfResources: return Reason::kInvalidLaunch;
    default: return Reason::kCudaError;
  }
}

BenchRun judge_reply(const run::WorkerReply& reply) {
  switch (reply.stage) {
    case run::WorkerStage::kFinished: break;
    case run::WorkerStage::kThrew:
      return end(Verdict::kRuntimeError, Reason::kHostCrash, "the host code threw an exception: " + reply.message);
    default: return end(Verdict::kJudgeError, Reason::kInternal, reply.message);
  }
  const auto code = static_cast<device::Code>(reply.synchronize_code);
  if (reply.synchronize_code != 0)
    return end(code == device::Code::kLaunchTimeout ? Verdict::kTimeLimit : Verdict::kRuntimeError, reason_of_code(reply.synchronize_code),
               "the kernel ended with " + code_text(reply.synchronize_code));
  if (reply.launch_code != 0)
    return end(Verdict::kRuntimeError, reason_of_code(reply.launch_code), "the launch function returned " + code_text(reply.launch_code));
  if (reply.last_error != 0)
    return end(Verdict::kRuntimeError, reason_of_code(reply.last_error),
               fmt::format("the launch failed with {}, and the launch function did not return it", code_text(reply.last_error)));
  return {};
}

}  // namespace

run::Limits worker_limits() {
  run::Limits limits;
  limits.cpu = kCpuLimit;
  limits.wall = kWallLimit;
  limits.file_size = kFileLimit;
  limits.output = kOutputLimit;
  return limits;
}

BenchRun judge_worker(const run::WorkerOutcome& outcome) {
  BenchRun run;
  switch (outcome.ending) {
    case run::WorkerEnding::kReplied:
      run = judge_reply(outcome.reply);
      // "It did not load" cannot be true of a program that already spoke to its device: then the reply is forged, and not our failure.
      if (run.verdict == Verdict::kJudgeError && outcome.device.calls > 0)
        run = end(Verdict::kRuntimeError, Reason::kHostCrash, "the host code answered in the worker's place");
      break;
    case run::WorkerEnding::kExitedEarly:
      run = end(Verdict::kRuntimeError, Reason::kExitedEarly, fmt::format("the host code left the process with status {}", outcome.code));
      break;
    case run::WorkerEnding::kCrashed:
      run = end(Verdict::kRuntimeError, Reason::kHostCrash,
                fmt::format("the host code was ended by signal {} ({})", outcome.code, ::strsignal(outcome.code)));
      break;
    case run::WorkerEnding::kCpuLimit:
      run = end(Verdict::kTimeLimit, Reason::kCpuTime,
                fmt::format("the host code used more than {} s of processor time", kCpuLimit.count() / 1000));
      break;
    case run::WorkerEnding::kWallLimit:
      run = end(Verdict::kTimeLimit, Reason::kWallClock, fmt::format("the run took longer than {} s", kWallLimit.count() / 1000));
      break;
    case run::WorkerEnding::kDeviceLimit:
      run = end(Verdict::kTimeLimit, Reason::kWallClock, "the kernels took longer than they may");
      break;
    case run::WorkerEnding::kViolation:
      run = end(Verdict::kRuntimeError, Reason::kHostCrash, "the host code broke off its device: " + outcome.message);
      break;
    case run::WorkerEnding::kInterrupted: run = end(Verdict::kJudgeError, Reason::kInternal, "interrupted"); break;
    case run::WorkerEnding::kNotStarted:
      run = end(Verdict::kJudgeError, Reason::kInternal, "the worker could not be started: " + outcome.message);
      break;
  }
  run.output = outcome.out + outcome.err;
  return run;
}

}  // namespace warpbook::grade
