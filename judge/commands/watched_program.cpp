#include "judge/commands/watched_program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <string_view>

#include "judge/run/process.hpp"

extern char** environ;

namespace warpbook::commands {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kLookEveryMs = 20;  // at the program's end: a grandchild may hold the pipe open for long
constexpr std::chrono::seconds kGrace{5};

std::vector<std::string> merged_environment(const std::map<std::string, std::string>& set) {
  std::vector<std::string> lines;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (!set.contains(std::string(text.substr(0, text.find('='))))) lines.emplace_back(text);
  }
  for (const auto& [name, value] : set) lines.push_back(fmt::format("{}={}", name, value));
  return lines;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

/// Collects bytes and hands out whole lines.
class Lines {
 public:
  Lines(int descriptor, const std::function<void(const std::string&)>& on_line) : descriptor_(descriptor), on_line_(on_line) {}

  /// Reads what is there; false at the end.
  bool read() {
    char buffer[1 << 16];
    const ssize_t got = ::read(descriptor_, buffer, sizeof buffer);
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    if (got == 0) return false;
    pending_.append(buffer, static_cast<std::size_t>(got));
    std::size_t begin = 0;
    for (std::size_t end; (end = pending_.find('\n', begin)) != std::string::npos; begin = end + 1)
      on_line_(pending_.substr(begin, end - begin));
    pending_.erase(0, begin);
    return true;
  }

 private:
  int descriptor_;
  const std::function<void(const std::string&)>& on_line_;
  std::string pending_;
};

Result<pid_t> start(const Watched& watched, int descriptor) {
  std::vector<std::string> words = watched.argv, lines = merged_environment(watched.environment(descriptor));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, descriptor, descriptor);  // onto itself: no longer closed on exec
  pid_t pid = 0;
  const int error = posix_spawn(&pid, words[0].c_str(), &actions, nullptr, pointers(words).data(), pointers(lines).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return Error{fmt::format("cannot be started: {}", std::strerror(error)), {words[0]}};
  return pid;
}

WatchedEnd watch(pid_t pid, Lines& lines, int descriptor) {
  bool open = true;
  std::optional<Clock::time_point> interrupted_at;
  int status = 0;
  while (true) {
    pollfd entry{open ? descriptor : -1, POLLIN, 0};
    if (::poll(&entry, 1, kLookEveryMs) > 0) open = lines.read();
    if (run::interrupted() && !interrupted_at) interrupted_at = Clock::now();
    if (interrupted_at && Clock::now() - *interrupted_at > kGrace) ::kill(pid, SIGKILL);
    const pid_t done = ::waitpid(pid, &status, WNOHANG);
    if (done == pid) break;
    if (done < 0 && errno != EINTR) break;
  }
  // What it wrote before its end is still in the pipe, which does not block: our end was made so.
  for (pollfd entry{descriptor, POLLIN, 0}; open && ::poll(&entry, 1, 0) > 0;) open = lines.read();
  if (WIFSIGNALED(status)) return {0, WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}

}  // namespace

Result<WatchedEnd> run_watched(const Watched& watched) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return Error{fmt::format("no pipe for the report: {}", std::strerror(errno))};
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  const Result<pid_t> pid = start(watched, ends[1]);
  ::close(ends[1]);
  if (!pid) {
    ::close(ends[0]);
    return pid.error();
  }
  Lines lines(ends[0], watched.on_line);
  const WatchedEnd end = watch(*pid, lines, ends[0]);
  ::close(ends[0]);
  return end;
}

}  // namespace warpbook::commands
