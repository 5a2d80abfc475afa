#include "judge/device/channel.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>

namespace warpbook::device {
namespace {

constexpr std::chrono::milliseconds kAskStopEvery{100};
constexpr std::size_t kGrowth = std::size_t{1} << 20;  // bytes of a payload that are reserved at once

/// Waits for `events`; kDone when the socket is ready.
Transfer wait_for(int socket, short events, const Patience& patience) {
  for (;;) {
    if (patience.stop && patience.stop()) return Transfer::kStopped;
    int timeout = patience.stop ? static_cast<int>(kAskStopEvery.count()) : -1;
    if (patience.until) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(*patience.until - std::chrono::steady_clock::now()).count();
      if (left <= 0) return Transfer::kTimedOut;
      timeout = timeout < 0 ? static_cast<int>(std::min<long long>(left, 1 << 30)) : static_cast<int>(std::min<long long>(left, timeout));
    }
    pollfd entry{socket, events, 0};
    const int ready = ::poll(&entry, 1, timeout);
    if (ready > 0) return Transfer::kDone;
    if (ready < 0 && errno != EINTR) return Transfer::kBroken;
  }
}

Transfer send_all(int socket, iovec* parts, std::size_t count, const Patience& patience) {
  while (count > 0) {
    if (parts->iov_len == 0) {
      ++parts, --count;
      continue;
    }
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = count;
    ssize_t sent = ::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      if (const Transfer waited = wait_for(socket, POLLOUT, patience); waited != Transfer::kDone) return waited;
      continue;
    }
    if (sent < 0) return errno == EPIPE || errno == ECONNRESET ? Transfer::kClosed : Transfer::kBroken;
    for (; count > 0 && static_cast<std::size_t>(sent) >= parts->iov_len; ++parts, --count) sent -= static_cast<ssize_t>(parts->iov_len);
    if (count == 0) break;
    parts->iov_base = static_cast<char*>(parts->iov_base) + sent;
    parts->iov_len -= static_cast<std::size_t>(sent);
  }
  return Transfer::kDone;
}

/// Fills `to`; `got` says how far it came.
Transfer receive_all(int socket, std::span<std::byte> to, const Patience& patience, std::size_t& got) {
  got = 0;
  while (got < to.size()) {
    const ssize_t taken = ::recv(socket, to.data() + got, to.size() - got, MSG_DONTWAIT);
    if (taken > 0) {
      got += static_cast<std::size_t>(taken);
      continue;
    }
    if (taken == 0) return Transfer::kClosed;
    if (errno == EINTR) continue;
    if (errno == ECONNRESET) return Transfer::kClosed;
    if (errno != EAGAIN && errno != EWOULDBLOCK) return Transfer::kBroken;
    if (const Transfer waited = wait_for(socket, POLLIN, patience); waited != Transfer::kDone) return waited;
  }
  return Transfer::kDone;
}

}  // namespace

Transfer wait_readable(int socket, const Patience& patience) { return wait_for(socket, POLLIN, patience); }

Transfer send_message(int socket, std::uint32_t magic, std::int32_t kind, std::span<const std::byte> payload, const Patience& patience) {
  Header header{magic, kind, payload.size()};
  iovec parts[2] = {{&header, sizeof header}, {const_cast<std::byte*>(payload.data()), payload.size()}};
  return send_all(socket, parts, 2, patience);
}

Transfer receive_message(int socket, std::uint32_t magic, const LengthLimit& limit, const Patience& patience, Message& message,
                         std::string& why) {
  Header header;
  std::size_t got = 0;
  const Transfer first = receive_all(socket, std::as_writable_bytes(std::span(&header, 1)), patience, got);
  if (first == Transfer::kClosed && got > 0) {
    why = fmt::format("the connection ended after {} of {} header bytes", got, sizeof header);
    return Transfer::kMalformed;
  }
  if (first != Transfer::kDone) return first;
  if (header.magic != magic) {
    why = fmt::format("a message begins with {:#010x} when it should begin with {:#010x}", header.magic, magic);
    return Transfer::kMalformed;
  }
  const auto most = limit(header.kind);
  if (!most) {
    why = fmt::format("there is no message of kind {}", header.kind);
    return Transfer::kMalformed;
  }
  if (header.length > *most) {
    why = fmt::format("a message of kind {} is {} bytes long when it should be at most {}", header.kind, header.length, *most);
    return Transfer::kMalformed;
  }
  message.kind = header.kind;
  message.payload.clear();
  while (message.payload.size() < header.length) {
    const std::size_t have = message.payload.size();
    const auto step = static_cast<std::size_t>(std::min<std::uint64_t>(header.length - have, kGrowth));
    message.payload.resize(have + step);
    const Transfer next = receive_all(socket, std::span(message.payload).subspan(have), patience, got);
    if (next == Transfer::kClosed) {
      why = fmt::format("the connection ended after {} of {} payload bytes", have + got, header.length);
      return Transfer::kMalformed;
    }
    if (next != Transfer::kDone) return next;
  }
  return Transfer::kDone;
}

}  // namespace warpbook::device
