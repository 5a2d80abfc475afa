#include "judge/commands/event_lines.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

namespace warpbook::commands {
namespace {

/// Holds SIGPIPE back while it lives and takes away the one that a write has caused. (Ignoring the signal would be inherited by nvcc.)
class NoBrokenPipe {
 public:
  NoBrokenPipe() {
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoBrokenPipe() {
    const timespec now{};
    while (::sigtimedwait(&pipe_, nullptr, &now) < 0 && errno == EINTR) {
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoBrokenPipe(const NoBrokenPipe&) = delete;
  NoBrokenPipe& operator=(const NoBrokenPipe&) = delete;

 private:
  sigset_t pipe_{}, before_{};
};

}  // namespace

Result<EventLines> EventLines::on(int descriptor) {
  const int flags = ::fcntl(descriptor, F_GETFL);
  if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
    return Error{fmt::format("--events {}: is no descriptor that is open for writing", descriptor)};
  ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  EventLines lines;
  lines.descriptor_ = descriptor;
  return lines;
}

void EventLines::tell(const std::string& event, const nlohmann::json& data) {
  if (descriptor_ < 0) return;
  const nlohmann::json line = {{"event", event}, {"data", data}};
  const std::string text = line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  const NoBrokenPipe held;
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = ::write(descriptor_, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      descriptor_ = -1;
      return;
    }
    done += static_cast<std::size_t>(written);
  }
}

}  // namespace warpbook::commands
