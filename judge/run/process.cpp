// Watching a child until it ends.
//
// One poll() waits for four things: its stdout, its stderr, its end (a pidfd; where the kernel has none, a look every few
// milliseconds) and an interruption of the judge. Reading both pipes as they fill means that a talkative child never blocks on us
// while we wait for it. When the leader has ended, whatever is left of its group is killed *before* the leader is reaped: until then
// its number cannot be given to another process.
#include "judge/run/process.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "judge/run/interrupt.hpp"
#include "judge/run/spawn.hpp"

namespace warpbook::run {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kLookWithoutPidfd{5};
constexpr int kForever = -1;
constexpr int kReadsInARow = 32;  // 2 MiB: more than a pipe holds

void close_end(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

/// Reads what is there; keeps at most `keep` bytes in `text`; closes `fd` at its end. Bounded, so that a child that never stops
/// writing cannot keep us from looking at the clock.
void drain(int& fd, std::string& text, std::uint64_t keep) {
  char buffer[1 << 16];
  for (int round = 0; fd >= 0 && round < kReadsInARow; ++round) {
    const ssize_t got = ::read(fd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) return close_end(fd);
    const std::uint64_t room = keep - std::min<std::uint64_t>(keep, text.size());
    text.append(buffer, static_cast<std::size_t>(std::min<std::uint64_t>(room, static_cast<std::uint64_t>(got))));
  }
}

double seconds(const timeval& time) { return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6; }

}  // namespace

struct Child::State {
  Spawned process;
  int pidfd = -1;
  Limits limits;
  Clock::time_point started = Clock::now();
  std::optional<Ending> ended_by_us;  ///< why we killed it, if we did
  bool done = false;
  Outcome outcome;

  void drain_both() {
    drain(process.out, outcome.out, limits.output);
    drain(process.err, outcome.err, limits.output);
  }

  void end(Ending why) {
    if (!ended_by_us) ended_by_us = why;
    ::kill(-process.pid, SIGKILL);
  }

  /// Ends the child when it may not go on; then its end is near and waiting for it is short.
  void enforce() {
    if (ended_by_us) return;
    if (interrupted()) return end(Ending::kInterrupted);
    if (limits.wall.count() > 0 && Clock::now() - started >= limits.wall) end(Ending::kWallLimit);
  }

  bool leader_ended() const {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(process.pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == process.pid;
  }

  void reap() {
    ::kill(-process.pid, SIGKILL);  // what the leader left behind
    drain_both();
    int status = 0;
    rusage usage{};
    while (::wait4(process.pid, &status, 0, &usage) < 0 && errno == EINTR) {
    }
    outcome.wall_seconds = std::chrono::duration<double>(Clock::now() - started).count();
    outcome.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
    outcome.ending = WIFEXITED(status) ? Ending::kExited : Ending::kSignalled;
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
    const bool over_cpu = limits.cpu.count() > 0 && outcome.cpu_seconds * 1000 > static_cast<double>(limits.cpu.count());
    if (over_cpu || (limits.cpu.count() > 0 && outcome.ending == Ending::kSignalled && outcome.code == SIGXCPU))
      outcome.ending = Ending::kCpuLimit;
    // It may have ended by itself in the moment before our signal: then that stands.
    if (ended_by_us && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) outcome.ending = *ended_by_us;
    close();
    done = true;
  }

  void close() {
    close_end(process.out);
    close_end(process.err);
    close_end(pidfd);
  }

  int patience() const {
    milliseconds most{kForever};
    if (limits.wall.count() > 0 && !ended_by_us) {
      const auto left = std::chrono::ceil<milliseconds>(started + limits.wall - Clock::now());
      most = std::max(left, milliseconds{0});
    }
    if (pidfd < 0) most = most.count() < 0 ? kLookWithoutPidfd : std::min(most, kLookWithoutPidfd);
    return static_cast<int>(most.count());
  }

  void sleep_until_something() const {
    pollfd watched[4];
    nfds_t count = 0;
    const int interrupt = ended_by_us ? -1 : interrupt_descriptor();
    for (int fd : {process.out, process.err, pidfd, interrupt})
      if (fd >= 0) watched[count++] = pollfd{fd, POLLIN, 0};
    ::poll(watched, count, patience());  // EINTR is as good as a timeout: the loop looks at everything anyway
  }
};

Child::Child() : state_(new State) {}
Child::Child(Child&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
Child& Child::operator=(Child&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}

Child::~Child() {
  if (state_ == nullptr) return;
  if (!state_->done) {
    kill();
    wait();
  }
  delete state_;
}

Result<Child> Child::start(const Command& command) {
  if (interrupted()) return Error{"interrupted"};
  Result<Spawned> spawned = spawn(command);
  if (!spawned) return std::move(spawned).error();
  return adopt(spawned->pid, spawned->out, spawned->err, command.limits);
}

Child Child::adopt(int pid, int out, int err, const Limits& limits) {
  Child child;
  State& state = *child.state_;
  state.process = {pid, out, err};
  state.limits = limits;
  state.started = Clock::now();
#ifdef SYS_pidfd_open
  state.pidfd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
#endif
  return child;
}

int Child::pid() const { return state_->process.pid; }

bool Child::poll() {
  State& state = *state_;
  if (state.done) return true;
  state.drain_both();
  state.enforce();
  if (state.leader_ended()) state.reap();
  return state.done;
}

std::vector<int> Child::descriptors() const {
  std::vector<int> open;
  for (int fd : {state_->process.out, state_->process.err, state_->pidfd})
    if (fd >= 0) open.push_back(fd);
  return open;
}

Outcome Child::wait() {
  while (!poll()) state_->sleep_until_something();
  return state_->outcome;
}

void Child::kill() {
  if (!state_->done) state_->end(Ending::kSignalled);
}

Result<Outcome> run(const Command& command) {
  Result<Child> child = Child::start(command);
  if (!child) return std::move(child).error();
  return child->wait();
}

}  // namespace warpbook::run
