#include "judge/grade/injected_failure.hpp"

#include "judge/tests/catch.hpp"

using namespace warpbook;
using namespace warpbook::grade;
using device::Code;
using device::Operation;
using task::FailingCall;

namespace {

run::WorkerReply finished(std::int32_t launch_code, std::int32_t last_error) {
  run::WorkerReply reply;
  reply.stage = run::WorkerStage::kFinished;
  reply.launch_code = launch_code;
  reply.last_error = last_error;
  return reply;
}

/// A failure of the first launch that has happened.
InjectedFailure failed_launch() {
  InjectedFailure failure(FailingCall::kLaunch, 1);
  REQUIRE_FALSE(failure.refuse(Operation::kLaunch).ok());
  return failure;
}

}  // namespace

TEST_CASE("the call that a case names fails once, at its turn, with the code it has on a smaller device") {
  InjectedFailure second(FailingCall::kLaunch, 2);
  CHECK(second.refuse(Operation::kAllocate).ok());
  CHECK(second.refuse(Operation::kLaunch).ok());
  CHECK_FALSE(second.happened());
  CHECK(second.refuse(Operation::kLaunch).code == Code::kLaunchOutOfResources);
  CHECK(second.happened());
  CHECK(second.refuse(Operation::kLaunch).ok());

  CHECK(InjectedFailure(FailingCall::kMalloc, 1).refuse(Operation::kAllocate).code == Code::kMemoryAllocation);
  CHECK(InjectedFailure(FailingCall::kMemset, 1).refuse(Operation::kFill).code == Code::kInvalidValue);
  for (const Operation copy : {Operation::kWrite, Operation::kRead, Operation::kCopy})
    CHECK(InjectedFailure(FailingCall::kMemcpy, 1).refuse(copy).code == Code::kInvalidValue);
  CHECK(InjectedFailure(FailingCall::kFuncSetAttribute, 1).refuse(Operation::kAllowShared).code == Code::kInvalidValue);
  CHECK(InjectedFailure().refuse(Operation::kLaunch).ok());
}

TEST_CASE("a failure that never came changes nothing") {
  BenchRun run;
  run.verdict = Verdict::kRuntimeError;
  run.reason = Reason::kCudaError;
  InjectedFailure(FailingCall::kMalloc, 1).judge(finished(2, 2), run);
  CHECK(run.verdict == Verdict::kRuntimeError);
  CHECK(run.failed_call.empty());
  CHECK_FALSE(run.failure_returned);
}

TEST_CASE("a returned error is accepted, whatever the outputs hold") {
  BenchRun run;
  run.verdict = Verdict::kRuntimeError;
  run.reason = Reason::kInvalidLaunch;
  failed_launch().judge(finished(701, 0), run);
  CHECK(run.verdict == Verdict::kAccepted);
  CHECK(run.reason == Reason::kNone);
  CHECK(run.failure_returned);
}

TEST_CASE("an error that still waits in the runtime was swallowed") {
  BenchRun run;
  failed_launch().judge(finished(0, 701), run);
  CHECK(run.verdict == Verdict::kRuntimeError);
  CHECK(run.reason == Reason::kSwallowedError);
  CHECK(run.message == "kernel launch 1 (cudaErrorLaunchOutOfResources) was made to fail, and the launch function returned cudaSuccess");
}

TEST_CASE("after a failure without an error values decide, and wrong ones are the failure's") {
  BenchRun run;
  failed_launch().judge(finished(0, 0), run);
  CHECK(run.verdict == Verdict::kAccepted);
  CHECK_FALSE(run.failure_returned);

  CaseResult right, wrong;
  right.verdict = Verdict::kAccepted;
  wrong.verdict = Verdict::kWrongAnswer;
  wrong.reason = Reason::kUnwritten;
  wrong.message = "y[0][0] was never written";
  blame_swallowed(right, run.failed_call);
  blame_swallowed(wrong, run.failed_call);
  CHECK(right.verdict == Verdict::kAccepted);
  CHECK(wrong.verdict == Verdict::kRuntimeError);
  CHECK(wrong.reason == Reason::kSwallowedError);
  CHECK(wrong.message.ends_with("returned cudaSuccess: y[0][0] was never written"));
}

TEST_CASE("what a kernel does after the failure stays that kernel's mistake") {
  BenchRun run;
  run.verdict = Verdict::kRuntimeError;
  run.reason = Reason::kOutOfBounds;
  run::WorkerReply reply = finished(700, 700);
  reply.synchronize_code = 700;
  failed_launch().judge(reply, run);
  CHECK(run.reason == Reason::kOutOfBounds);
}
