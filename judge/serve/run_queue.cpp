#include "judge/serve/run_queue.hpp"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <random>

namespace warpbook::serve {
namespace {

/// Nobody guesses the run of another learner.
std::string fresh_run_id() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}", device(), device());
}

}  // namespace

const char* name_of(RunState state) {
  switch (state) {
    case RunState::kQueued: return "queued";
    case RunState::kRunning: return "running";
    case RunState::kEnded: return "ended";
    case RunState::kCancelled: return "cancelled";
    case RunState::kFailed: return "failed";
  }
  return "failed";
}

struct RunQueue::Run {
  std::string id = fresh_run_id(), key;
  RunOrder order;
  RunState state = RunState::kQueued;
  int position = -1;  ///< as it was told
  std::vector<std::shared_ptr<const RunEvent>> events;
  int cancel = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  mutable std::condition_variable news;

  ~Run() { ::close(cancel); }
  bool over() const { return state != RunState::kQueued && state != RunState::kRunning; }
  void ask_to_end() const {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(cancel, &one, sizeof one);
  }
};

RunQueue::RunQueue(RunQueueOptions options) : options_(std::move(options)) {
  for (int i = 0; i < std::max(1, options_.at_once); ++i) workers_.emplace_back([this] { work(); });
}

RunQueue::~RunQueue() { stop(); }

Result<RunView> RunQueue::enter(RunOrder order) {
  const std::lock_guard lock(mutex_);
  const std::string key = order.key();
  int waiting = 0, own = 0;
  for (const RunPointer& run : runs_) {
    if (!run->over() && run->key == key) return view(*run, run->events.size());
    if (run->state != RunState::kQueued) continue;
    ++waiting;
    own += run->order.owner == order.owner ? 1 : 0;
  }
  if (over_) return Error{"the server is ending"};
  if (own >= options_.most_waiting_each)
    return Error{
        fmt::format("{} of your runs {} waiting already, expected at most {}", own, own == 1 ? "is" : "are", options_.most_waiting_each)};
  if (waiting >= options_.most_waiting) return Error{fmt::format("{} runs are waiting already", waiting)};
  const auto run = std::make_shared<Run>();
  run->key = key;
  run->order = std::move(order);
  runs_.push_back(run);
  tell_positions();
  something_.notify_one();
  return view(*run, run->events.size());
}

bool RunQueue::has(const RunOrder& order) const {
  const std::string key = order.key();
  const std::lock_guard lock(mutex_);
  return std::any_of(runs_.begin(), runs_.end(), [&](const RunPointer& run) { return !run->over() && run->key == key; });
}

bool RunQueue::cancel(const std::string& id, std::int64_t owner) {
  const std::lock_guard lock(mutex_);
  const RunPointer run = find(id, owner);
  if (!run) return false;
  if (run->state == RunState::kQueued) {
    run->state = RunState::kCancelled;
    tell(*run, {"cancelled", nlohmann::json::object()});
    tell_positions();
  } else if (!run->over()) {
    run->ask_to_end();
  }
  return true;
}

std::optional<RunView> RunQueue::look(const std::string& id, std::int64_t owner) const {
  const std::lock_guard lock(mutex_);
  const RunPointer run = find(id, owner);
  if (!run) return std::nullopt;
  return view(*run, 0);
}

std::vector<RunView> RunQueue::of_task(const std::string& task, std::int64_t owner) const {
  const std::lock_guard lock(mutex_);
  std::vector<RunView> out;
  for (auto run = runs_.rbegin(); run != runs_.rend(); ++run)
    if ((*run)->order.task == task && (*run)->order.owner == owner) out.push_back(view(**run, (*run)->events.size()));
  return out;
}

std::optional<RunView> RunQueue::wait(const std::string& id, std::int64_t owner, std::size_t seen,
                                      std::chrono::milliseconds patience) const {
  std::unique_lock lock(mutex_);
  const RunPointer run = find(id, owner);
  if (!run) return std::nullopt;
  run->news.wait_for(lock, patience, [&] { return over_ || run->over() || run->events.size() > seen; });
  return view(*run, seen);
}

void RunQueue::stop() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
    for (const RunPointer& run : runs_) {
      run->ask_to_end();
      run->news.notify_all();
    }
    something_.notify_all();
  }
  for (std::thread& worker : workers_) worker.join();
  workers_.clear();
}

/// A run of somebody else is as if it were not there.
RunQueue::RunPointer RunQueue::find(const std::string& id, std::int64_t owner) const {
  const auto found =
      std::find_if(runs_.begin(), runs_.end(), [&](const RunPointer& run) { return run->id == id && run->order.owner == owner; });
  return found == runs_.end() ? nullptr : *found;
}

RunView RunQueue::view(const Run& run, std::size_t from) const {
  RunView view{run.id, run.order.task, run.state, std::max(0, run.position), {}};
  for (std::size_t i = from; i < run.events.size(); ++i) view.events.push_back(run.events[i]);
  return view;
}

void RunQueue::tell(Run& run, RunEvent event) {
  run.events.push_back(std::make_shared<const RunEvent>(std::move(event)));
  run.news.notify_all();
}

/// The runs that wait, in the order in which they will run if nothing else is asked for.
std::vector<RunQueue::RunPointer> RunQueue::in_turn() const {
  std::map<std::int64_t, int> ahead;  // of each owner: what runs, and what waits before
  for (const RunPointer& run : runs_) ahead[run->order.owner] += run->state == RunState::kRunning ? 1 : 0;
  struct Waiting {
    int ahead;
    std::uint64_t served;
    RunPointer run;
  };
  std::vector<Waiting> waiting;
  for (const RunPointer& run : runs_) {
    if (run->state != RunState::kQueued) continue;
    const auto served = served_.find(run->order.owner);
    waiting.push_back({ahead[run->order.owner]++, served == served_.end() ? 0 : served->second, run});
  }
  std::stable_sort(waiting.begin(), waiting.end(),
                   [](const Waiting& a, const Waiting& b) { return a.ahead != b.ahead ? a.ahead < b.ahead : a.served < b.served; });
  std::vector<RunPointer> out;
  for (Waiting& one : waiting) out.push_back(std::move(one.run));
  return out;
}

/// How many runs come before it: told at once when a run is entered, and again when it has changed.
void RunQueue::tell_positions() {
  const auto running = std::count_if(runs_.begin(), runs_.end(), [](const RunPointer& r) { return r->state == RunState::kRunning; });
  int before = std::max(0, static_cast<int>(running) + 1 - std::max(1, options_.at_once));
  for (const RunPointer& run : in_turn()) {
    if (run->position != before) tell(*run, {"queued", {{"position", before}}});
    run->position = before++;
  }
}

void RunQueue::forget_old() {
  auto over = std::count_if(runs_.begin(), runs_.end(), [](const RunPointer& r) { return r->over(); });
  for (auto run = runs_.begin(); run != runs_.end() && over > options_.most_remembered;) {
    if ((*run)->over()) {
      run = runs_.erase(run);
      --over;
    } else {
      ++run;
    }
  }
}

void RunQueue::work() {
  std::unique_lock lock(mutex_);
  const auto waits = [this] {
    return std::any_of(runs_.begin(), runs_.end(), [](const RunPointer& run) { return run->state == RunState::kQueued; });
  };
  for (;;) {
    something_.wait(lock, [&] { return over_ || waits(); });
    if (over_) return;
    perform(lock, in_turn().front());
    forget_old();
  }
}

/// The lock is open while the run runs.
void RunQueue::perform(std::unique_lock<std::mutex>& lock, const RunPointer& run) {
  run->state = RunState::kRunning;
  served_[run->order.owner] = ++turns_;
  tell_positions();
  lock.unlock();
  const RunEnd end = run_child(run->order, options_.waiting, run->cancel, [&](RunEvent event) {
    const std::lock_guard telling(mutex_);
    // With the result the run is over, though its process may still print: nobody should wait for that.
    if (event.name == "result") run->state = RunState::kEnded;
    tell(*run, std::move(event));
  });
  lock.lock();
  run->order.text.clear();
  run->order.workbook.progress.reset();
  if (end.ending == RunEnding::kResult) return;
  run->state = end.ending == RunEnding::kCancelled ? RunState::kCancelled : RunState::kFailed;
  if (end.ending == RunEnding::kCancelled) tell(*run, {"cancelled", nlohmann::json::object()});
  if (end.ending == RunEnding::kFailed) tell(*run, {"failed", {{"message", end.message}}});
}

}  // namespace warpbook::serve
