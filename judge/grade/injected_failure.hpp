#pragma once
// A call that would succeed is made to fail, to see what the launch function makes of it. Nothing else shows whether errors are returned: a
// launch that is right never fails on the judge's machine, and on the machine where it does, whoever called it takes what lies in the
// output for an answer.
//
// The judge's end of the device refuses the call, so the program cannot know beforehand which one it will be.
#include "judge/device/server.hpp"
#include "judge/grade/bench.hpp"
#include "judge/run/worker_protocol.hpp"
#include "judge/task/task.hpp"

namespace warpbook::grade {

class InjectedFailure {
 public:
  InjectedFailure(task::FailingCall call, int at) : call_(call), at_(at) {}
  InjectedFailure() : InjectedFailure(task::FailingCall::kNone, 1) {}

  /// For device::ServeHooks::refuse: an error for the call that is to fail.
  device::Answer refuse(device::Operation operation);
  /// Whether the call came; without it the case is one like any other.
  bool happened() const { return happened_; }
  /// What the launch function made of it, when it came: an error that was returned is what the case asks for, and the outputs say nothing
  /// then; one that still waits in the runtime was swallowed. Otherwise values decide, and
  /// blame_swallowed() says what they mean.
  void judge(const run::WorkerReply& reply, BenchRun& run) const;

 private:
  task::FailingCall call_;
  int at_;
  int seen_ = 0;
  bool happened_ = false;
};

/// A wrong answer after a failure that was not returned: nobody was told that the values are none.
void blame_swallowed(CaseResult& result, const std::string& failed_call);

}  // namespace warpbook::grade
