#pragma once
// A file descriptor that is closed on every way out, and the two ends of a pipe or of a pair of sockets.
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

namespace warpbook {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { reset(); }

  int get() const { return fd_; }
  /// Gives it up to the caller; -1 stays.
  int release() { return std::exchange(fd_, -1); }
  void reset() {
    if (fd_ >= 0) ::close(release());
  }

 private:
  int fd_ = -1;
};

/// Closed on exec, as everything the judge opens. open() is false with errno.
struct Pipe {
  Descriptor read, write;
  bool open() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    read = Descriptor(ends[0]);
    write = Descriptor(ends[1]);
    return true;
  }
};

/// Connected sockets of `type` (SOCK_STREAM, SOCK_SEQPACKET): one for the judge, one for a child.
struct SocketPair {
  Descriptor judge, child;
  bool open(int type) {
    int ends[2];
    if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) != 0) return false;
    judge = Descriptor(ends[0]);
    child = Descriptor(ends[1]);
    return true;
  }
};

}  // namespace warpbook
