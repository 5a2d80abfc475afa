#include "judge/watch/keys.hpp"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>

namespace warpbook::watch {
namespace {

/// What a signal handler needs; there is one terminal, so there is one of these.
termios before{};
volatile sig_atomic_t changed_descriptor = -1;

/// Signals that end the program without asking anybody. SIGINT and SIGTERM are heard by the judge itself, which ends in good order.
constexpr std::array kFatal{SIGHUP, SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};

/// Puts the terminal back and lets the signal do what it would have done.
void put_back_and_die(int number) {
  if (changed_descriptor >= 0) ::tcsetattr(changed_descriptor, TCSANOW, &before);
  ::signal(number, SIG_DFL);
  ::raise(number);
}

}  // namespace

Keys::Keys(int descriptor) : descriptor_(descriptor) {
  if (::isatty(descriptor) == 0 || ::tcgetpgrp(descriptor) != ::getpgrp() || ::tcgetattr(descriptor, &before) != 0) return;
  listening_ = true;
  for (const int number : kFatal) {
    struct sigaction action {};
    action.sa_handler = put_back_and_die;
    ::sigaction(number, &action, nullptr);
  }
  resume();
}

Keys::~Keys() {
  if (!listening_) return;
  pause();
  for (const int number : kFatal) ::signal(number, SIG_DFL);
}

void Keys::pause() {
  if (!listening_) return;
  ::tcsetattr(descriptor_, TCSANOW, &before);
  changed_descriptor = -1;
}

void Keys::resume() {
  if (!listening_) return;
  termios single = before;
  // Signals of the terminal (Ctrl-C, Ctrl-Z) stay, and so does the treatment of output.
  single.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  single.c_cc[VMIN] = 1;
  single.c_cc[VTIME] = 0;
  changed_descriptor = descriptor_;
  ::tcsetattr(descriptor_, TCSANOW, &single);
}

std::optional<char> Keys::pressed() {
  if (!listening_ || closed_) return std::nullopt;
  pollfd ready{descriptor_, POLLIN, 0};
  if (::poll(&ready, 1, 0) <= 0) return std::nullopt;
  char key = 0;
  const ssize_t got = ::read(descriptor_, &key, 1);
  if (got == 1) return key;
  closed_ = true;
  return std::nullopt;
}

}  // namespace warpbook::watch
