#pragma once
// The judge's side of a timed conversation (worker_protocol.hpp), on a real GPU: a worker that stays and launches in rounds.
//
// CUDA's events know nothing of another process, and the worker's process is the learner's: what it reports of time is a claim. The clock
// that counts is the judge's, from asking for a round to hearing that it has ended. Starting a round and hearing of it cost something too,
// the same for N launches as for 2 N: the difference is the time of N launches.
#include <memory>
#include <optional>
#include <string>

#include "judge/base/descriptor.hpp"
#include "judge/run/worker.hpp"

namespace warpbook::run {

struct TimedRequest {
  std::filesystem::path worker, runtime, submission;
  TimedOrder order;
  Limits limits;                                 ///< `wall` is ignored: every round has `patience`
  std::chrono::milliseconds patience{10'000};    ///< for one round
  std::chrono::milliseconds start_time{30'000};  ///< for loading everything and opening the memory
  std::map<std::string, std::string> environment;
};

struct RoundTime {
  double wall_seconds = 0;    ///< by the judge's clock
  double device_seconds = 0;  ///< as the worker reports
};

class TimedWorker {
 public:
  /// Starts it and waits until it is ready. One that does not get so far has an outcome() already.
  explicit TimedWorker(TimedRequest request);
  TimedWorker(const TimedWorker&) = delete;
  TimedWorker& operator=(const TimedWorker&) = delete;

  /// Nothing when the worker ended or a launch failed: outcome() says how, as for a worker of one launch. A launch function that only
  /// said no, with the device in good order, leaves the worker running.
  std::optional<RoundTime> round(const Round& round);
  /// Hangs up and ends the worker. Its outputs and how it ended; a worker that did all it was asked replied, with the codes 0.
  const WorkerOutcome& finish();
  const WorkerOutcome& outcome() const { return outcome_; }
  bool running() const { return child_ && !over_; }

 private:
  bool start();
  bool wait_for_word(std::chrono::steady_clock::time_point until);
  std::optional<RoundReply> hear(std::chrono::milliseconds patience);
  void end(WorkerEnding ending, std::string message = {});

  TimedRequest request_;
  SocketPair control_;
  std::optional<Child> child_;
  WorkerOutcome outcome_;
  std::chrono::steady_clock::time_point heard_;  ///< when the last reply could be read
  bool over_ = false;
};

}  // namespace warpbook::run
