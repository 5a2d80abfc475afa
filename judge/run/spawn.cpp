// From vfork to exec.
//
// posix_spawn would be shorter, but it can set neither limits nor the signal that ends a child with its parent, so this is vfork and
// exec. The child runs in the judge's own memory: between the two calls it may only make system calls, hence everything that allocates
// (argument vectors, the list of files to try, the table of descriptors) is made ready before. If a step fails in the child, it sends its
// name and errno through a pipe that a successful exec closes, so that the caller gets a sentence instead of exit status 127.
//
// Descriptors. Those to pass are first copied above every target number, so that no copy overwrites one still needed (passing 5 as 6
// and 6 as 5 works). Then all above 2 are marked close-on-exec, whoever opened them, and the targets are made: nothing else leaks in.
#include "judge/run/spawn.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "judge/run/own_limits.hpp"
#include "judge/run/privacy.hpp"

extern char** environ;

namespace warpbook::run {
namespace {

enum class Stage { kPrepare, kFolder, kLimits, kDescriptors, kExec };

/// What the child reports when it cannot become the program.
struct Failure {
  Stage stage;
  int error;
};

/// All that the child needs, allocated before the fork.
struct Plan {
  std::vector<std::string> environment;
  std::vector<std::string> candidates;  ///< files to try in turn
  std::vector<char*> argv, envp;
  std::vector<std::pair<int, int>> pass;  ///< (high copy, target), filled in by the child
  int first_free = 3;                     ///< above every target
  const Command* command = nullptr;
  int parent = 0;
};

std::vector<std::string> merged_environment(const Command& command) {
  std::map<std::string, std::string> all;
  if (command.inherit_environment)
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
      const std::string_view text(*entry);
      const std::size_t equals = text.find('=');
      if (equals != std::string_view::npos) all.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
  for (const auto& [name, value] : command.set_environment) all[name] = value;
  std::vector<std::string> lines;
  for (const auto& [name, value] : all) lines.push_back(name + "=" + value);
  return lines;
}

/// The files that `argv[0]` may mean, by the PATH that the child will have.
std::vector<std::string> candidates(const Command& command, const std::vector<std::string>& environment) {
  const std::string& name = command.argv[0];
  // A relative path means a file seen from here, not from the child's folder.
  if (name.find('/') != std::string::npos) return {command.folder.empty() ? name : std::filesystem::absolute(name).string()};
  std::string path = "/usr/local/bin:/usr/bin:/bin";
  for (const std::string& line : environment)
    if (line.starts_with("PATH=")) path = line.substr(5);
  std::vector<std::string> found;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const std::string folder = path.substr(begin, end - begin);
    found.push_back((folder.empty() ? "." : folder) + "/" + name);
    begin = end + 1;
  }
  return found;
}

Plan make_plan(const Command& command) {
  Plan plan;
  plan.command = &command;
  plan.parent = ::getpid();
  plan.environment = merged_environment(command);
  plan.candidates = candidates(command, plan.environment);
  plan.pass.reserve(command.pass.size());
  for (const auto& [here, there] : command.pass) plan.first_free = std::max({plan.first_free, there + 1, here + 1});
  for (const std::string& word : command.argv) plan.argv.push_back(const_cast<char*>(word.c_str()));
  plan.argv.push_back(nullptr);
  for (const std::string& line : plan.environment) plan.envp.push_back(const_cast<char*>(line.c_str()));
  plan.envp.push_back(nullptr);
  return plan;
}

void close_all_on_exec() {
#ifdef SYS_close_range
  constexpr unsigned kCloseOnExec = 4;  // CLOSE_RANGE_CLOEXEC, which older headers lack
  if (::syscall(SYS_close_range, 3u, ~0u, kCloseOnExec) == 0) return;
#endif
  constexpr int kUsualTable = 1024;
  for (int fd = 3; fd < kUsualTable; ++fd) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/// Puts stdin, stdout, stderr and the passed descriptors in their places; false with errno on failure.
bool place_descriptors(Plan& plan, int out, int err) {
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing < 0) return false;
  const int standard[3] = {nothing, out, err};
  int high[3];
  for (int i = 0; i < 3; ++i)
    if ((high[i] = ::fcntl(standard[i], F_DUPFD_CLOEXEC, plan.first_free)) < 0) return false;
  for (const auto& [here, there] : plan.command->pass) {
    const int copy = ::fcntl(here, F_DUPFD_CLOEXEC, plan.first_free);
    if (copy < 0) return false;
    plan.pass.emplace_back(copy, there);  // reserved before the fork: does not allocate
  }
  close_all_on_exec();
  for (int i = 0; i < 3; ++i)
    if (::dup2(high[i], i) < 0) return false;
  for (const auto& [copy, there] : plan.pass)
    if (::dup2(copy, there) < 0) return false;
  return true;
}

void restore_signals() {
  for (int number : {SIGINT, SIGTERM, SIGPIPE, SIGQUIT, SIGHUP, SIGCHLD, SIGXCPU, SIGXFSZ}) ::signal(number, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// Runs in the child; returns only when something failed.
Failure become(Plan& plan, int out, int err) {
  ::setpgid(0, 0);
  restore_signals();
  // Ends with the judge. The parent may have died before this line: then nobody would tell us.
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return {Stage::kPrepare, errno};
  if (::getppid() != plan.parent) ::_exit(1);
  if (!place_descriptors(plan, out, err)) return {Stage::kDescriptors, errno};
  if (!plan.command->folder.empty() && ::chdir(plan.command->folder.c_str()) != 0) return {Stage::kFolder, errno};
  give_up_looking();
  if (!set_own_limits(plan.command->limits)) return {Stage::kLimits, errno};
  int error = ENOENT;
  for (const std::string& file : plan.candidates) {
    ::execve(file.c_str(), plan.argv.data(), plan.envp.data());
    if (errno != ENOENT && errno != ENOTDIR) error = errno;
  }
  return {Stage::kExec, error};
}

/// The child borrows our memory until it is a program of its own: copying the page tables of a judge that holds a device's memory would
/// cost more than the program. A signal that came in between would run our handlers there, so all of them wait.
[[gnu::noinline]] pid_t start(Plan& plan, int out, int err, int report) {
  sigset_t all, before;
  ::sigfillset(&all);
  ::sigprocmask(SIG_BLOCK, &all, &before);
  const pid_t pid = ::vfork();
  if (pid == 0) {
    const Failure failure = become(plan, out, err);
    [[maybe_unused]] const ssize_t written = ::write(report, &failure, sizeof failure);
    ::_exit(127);
  }
  const int error = errno;
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return pid;
}

Error describe(const Command& command, const Failure& failure) {
  const char* reason = std::strerror(failure.error);
  switch (failure.stage) {
    case Stage::kPrepare: return Error{fmt::format("{} cannot be tied to the judge: {}", command.argv[0], reason)};
    case Stage::kFolder: return Error{fmt::format("{} cannot be started in {}: {}", command.argv[0], command.folder, reason)};
    case Stage::kLimits: return Error{fmt::format("limits for {} cannot be set: {}", command.argv[0], reason)};
    case Stage::kDescriptors: return Error{fmt::format("descriptors cannot be passed to {}: {}", command.argv[0], reason)};
    case Stage::kExec: break;
  }
  if (failure.error == ENOENT && command.argv[0].find('/') == std::string::npos)
    return Error{fmt::format("program {} was not found in PATH", command.argv[0])};
  return Error{fmt::format("program {} cannot be run: {}", command.argv[0], reason)};
}

void close_both(const int (&ends)[2]) {
  for (int fd : ends)
    if (fd >= 0) ::close(fd);
}

}  // namespace

Result<Spawned> spawn(const Command& command) {
  if (command.argv.empty() || command.argv[0].empty()) return Error{"no program was named"};
  Plan plan = make_plan(command);
  int out[2] = {-1, -1}, err[2] = {-1, -1}, report[2] = {-1, -1};
  const auto fail = [&](Error error) {
    close_both(out);
    close_both(err);
    close_both(report);
    return error;
  };
  if (::pipe2(out, O_CLOEXEC) != 0 || ::pipe2(err, O_CLOEXEC) != 0 || ::pipe2(report, O_CLOEXEC) != 0)
    return fail(Error{fmt::format("no pipe to {} can be made: {}", command.argv[0], std::strerror(errno))});
  // The report pipe must stay clear of the numbers that the child will overwrite.
  if (report[1] < plan.first_free) {
    const int moved = ::fcntl(report[1], F_DUPFD_CLOEXEC, plan.first_free);
    if (moved < 0) return fail(Error{fmt::format("no pipe to {} can be made: {}", command.argv[0], std::strerror(errno))});
    ::close(report[1]);
    report[1] = moved;
  }
  const pid_t pid = start(plan, out[1], err[1], report[1]);
  if (pid < 0) return fail(Error{fmt::format("{} cannot be started: {}", command.argv[0], std::strerror(errno))});
  ::setpgid(pid, pid);  // in both processes, so that it holds whoever comes first
  for (int* ends : {out, err, report}) {
    ::close(ends[1]);
    ends[1] = -1;
  }
  Failure failure{};
  ssize_t got = 0;
  do got = ::read(report[0], &failure, sizeof failure);
  while (got < 0 && errno == EINTR);
  if (got == static_cast<ssize_t>(sizeof failure)) {
    ::waitpid(pid, nullptr, 0);
    return fail(describe(command, failure));
  }
  ::close(report[0]);
  ::fcntl(out[0], F_SETFL, O_NONBLOCK);
  ::fcntl(err[0], F_SETFL, O_NONBLOCK);
  return Spawned{pid, out[0], err[0]};
}

}  // namespace warpbook::run
