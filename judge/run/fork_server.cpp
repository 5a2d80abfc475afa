// The judge's side. Each thread has a server of its own, since a child ends with the thread that started it. A process that was forked from
// a judge (a job of the pool) inherits the object but must not use that server: its workers would be children of another process.
#include "judge/run/fork_server.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "judge/base/descriptor.hpp"
#include "judge/run/worker_protocol.hpp"

namespace warpbook::run {
namespace {

constexpr std::chrono::milliseconds kAnswerTime{20'000};  // for a fork on a machine that is out of breath

Error broken(const char* what) { return Error{fmt::format("{}: {}", what, std::strerror(errno))}; }

class ForkServer {
 public:
  static Result<std::unique_ptr<ForkServer>> start(const ForkServerKey& key, const std::string& submission) {
    SocketPair ends;
    if (!ends.open(SOCK_SEQPACKET)) return broken("no socket for the fork server");
    Command command;
    // The submission is not for the server, but for whoever looks at a list of processes and wonders whose these are.
    command.argv = {key.worker.string(), "--forks", key.runtime.string(), submission};
    command.inherit_environment = false;
    command.set_environment = key.environment;
    command.pass = {{ends.child.get(), kControlDescriptor}};
    Result<Child> child = Child::start(command);
    if (!child) return std::move(child).error();
    return std::unique_ptr<ForkServer>(new ForkServer(key, std::move(*child), std::move(ends.judge)));
  }

  ~ForkServer() {
    // In a forked copy of the judge the server is somebody else's.
    if (::getpid() != owner_) child_.release();
  }

  bool fits(const ForkServerKey& key) { return ::getpid() == owner_ && key == key_ && !child_->poll(); }

  Result<pid_t> fork(const ForkOrder& order, const std::string& submission, const int (&descriptors)[kForkDescriptors]) {
    if (Status sent = send(order, submission, descriptors); !sent) return sent.error();
    pollfd answer{socket_.get(), POLLIN, 0};
    int ready = 0;
    do ready = ::poll(&answer, 1, static_cast<int>(kAnswerTime.count()));
    while (ready < 0 && errno == EINTR && !interrupted());
    std::int32_t pid = 0;
    if (ready <= 0 || ::recv(socket_.get(), &pid, sizeof pid, 0) != static_cast<ssize_t>(sizeof pid))
      return Error{"the fork server does not answer"};
    if (pid > 0) return static_cast<pid_t>(pid);
    errno = -pid;
    return broken("the fork server could not start a worker");
  }

 private:
  ForkServer(ForkServerKey key, Child child, Descriptor socket)
      : key_(std::move(key)), child_(std::make_unique<Child>(std::move(child))), socket_(std::move(socket)), owner_(::getpid()) {}

  Status send(ForkOrder order, const std::string& submission, const int (&descriptors)[kForkDescriptors]) const {
    iovec parts[2] = {{&order, sizeof order}, {const_cast<char*>(submission.data()), submission.size()}};
    alignas(cmsghdr) char space[CMSG_SPACE(sizeof descriptors)] = {};
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    message.msg_control = space;
    message.msg_controllen = sizeof space;
    cmsghdr* head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof descriptors);
    std::memcpy(CMSG_DATA(head), descriptors, sizeof descriptors);
    ssize_t sent = 0;
    do sent = ::sendmsg(socket_.get(), &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    if (sent < 0) return broken("the fork server cannot be told");
    return Done{};
  }

  ForkServerKey key_;
  std::unique_ptr<Child> child_;
  Descriptor socket_;  ///< closed first: then the server ends by itself
  pid_t owner_;
};

thread_local std::unique_ptr<ForkServer> server;

/// From this thread's server; one that does not fit, or has died, is replaced.
Result<pid_t> fork_from_server(const ForkServerKey& key, const ForkOrder& order, const std::string& submission,
                               const int (&descriptors)[kForkDescriptors]) {
  constexpr int kTries = 2;
  Result<pid_t> pid = Error{};
  for (int i = 0; i < kTries && !pid; ++i) {
    if (!server || !server->fits(key)) {
      server.reset();
      Result<std::unique_ptr<ForkServer>> started = ForkServer::start(key, submission);
      if (!started) return std::move(started).error();
      server = std::move(*started);
    }
    pid = server->fork(order, submission, descriptors);
    if (!pid) server.reset();
  }
  return pid;
}

}  // namespace

Result<Child> fork_worker(const ForkServerKey& key, const std::filesystem::path& submission, const Limits& limits, int control,
                          int device) {
  if (interrupted()) return Error{"interrupted"};
  Pipe out, err;
  if (!out.open() || !err.open()) return broken("no pipe to the worker can be made");
  ForkOrder order;
  order.judge = ::getpid();
  order.cpu_seconds = static_cast<std::uint64_t>((limits.cpu.count() + 999) / 1000);
  order.memory = limits.memory;
  order.file_size = limits.file_size;
  const Result<pid_t> pid = fork_from_server(key, order, submission.string(), {control, device, out.write.get(), err.write.get()});
  if (!pid) return pid.error();
  for (const int fd : {out.read.get(), err.read.get()}) ::fcntl(fd, F_SETFL, O_NONBLOCK);
  return Child::adopt(*pid, out.read.release(), err.read.release(), limits);
}

}  // namespace warpbook::run
