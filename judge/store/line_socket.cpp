#include "judge/store/line_socket.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace warpbook::store {
namespace {

constexpr std::chrono::seconds kSendPatience{60};

void set_patience(int descriptor, int option, std::chrono::seconds patience) {
  const timeval limit{static_cast<time_t>(patience.count()), 0};
  ::setsockopt(descriptor, SOL_SOCKET, option, &limit, sizeof limit);
}

bool ran_out(int error) { return error == EAGAIN || error == EWOULDBLOCK; }

}  // namespace

LineSocket::LineSocket(int descriptor, std::size_t longest, std::optional<std::chrono::seconds> patience)
    : descriptor_(descriptor), longest_(longest) {
  set_patience(descriptor, SO_SNDTIMEO, patience.value_or(kSendPatience));
  if (patience) set_patience(descriptor, SO_RCVTIMEO, *patience);
}

Result<std::optional<std::string>> LineSocket::read() {
  std::array<char, 1 << 16> chunk{};
  for (std::size_t looked_at = 0;;) {
    const std::size_t end = buffer_.find('\n', looked_at);
    if (end != std::string::npos && end <= longest_) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return std::optional<std::string>(std::move(line));
    }
    if (buffer_.size() > longest_) return Error{fmt::format("a line has more than {} bytes", longest_)};
    looked_at = buffer_.size();
    const ssize_t got = ::recv(descriptor_, chunk.data(), chunk.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && ran_out(errno)) return Error{"the other side did not answer in time"};
    if (got < 0) return Error{fmt::format("the other side is gone ({})", std::strerror(errno))};
    if (got == 0 && buffer_.empty()) return std::optional<std::string>();
    if (got == 0) return Error{"the other side closed in the middle of a line"};
    buffer_.append(chunk.data(), static_cast<std::size_t>(got));
  }
}

Status LineSocket::write(std::string line) {
  line += '\n';
  for (std::size_t done = 0; done < line.size();) {
    // A broken pipe is an answer here and must not end the process.
    const ssize_t sent = ::send(descriptor_, line.data() + done, line.size() - done, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && ran_out(errno)) return Error{"the other side does not read"};
    if (sent < 0) return Error{fmt::format("the other side is gone ({})", std::strerror(errno))};
    done += static_cast<std::size_t>(sent);
  }
  return Done{};
}

}  // namespace warpbook::store
