#include "judge/tests/cli/pseudo_terminal.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <vector>

#include "judge/tests/catch.hpp"
#include "judge/tests/cli/transcript.hpp"

namespace warpbook::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kPatienceOfTerminal{120};  // a cold compilation on a busy machine

int occurrences(const std::string& text, const std::string& part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

}  // namespace

PseudoTerminal::PseudoTerminal(const run::Command& command) {
  master_ = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  REQUIRE(master_ >= 0);
  REQUIRE(::grantpt(master_) == 0);
  REQUIRE(::unlockpt(master_) == 0);
  // Kept open here, so that the terminal's state can be looked at after the program's end.
  slave_ = ::open(::ptsname(master_), O_RDWR | O_NOCTTY | O_CLOEXEC);
  REQUIRE(slave_ >= 0);
  const winsize size{40, 100, 0, 0};
  ::ioctl(slave_, TIOCSWINSZ, &size);
  std::vector<char*> argv;
  for (const std::string& word : command.argv) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  pid_ = ::fork();
  REQUIRE(pid_ >= 0);
  if (pid_ == 0) {
    ::setsid();
    ::ioctl(slave_, TIOCSCTTY, 0);
    for (int fd = 0; fd < 3; ++fd) ::dup2(slave_, fd);
    for (const auto& [name, value] : command.set_environment) ::setenv(name.c_str(), value.c_str(), 1);
    ::setenv("TERM", "xterm", 1);
    if (::chdir(command.folder.c_str()) == 0) ::execvp(argv[0], argv.data());
    ::_exit(127);
  }
}

PseudoTerminal::~PseudoTerminal() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  ::close(master_);
  ::close(slave_);
  remember(shown_);
}

void PseudoTerminal::type(const std::string& keys) const { REQUIRE(::write(master_, keys.data(), keys.size()) > 0); }

bool PseudoTerminal::read_some(std::chrono::milliseconds wait) {
  pollfd ready{master_, POLLIN, 0};
  if (::poll(&ready, 1, static_cast<int>(wait.count())) <= 0) return false;
  char buffer[4096];
  const ssize_t got = ::read(master_, buffer, sizeof buffer);
  if (got > 0) shown_.append(buffer, static_cast<std::size_t>(got));
  return got > 0;
}

bool PseudoTerminal::shows(const std::string& text, int times) {
  for (const auto until = Clock::now() + kPatienceOfTerminal; Clock::now() < until;) {
    if (occurrences(shown_, text) >= times) return true;
    read_some(std::chrono::milliseconds(100));
  }
  return false;
}

int PseudoTerminal::count(const std::string& text, std::chrono::milliseconds wait) {
  for (const auto until = Clock::now() + wait; Clock::now() < until;) read_some(std::chrono::milliseconds(20));
  while (read_some(std::chrono::milliseconds(0))) {
  }
  return occurrences(shown_, text);
}

bool PseudoTerminal::is_as_it_was() const {
  termios now{};
  REQUIRE(::tcgetattr(slave_, &now) == 0);
  return (now.c_lflag & ICANON) != 0 && (now.c_lflag & ECHO) != 0;
}

void PseudoTerminal::signal(int number) const { ::kill(pid_, number); }

int PseudoTerminal::end() {
  for (const auto until = Clock::now() + kPatienceOfTerminal; pid_ > 0 && Clock::now() < until;) {
    read_some(std::chrono::milliseconds(20));
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) != pid_) continue;
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  return -1;
}

}  // namespace warpbook::cli
