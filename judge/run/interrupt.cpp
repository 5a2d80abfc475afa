// Ctrl-C, heard by everyone at once.
//
// Children run in process groups of their own, so the terminal does not deliver SIGINT to them: the judge must end them. A flag alone
// would be missed by a thread that is about to sleep in poll(); so the handler also writes one byte into a pipe that nobody ever
// reads. Every wait(), in whatever thread, polls the pipe's other end, which stays readable for the rest of the program.
#include "judge/run/interrupt.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "judge/run/process.hpp"

namespace warpbook::run {
namespace {

std::atomic<int> signals_seen{0};
std::atomic<int> read_end{-1}, write_end{-1};
static_assert(std::atomic<int>::is_always_lock_free, "the signal handler may only touch lock-free atomics");

/// So many signals mean that the orderly way out takes the person too long.
constexpr int kSignalsUntilExit = 3;

void on_signal(int number) {
  const int saved = errno;
  if (signals_seen.fetch_add(1) + 1 >= kSignalsUntilExit) ::_exit(128 + number);
  if (const int fd = write_end.load(); fd >= 0) {
    [[maybe_unused]] const ssize_t written = ::write(fd, "!", 1);
  }
  errno = saved;
}

}  // namespace

void install_interrupt_handler() {
  if (write_end.load() >= 0) return;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0) {
    read_end.store(ends[0]);
    write_end.store(ends[1]);
  }
  struct sigaction action {};
  action.sa_handler = on_signal;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() { return signals_seen.load() > 0; }

int interrupt_descriptor() { return read_end.load(); }

}  // namespace warpbook::run
