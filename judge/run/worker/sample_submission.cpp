// Submissions for tests of the worker: the first argument says how to behave.
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>

extern "C" int cudaMalloc(void** out, std::size_t bytes);

namespace {

volatile unsigned spun = 0;

[[noreturn]] void sleep_for_ever() {
  for (;;) ::pause();
}

/// Every descriptor above the worker's two that is open, as a count.
int stray_descriptors() {
  int count = 0;
  for (int fd = 5; fd < 1024; ++fd) count += ::fcntl(fd, F_GETFD) >= 0;
  return count;
}

/// Uses up the stack, in a way that no compiler turns into a loop.
int recurse(volatile char* above) {
  volatile char frame[4096];
  frame[0] = above[0];
  return frame[0] == 0 ? 0 : recurse(frame) + frame[0];
}

}  // namespace

extern "C" int warpbook_launch(void* const* arguments) {
  const auto* how = static_cast<const char*>(arguments[0]);
  const auto is = [&](const char* name) { return std::strcmp(how, name) == 0; };
  if (is("add")) {
    int a = 0;
    double b = 0;
    std::memcpy(&a, arguments[1], sizeof a);
    std::memcpy(&b, arguments[2], sizeof b);
    return a + static_cast<int>(b);
  }
  if (is("print")) {
    std::puts("to stdout");
    std::fputs("to stderr\n", stderr);
    return 0;
  }
  if (is("chatter")) {
    const std::string line(1000, 'x');
    for (int i = 0; i < 5000; ++i) std::puts(line.c_str());
    return 0;
  }
  if (is("exit")) std::exit(3);
  if (is("exit 0")) std::exit(0);
  if (is("crash")) *static_cast<volatile int*>(nullptr) = 1;
  if (is("abort")) std::abort();
  if (is("recurse")) {
    volatile char top = 1;
    return recurse(&top);
  }
  if (is("throw")) throw std::runtime_error("thrown by the learner");
  if (is("spin"))
    for (;;) spun = spun + 1;
  if (is("sleep")) sleep_for_ever();
  if (is("close control")) {
    ::close(3);
    sleep_for_ever();
  }
  if (is("forge reply")) {  // a well-formed message that is none of ours
    ::send(3, "WBW1\2\0\0\0\377\377\377\377\377\377\377\377", 16, 0);
    sleep_for_ever();
  }
  if (is("garbage to device")) {
    ::send(4, "not a message of the protocol", 29, 0);
    sleep_for_ever();
  }
  if (is("half a message to device")) {
    ::send(4, "WBQ1\6\0\0\0\10\0\0\0\0\0\0\0abc", 19, 0);
    sleep_for_ever();
  }
  if (is("fork")) {
    if (::fork() == 0) sleep_for_ever();
    return 0;
  }
  if (is("descriptors")) return stray_descriptors();
  if (is("environment")) return std::getenv("HOME") || std::getenv("PATH") ? 1 : 0;
  if (is("allocate")) {
    void* at = nullptr;
    for (int i = 0; i < 10; ++i)
      if (const int code = cudaMalloc(&at, 64)) return code;
    return cudaMalloc(&at, std::size_t{1} << 50);
  }
  if (is("timed")) {  // prints the letters that its sets hold, in the order in which they come, and takes a millisecond each
    ::usleep(1000);
    return ::write(STDOUT_FILENO, *static_cast<char**>(arguments[1]), 1) == 1 ? 0 : 1;
  }
  if (is("third fails")) {
    static int launches = 0;
    return ++launches == 3 ? 11 : 0;
  }
  if (is("sleeps at c")) {
    if (**static_cast<char**>(arguments[1]) == 'c') sleep_for_ever();
    return 0;
  }
  if (is("crashes at c")) {
    if (**static_cast<char**>(arguments[1]) == 'c') std::abort();
    return 0;
  }
  if (is("throws at c")) {
    if (**static_cast<char**>(arguments[1]) == 'c') throw std::runtime_error("thrown by the learner");
    return 0;
  }
  if (is("ready again")) {  // a well-formed reply "ready" in a round
    const char reply[] = "WBW1\2\0\0\0\30\0\0\0\0\0\0\0\7\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    ::send(3, reply, sizeof reply, 0);
    sleep_for_ever();
  }
  if (is("shared"))
    return std::strcmp(*static_cast<char**>(arguments[1]), "shared") + std::strcmp(*static_cast<char**>(arguments[2]), "hared");
  return -1;
}
