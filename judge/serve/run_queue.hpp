#pragma once
// Runs that wait, run, and have ended. A run belongs to the server and not to the page that asked for it: a closed tab loses nothing, a
// reloaded one finds its run where it is, and a second one that asks for the same is given the same. In a class a run also belongs to
// somebody: for everybody else it is not there. And learners take turns: next comes the first run of whoever has the fewest running, and
// among those of whoever was served longest ago, so that a pile of runs holds up nobody but its own owner.
#include <chrono>
#include <condition_variable>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "judge/base/error.hpp"
#include "judge/serve/run_child.hpp"

namespace warpbook::serve {

struct RunQueueOptions {
  int at_once = 1;
  int most_waiting = 32;
  int most_waiting_each = 32;  ///< of one owner
  int most_remembered = 40;    ///< runs that have ended
  StoreWaiting waiting{};
};

enum class RunState { kQueued, kRunning, kEnded, kCancelled, kFailed };
const char* name_of(RunState state);

/// A run as it is now.
struct RunView {
  std::string id, task;
  RunState state = RunState::kQueued;
  int position = 0;  ///< runs before it; of one that waits
  std::vector<std::shared_ptr<const RunEvent>> events;
  bool over() const { return state != RunState::kQueued && state != RunState::kRunning; }
};

class RunQueue {
 public:
  explicit RunQueue(RunQueueOptions options);
  ~RunQueue();
  RunQueue(const RunQueue&) = delete;
  RunQueue& operator=(const RunQueue&) = delete;

  /// The run of this order: the one that waits or runs already, or a new one; without events. The Error says that too many wait.
  Result<RunView> enter(RunOrder order);
  /// Whether this order waits or runs already.
  bool has(const RunOrder& order) const;
  /// False when `owner` has no such run. One that is over stays as it ended.
  bool cancel(const std::string& id, std::int64_t owner);
  std::optional<RunView> look(const std::string& id, std::int64_t owner) const;
  /// The latest runs of a task, newest first, without their events.
  std::vector<RunView> of_task(const std::string& task, std::int64_t owner) const;
  /// Waits until the run has more than `seen` events, is over, or the patience ends; its events from there on.
  std::optional<RunView> wait(const std::string& id, std::int64_t owner, std::size_t seen, std::chrono::milliseconds patience) const;
  /// Cancels all and takes no more; returns when nothing runs.
  void stop();

 private:
  struct Run;
  using RunPointer = std::shared_ptr<Run>;

  RunPointer find(const std::string& id, std::int64_t owner) const;
  RunView view(const Run& run, std::size_t from) const;
  void tell(Run& run, RunEvent event);
  std::vector<RunPointer> in_turn() const;
  void tell_positions();
  void forget_old();
  void work();
  void perform(std::unique_lock<std::mutex>& lock, const RunPointer& run);

  const RunQueueOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable something_;
  std::list<RunPointer> runs_;                    ///< oldest first
  std::map<std::int64_t, std::uint64_t> served_;  ///< when an owner had their latest turn, by turns; nobody here: never
  std::uint64_t turns_ = 0;
  std::vector<std::thread> workers_;
  bool over_ = false;
};

}  // namespace warpbook::serve
