#pragma once
// What a worker's end means for the verdict, on either device. A worker's own words are evidence of failure only: that all is well is seen
// on the judge's side, in the outputs.
#include "judge/grade/bench.hpp"
#include "judge/run/worker.hpp"

namespace warpbook::grade {

/// kAccepted when the worker ran to its end and reported no error; values decide then.
BenchRun judge_worker(const run::WorkerOutcome& outcome);

/// Limits of the learner's host code, the same on every machine: a launch function needs milliseconds.
run::Limits worker_limits();

}  // namespace warpbook::grade
