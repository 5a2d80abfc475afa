#include "judge/grade/injected_failure.hpp"

#include <fmt/format.h>

#include "judge/device/codes.hpp"

namespace warpbook::grade {
namespace {

using device::Code;
using device::Operation;
using task::FailingCall;

bool is_of(FailingCall call, Operation operation) {
  switch (call) {
    case FailingCall::kNone: return false;
    case FailingCall::kLaunch: return operation == Operation::kLaunch;
    case FailingCall::kMalloc: return operation == Operation::kAllocate;
    case FailingCall::kMemset: return operation == Operation::kFill;
    case FailingCall::kMemcpy: return operation == Operation::kWrite || operation == Operation::kRead || operation == Operation::kCopy;
    case FailingCall::kFuncSetAttribute: return operation == Operation::kAllowShared;
  }
  return false;
}

/// The code that the call has on a device that is full, smaller or older.
Code code_of(FailingCall call) {
  switch (call) {
    case FailingCall::kLaunch: return Code::kLaunchOutOfResources;
    case FailingCall::kMalloc: return Code::kMemoryAllocation;
    default: return Code::kInvalidValue;
  }
}

std::string name_of(FailingCall call) {
  switch (call) {
    case FailingCall::kNone: return {};
    case FailingCall::kLaunch: return "kernel launch";
    case FailingCall::kMalloc: return "cudaMalloc";
    case FailingCall::kMemset: return "cudaMemset";
    case FailingCall::kMemcpy: return "cudaMemcpy";
    case FailingCall::kFuncSetAttribute: return "cudaFuncSetAttribute";
  }
  return {};
}

}  // namespace

device::Answer InjectedFailure::refuse(Operation operation) {
  if (!is_of(call_, operation) || ++seen_ != at_) return {};
  happened_ = true;
  return {code_of(call_), "this case makes the call fail"};
}

void InjectedFailure::judge(const run::WorkerReply& reply, BenchRun& run) const {
  if (!happened_ || reply.stage != run::WorkerStage::kFinished) return;
  run.failed_call = fmt::format("{} {} ({})", name_of(call_), at_, device::name_of(code_of(call_)));
  if (reply.synchronize_code != 0) return;  // what a kernel did afterwards is a mistake of its own
  run.verdict = Verdict::kAccepted;
  run.reason = Reason::kNone;
  run.message.clear();
  run.failure_returned = reply.launch_code != 0;
  if (run.failure_returned || reply.last_error == 0) return;
  run.verdict = Verdict::kRuntimeError;
  run.reason = Reason::kSwallowedError;
  run.message = fmt::format("{} was made to fail, and the launch function returned cudaSuccess", run.failed_call);
}

void blame_swallowed(CaseResult& result, const std::string& failed_call) {
  if (result.verdict != Verdict::kWrongAnswer) return;
  result.verdict = Verdict::kRuntimeError;
  result.reason = Reason::kSwallowedError;
  result.message = fmt::format("{} was made to fail, and the launch function returned cudaSuccess: {}", failed_call, result.message);
}

}  // namespace warpbook::grade
