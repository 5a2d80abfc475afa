#include "judge/serve/connection.hpp"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace warpbook::serve {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kNextBytes{5000};      ///< between two pieces of a request
constexpr milliseconds kWholeRequest{30000};  ///< of 2 MiB at most
constexpr milliseconds kTaken{5000};          ///< a client that takes nothing of an answer for so long gets no more
constexpr std::size_t kPiece = 1u << 14;

void name_of_peer(int fd, bool remote, std::string& ip, int& port) {
  sockaddr_in address{};
  socklen_t length = sizeof address;
  const auto to = reinterpret_cast<sockaddr*>(&address);
  if ((remote ? ::getpeername(fd, to, &length) : ::getsockname(fd, to, &length)) != 0 || address.sin_family != AF_INET) return;
  char text[INET_ADDRSTRLEN] = {};
  ::inet_ntop(AF_INET, &address.sin_addr, text, sizeof text);
  ip = text;
  port = ntohs(address.sin_port);
}

}  // namespace

bool Connection::wait_for_bytes(milliseconds patience) const {
  pollfd watched[] = {{fd_, POLLIN, 0}, {stop_, POLLIN, 0}};
  int ready = 0;
  do {
    ready = ::poll(watched, 2, static_cast<int>(std::max(milliseconds{0}, patience).count()));
  } while (ready < 0 && errno == EINTR);
  return ready > 0 && watched[1].revents == 0;
}

bool Connection::wait_for_request(milliseconds patience) {
  deadline_ = Clock::now() + kWholeRequest;
  if (taken_ < buffer_.size()) return true;
  if (!wait_for_bytes(patience)) return false;
  deadline_ = Clock::now() + kWholeRequest;
  return true;
}

bool Connection::is_readable() const { return taken_ < buffer_.size() || wait_for_bytes(kNextBytes); }

bool Connection::is_writable() const {
  pollfd watched{fd_, POLLRDHUP, 0};
  return ::poll(&watched, 1, 0) == 0;
}

ssize_t Connection::read(char* to, size_t size) {
  if (taken_ == buffer_.size()) {
    const auto left = std::chrono::duration_cast<milliseconds>(deadline_ - Clock::now());
    if (left.count() <= 0 || !wait_for_bytes(std::min(kNextBytes, left))) return -1;
    buffer_.resize(kPiece);
    taken_ = 0;
    const ssize_t got = ::recv(fd_, buffer_.data(), buffer_.size(), 0);
    buffer_.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    if (got <= 0) return got;
  }
  const std::size_t some = std::min(size, buffer_.size() - taken_);
  std::copy_n(buffer_.data() + taken_, some, to);
  taken_ += some;
  return static_cast<ssize_t>(some);
}

ssize_t Connection::write(const char* from, size_t size) {
  for (;;) {
    const ssize_t sent = ::send(fd_, from, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) return sent;
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return -1;
    pollfd watched{fd_, POLLOUT, 0};
    if (::poll(&watched, 1, static_cast<int>(kTaken.count())) <= 0) return -1;
  }
}

void Connection::get_remote_ip_and_port(std::string& ip, int& port) const { name_of_peer(fd_, true, ip, port); }
void Connection::get_local_ip_and_port(std::string& ip, int& port) const { name_of_peer(fd_, false, ip, port); }

}  // namespace warpbook::serve
