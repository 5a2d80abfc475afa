#include "judge/grade/pool.hpp"

#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <vector>

#include "judge/run/orphans.hpp"
#include "judge/run/process.hpp"

namespace warpbook::grade {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kPollMilliseconds = 50;

struct Running {
  int index = 0;
  pid_t pid = -1;
  int fd = -1;
  Clock::time_point start;
  std::string text;
};

void write_all(int fd, const std::string& text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const ssize_t put = ::write(fd, text.data() + at, text.size() - at);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return;
    at += static_cast<std::size_t>(put);
  }
}

/// A job asks for the same large blocks again, case after case, and then ends: what it gives back to the kernel in between it pays for in
/// page faults.
void keep_memory() {
  constexpr int kLargeBlock = 32 << 20;  // the most that malloc takes for this
  ::mallopt(M_MMAP_THRESHOLD, kLargeBlock);
  ::mallopt(M_TRIM_THRESHOLD, 8 * kLargeBlock);
}

/// Starts job `index`; pid is -1 when the process could not be made.
Running start(int index, const std::function<std::string(int)>& job) {
  Running r;
  r.index = index;
  r.start = Clock::now();
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return r;
  std::fflush(nullptr);  // or the child would print what waits in our buffers a second time
  const pid_t parent = ::getpid();
  r.pid = ::fork();
  if (r.pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    ::close(ends[0]);
    keep_memory();
    write_all(ends[1], job(index));
    ::_exit(0);  // no destructors, no atexit: those belong to the parent
  }
  ::close(ends[1]);
  if (r.pid < 0) {
    ::close(ends[0]);
    return r;
  }
  r.fd = ends[0];
  return r;
}

/// Takes what is in the pipe; true at its end.
bool drain(Running& r) {
  char buffer[65536];
  const ssize_t got = ::read(r.fd, buffer, sizeof buffer);
  if (got > 0) {
    r.text.append(buffer, static_cast<std::size_t>(got));
    return false;
  }
  return got == 0 || errno != EINTR;
}

JobEnd finish(Running& r, bool kill_it) {
  if (kill_it) ::kill(r.pid, SIGKILL);
  int status = 0;
  while (::waitpid(r.pid, &status, 0) < 0 && errno == EINTR) {
  }
  ::close(r.fd);
  JobEnd end;
  end.ok = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  end.text = std::move(r.text);
  return end;
}

}  // namespace

bool run_pool(int count, const PoolOptions& options, const std::function<std::string(int)>& job,
              const std::function<void(int, const JobEnd&)>& done) {
  // A job that is killed cannot end what its own children left behind.
  const run::Orphanage orphanage;
  std::vector<Running> running;
  int next = 0;
  while (next < count || !running.empty()) {
    while (!run::interrupted() && next < count && static_cast<int>(running.size()) < std::max(1, options.jobs)) {
      Running r = start(next, job);
      if (r.pid < 0) done(next, JobEnd{});
      if (r.pid > 0) running.push_back(std::move(r));
      ++next;
    }
    if (run::interrupted()) {
      for (Running& r : running) {
        JobEnd end = finish(r, true);
        end.ok = false;
        end.interrupted = true;
        done(r.index, end);
      }
      return false;
    }
    std::vector<pollfd> fds;
    for (const Running& r : running) fds.push_back({r.fd, POLLIN, 0});
    ::poll(fds.data(), fds.size(), kPollMilliseconds);
    for (std::size_t i = running.size(); i-- > 0;) {
      Running& r = running[i];
      const bool late = options.wall_limit.count() > 0 && Clock::now() - r.start > options.wall_limit;
      const bool ended = (fds[i].revents & (POLLIN | POLLHUP | POLLERR)) != 0 && drain(r);
      if (!ended && !late) continue;
      JobEnd end = finish(r, late && !ended);
      end.timed_out = late && !ended;
      done(r.index, end);
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  return true;
}

}  // namespace warpbook::grade
