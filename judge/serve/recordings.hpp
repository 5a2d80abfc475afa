#pragma once
// Who waits for a recording of the time machine. One is made at a time: a trace holds a whole block's steps, and two at once would take
// twice the memory and be no sooner. Whoever asked can take it back, waiting or at work.
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "judge/run/process.hpp"

namespace warpbook::serve {

class Recordings {
 public:
  /// Those that wait for the one that is made; more would only wait longer than anybody does.
  static constexpr int kMostWaiting = 8;

  struct Wish {
    std::int64_t person = 0;
    std::string task;
    std::atomic<bool> cancelled{false};
  };

  /// A place in the queue; it is left when this goes.
  class Turn {
   public:
    Turn(Recordings& of, std::shared_ptr<Wish> wish) : of_(of), wish_(std::move(wish)) {}
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    /// Waits until all before it are done. False: it was cancelled meanwhile.
    bool wait();
    /// Runs a child, which a cancelled wish ends. Nothing: it was cancelled.
    Result<std::optional<run::Outcome>> run(const run::Command& command);

   private:
    Recordings& of_;
    std::shared_ptr<Wish> wish_;
  };

  /// Null: too many wait already, or `most` of this person's are waiting or being made.
  std::unique_ptr<Turn> join(std::int64_t person, const std::string& task, int most = kMostWaiting + 1);
  /// Takes back what this person asked for of this task; how many that were.
  int cancel(std::int64_t person, const std::string& task);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Wish>> queue_;  ///< the first is being made
};

}  // namespace warpbook::serve
