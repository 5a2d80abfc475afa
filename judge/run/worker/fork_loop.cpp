#include "judge/run/worker/fork_loop.hpp"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>

#include "judge/run/fork_server.hpp"
#include "judge/run/own_limits.hpp"
#include "judge/run/privacy.hpp"
#include "judge/run/worker_protocol.hpp"

namespace warpbook::run {
namespace {

constexpr std::size_t kLongestPath = 4096;

/// One message of the judge.
struct Received {
  ForkOrder order;
  char submission[kLongestPath + 1] = {};
  int descriptors[kForkDescriptors] = {-1, -1, -1, -1};

  ~Received() {
    for (const int fd : descriptors)
      if (fd >= 0) ::close(fd);
  }
};

/// False when the judge is gone or sends what it never would.
bool receive(Received& into) {
  iovec parts[2] = {{&into.order, sizeof into.order}, {into.submission, kLongestPath}};
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof into.descriptors)] = {};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  message.msg_control = space;
  message.msg_controllen = sizeof space;
  ssize_t got = 0;
  do got = ::recvmsg(kControlDescriptor, &message, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  const cmsghdr* head = got > 0 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (head == nullptr || head->cmsg_type != SCM_RIGHTS || head->cmsg_len != CMSG_LEN(sizeof into.descriptors)) return false;
  std::memcpy(into.descriptors, CMSG_DATA(head), sizeof into.descriptors);
  return static_cast<std::size_t>(got) > sizeof into.order && into.order.magic == kForkMagic;
}

/// stdin, stdout, stderr, control, device: 0 to 4. First out of the way of one another, then into place.
bool place(const Received& received) {
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int wanted[] = {nothing, received.descriptors[2], received.descriptors[3], received.descriptors[0], received.descriptors[1]};
  int high[std::size(wanted)];
  for (std::size_t i = 0; i < std::size(wanted); ++i)
    if ((high[i] = ::fcntl(wanted[i], F_DUPFD_CLOEXEC, static_cast<int>(std::size(wanted)))) < 0) return false;
  for (std::size_t i = 0; i < std::size(wanted); ++i)
    if (::dup2(high[i], static_cast<int>(i)) < 0) return false;
  return true;
}

/// A child of the judge: what spawn.cpp does between vfork and exec, here without the exec.
void become_worker(const Received& received) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_DUMPABLE, 1);  // its own memory is its own business again
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || ::getppid() != received.order.judge) ::_exit(1);
  Limits limits;
  limits.cpu = std::chrono::seconds(received.order.cpu_seconds);
  limits.memory = received.order.memory;
  limits.file_size = received.order.file_size;
  give_up_looking();
  if (!place(received) || !set_own_limits(limits)) ::_exit(1);
}

/// fork(), but the new process is a child of our parent. The C library offers no such call; this process has one thread and no handlers of
/// pthread_atfork that matter.
pid_t fork_sibling() { return static_cast<pid_t>(::syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0)); }

}  // namespace

void serve_forks(const std::function<void(const char* submission)>& work) {
  // No other process of this user may reach into the memory that all workers begin with.
  ::prctl(PR_SET_DUMPABLE, 0);
  for (;;) {
    Received received;
    if (!receive(received)) ::_exit(0);
    const pid_t pid = fork_sibling();
    if (pid == 0) {
      become_worker(received);
      work(received.submission);
      ::_exit(1);
    }
    if (pid > 0) ::setpgid(pid, pid);  // in both processes, so that it holds whoever comes first
    const std::int32_t answer = pid > 0 ? pid : -errno;
    if (::send(kControlDescriptor, &answer, sizeof answer, MSG_NOSIGNAL) < 0) ::_exit(0);
  }
}

}  // namespace warpbook::run
