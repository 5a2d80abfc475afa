// One thread waits with poll() for whatever comes first: a device call (served at once), the reply, the worker's end, or a limit. The
// device runs inside of this loop, so its time is known and taken out of the wall clock: how long a launch takes here depends on the
// machine, and a verdict must not.
#include "judge/run/worker.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "judge/base/descriptor.hpp"
#include "judge/run/fork_server.hpp"

namespace warpbook::run {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kLookEvery{100};   // at limits that nothing announces
constexpr milliseconds kReplyTime{1000};  // from the first byte of a reply to its last
constexpr milliseconds kGoodbye{1000};    // from the reply to the worker's own end

WorkerOutcome not_started(std::string message) {
  WorkerOutcome outcome;
  outcome.message = std::move(message);
  return outcome;
}

class Session {
 public:
  Session(const WorkerRequest& request, Child child, SocketPair control, SocketPair device_pair, device::Device* device)
      : request_(request), child_(std::move(child)), control_(std::move(control)), device_pair_(std::move(device_pair)) {
    // Our copies of the worker's ends would keep its sockets open after its death.
    control_.child.reset();
    device_pair_.child.reset();
    if (!device) return;
    device::ServeHooks hooks = request.hooks;
    hooks.stop = [this, also = request.hooks.stop] { return interrupted() || child_.poll() || (also && also()); };
    server_.emplace(device_pair_.judge.get(), *device, request.serve_limits, std::move(hooks));
  }

  WorkerOutcome run() {
    if (const Status sent = send_order(control_.judge.get(), request_.order); !sent) {
      // A worker that could not load the submission may be gone by now; what it said is still in the socket.
      look_at_control();
      end(WorkerEnding::kExitedEarly, sent.error().what);
    }
    while (!ended_ && !child_.poll()) {
      wait();
      look_at_device();
      look_at_control();
      look_at_clock();
    }
    // A reply that was sent before the end is still in the socket.
    if (!ended_) look_at_control();
    return close();
  }

 private:
  void end(WorkerEnding ending, std::string message = {}) {
    if (ended_) return;
    ended_ = ending;
    outcome_.message = std::move(message);
  }

  Clock::duration device_time() const { return server_ ? server_->report().device_time : Clock::duration{0}; }
  Clock::duration worker_time() const { return Clock::now() - started_ - device_time(); }

  void wait() {
    milliseconds patience = kLookEvery;
    if (request_.limits.wall.count() > 0)
      patience = std::clamp(std::chrono::ceil<milliseconds>(request_.limits.wall - worker_time()), milliseconds{0}, patience);
    // poll() passes over the number -1: a device that is not there or not open any more.
    std::vector<pollfd> watched = {{server_ && device_open_ ? device_pair_.judge.get() : -1, POLLIN, 0}, {control_.judge.get(), POLLIN, 0}};
    watch_child(watched, patience);
    device_ready_ = watched[0].revents != 0;
    control_ready_ = watched[1].revents != 0;
  }

  /// Sleeps until one of `watched` is ready, or the worker prints or ends (child_.poll() sees to that).
  void watch_child(std::vector<pollfd>& watched, milliseconds patience) {
    for (const int fd : child_.descriptors()) watched.push_back({fd, POLLIN, 0});
    if (::poll(watched.data(), watched.size(), static_cast<int>(patience.count())) >= 0) return;
    for (pollfd& entry : watched) entry.revents = 0;  // interrupted by a signal
  }

  void look_at_device() {
    if (!device_ready_) return;
    switch (server_->serve_one()) {
      case device::Turn::kServed: break;
      case device::Turn::kClosed: device_open_ = false; break;
      case device::Turn::kViolation: end(WorkerEnding::kViolation, server_->report().violation); break;
      case device::Turn::kStopped:
        if (interrupted()) end(WorkerEnding::kInterrupted);
        break;
    }
  }

  void look_at_control() {
    if (ended_) return;
    pollfd now{control_.judge.get(), POLLIN, 0};
    if (!control_ready_ && (::poll(&now, 1, 0) <= 0)) return;
    device::Patience patience;
    patience.until = Clock::now() + kReplyTime;
    Result<WorkerReply> reply = receive_reply(control_.judge.get(), patience);
    if (reply) {
      outcome_.reply = std::move(*reply);
      return end(WorkerEnding::kReplied);
    }
    if (!reply.error().what.empty()) return end(WorkerEnding::kViolation, reply.error().what);
    // Closed without a reply: it is ending by itself, or will not be heard of again.
    end(WorkerEnding::kExitedEarly);
  }

  void look_at_clock() {
    if (interrupted()) return end(WorkerEnding::kInterrupted);
    if (device_time() > request_.device_time) return end(WorkerEnding::kDeviceLimit);
    if (request_.limits.wall.count() > 0 && worker_time() > request_.limits.wall) end(WorkerEnding::kWallLimit);
  }

  /// Lets the worker end by itself for a moment where that tells us more, then ends it.
  WorkerOutcome close() {
    const bool may_go_by_itself = ended_ == WorkerEnding::kReplied || ended_ == WorkerEnding::kExitedEarly;
    const auto until = Clock::now() + kGoodbye;
    while (may_go_by_itself && !child_.poll() && Clock::now() < until) {
      std::vector<pollfd> watched;
      watch_child(watched, kLookEvery);
    }
    const bool by_us = !child_.poll();
    if (by_us) child_.kill();
    Outcome process = child_.wait();
    outcome_.out = std::move(process.out);
    outcome_.err = std::move(process.err);
    outcome_.wall_seconds = process.wall_seconds;
    outcome_.cpu_seconds = process.cpu_seconds;
    outcome_.code = process.code;
    if (server_) outcome_.device = server_->report();
    outcome_.ending = judge(process, by_us);
    return std::move(outcome_);
  }

  /// Its own end explains more than what we saw of it: a crash in the middle of a message looks like a violation.
  WorkerEnding judge(const Outcome& process, bool by_us) const {
    if (ended_ == WorkerEnding::kReplied) return *ended_;
    if (process.ending == Ending::kCpuLimit) return WorkerEnding::kCpuLimit;
    if (process.ending == Ending::kInterrupted) return WorkerEnding::kInterrupted;
    if (by_us) return *ended_;
    if (process.ending == Ending::kSignalled) return WorkerEnding::kCrashed;
    return ended_ == WorkerEnding::kViolation ? WorkerEnding::kViolation : WorkerEnding::kExitedEarly;
  }

  const WorkerRequest& request_;
  Child child_;
  SocketPair control_, device_pair_;
  std::optional<device::Server> server_;
  std::optional<WorkerEnding> ended_;
  WorkerOutcome outcome_;
  Clock::time_point started_ = Clock::now();
  bool device_open_ = true, device_ready_ = false, control_ready_ = false;
};

constexpr const char* kDeviceVariable = "WARPBOOK_DEVICE_FD";

/// As a program of its own. NVIDIA's runtime, which is not made to be loaded before a fork, gets no other; `device` is -1 then.
Result<Child> start_alone(const WorkerRequest& request, const Limits& limits, int control, int device) {
  Command command;
  command.argv = {request.worker.string(), request.runtime.string(), request.submission.string()};
  command.inherit_environment = false;
  command.set_environment = request.environment;
  command.pass = {{control, kControlDescriptor}};
  if (device >= 0) {
    command.pass.emplace_back(device, kDeviceDescriptor);
    command.set_environment[kDeviceVariable] = std::to_string(kDeviceDescriptor);
  }
  command.limits = limits;
  return Child::start(command);
}

Result<Child> fork_on(const WorkerRequest& request, const Limits& limits, int control, int device) {
  ForkServerKey key{request.worker, request.runtime, request.environment};
  key.environment[kDeviceVariable] = std::to_string(kDeviceDescriptor);
  return fork_worker(key, request.submission, limits, control, device);
}

/// Whether this process asks for its first worker. Many processes of the judge ask for one only: for them a server would be a detour.
bool is_first_worker() {
  static std::atomic<pid_t> asked{0};  // a forked process inherits its parent's number, and has another
  return asked.exchange(::getpid()) != ::getpid();
}

}  // namespace

Result<WorkerFiles> find_worker_files() {
  std::error_code failure;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", failure);
  if (failure) return Error{"the running program's own path cannot be read"};
  WorkerFiles files{self.parent_path() / "warpbook-worker", self.parent_path().parent_path() / "lib" / "cudart13" / "libcudart.so.13"};
  for (const auto& file : {files.worker, files.runtime})
    if (!std::filesystem::exists(file, failure)) return Error{"does not exist: the build is not complete", {file.string()}};
  return files;
}

WorkerOutcome run_worker(const WorkerRequest& request, device::Device* device) {
  SocketPair control, device_pair;
  if (!control.open(SOCK_STREAM) || (device && !device_pair.open(SOCK_STREAM)))
    return not_started(fmt::format("no socket for the worker: {}", std::strerror(errno)));
  Limits limits = request.limits;
  limits.wall = milliseconds{0};  // ours to watch: without the device's time
  const int device_end = device ? device_pair.child.get() : -1;
  Result<Child> child = device && !is_first_worker() ? fork_on(request, limits, control.child.get(), device_end)
                                                     : start_alone(request, limits, control.child.get(), device_end);
  if (!child) return interrupted() ? WorkerOutcome{WorkerEnding::kInterrupted} : not_started(child.error().text());
  return Session(request, std::move(*child), std::move(control), std::move(device_pair), device).run();
}

}  // namespace warpbook::run
