#pragma once
// Jobs in processes of their own, a few at a time. A case runs in a fork of the judge: what was read and decoded before is shared without
// being copied, and a crash in one case is that case's judge error and nothing else. (Rejected: threads. An interpreter fed by hostile
// code should not be able to take the other verdicts with it, and a fork costs a millisecond.)
#include <chrono>
#include <functional>
#include <string>

namespace warpbook::grade {

struct JobEnd {
  bool ok = false;  ///< the job returned; `text` is what it returned
  bool timed_out = false;
  bool interrupted = false;
  int signal = 0;  ///< ended by this signal
  std::string text;
};

struct PoolOptions {
  int jobs = 1;
  std::chrono::milliseconds wall_limit{0};  ///< of each job, 0: none
};

/// Runs job(0) ... job(count - 1), each in a child process, and calls done(i, end) here as they end. Returns false when interrupted;
/// jobs that had not ended then are killed and reported as interrupted.
bool run_pool(int count, const PoolOptions& options, const std::function<std::string(int)>& job,
              const std::function<void(int, const JobEnd&)>& done);

}  // namespace warpbook::grade
