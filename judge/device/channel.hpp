#pragma once
// Whole messages over a connected socket. A message is a header of fixed size and a payload whose length the header gives; the length
// is refused before a byte of it is read when it is larger than the receiver accepts.
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace warpbook::device {

/// In front of every message. `kind` is an Operation in requests and a Code in answers.
struct Header {
  std::uint32_t magic = 0;
  std::int32_t kind = 0;
  std::uint64_t length = 0;
};
static_assert(sizeof(Header) == 16);

/// How long a transfer may take: until a moment, or until `stop` says so (asked a few times a second). Neither: for ever.
struct Patience {
  std::optional<std::chrono::steady_clock::time_point> until{};
  std::function<bool()> stop{};
};

enum class Transfer : std::uint8_t { kDone, kClosed, kTimedOut, kStopped, kBroken, kMalformed };

/// Waits until something (or the end) can be read.
Transfer wait_readable(int socket, const Patience& patience);

/// Sends header and payload. kClosed when the other end is gone; never raises SIGPIPE.
Transfer send_message(int socket, std::uint32_t magic, std::int32_t kind, std::span<const std::byte> payload, const Patience& patience);

/// The largest payload a message of this kind may have; nothing: no such kind.
using LengthLimit = std::function<std::optional<std::uint64_t>(std::int32_t kind)>;

struct Message {
  std::int32_t kind = 0;
  std::vector<std::byte> payload;
};

/// Receives one message. kClosed only between messages; an end in the middle, a wrong magic, an unknown kind or a length above the
/// limit is kMalformed with the reason in `why`. Memory grows with what arrives, not with what the header claims.
Transfer receive_message(int socket, std::uint32_t magic, const LengthLimit& limit, const Patience& patience, Message& message,
                         std::string& why);

}  // namespace warpbook::device
