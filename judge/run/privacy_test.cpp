#include "judge/run/privacy.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "judge/run/process.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook;

namespace {

/// A process that has closed its memory and waits to be ended.
class Hidden {
 public:
  Hidden() {
    int ready[2];
    REQUIRE(::pipe(ready) == 0);
    pid = ::fork();
    if (pid == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      run::hide_own_memory();
      if (::write(ready[1], "", 1) != 1) ::_exit(1);
      for (;;) ::pause();
    }
    char byte = 0;
    REQUIRE(::read(ready[0], &byte, 1) == 1);
    ::close(ready[0]);
    ::close(ready[1]);
  }
  ~Hidden() {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }
  pid_t pid = -1;
};

run::Outcome shell_outcome(const std::string& script) {
  run::Command command;
  command.argv = {"sh", "-c", script};
  const Result<run::Outcome> outcome = run::run(command);
  REQUIRE(outcome);
  return *outcome;
}

}  // namespace

TEST_CASE("a program that was started here cannot open the memory of a process that hides it, whoever its user is") {
  const Hidden other;
  CHECK(shell_outcome("exec 3< /proc/self/mem").ok());
  REQUIRE(shell_outcome(fmt::format("test -e /proc/{}/mem", other.pid)).ok());
  CHECK_FALSE(shell_outcome(fmt::format("exec 3< /proc/{}/mem", other.pid)).ok());
  CHECK_FALSE(shell_outcome(fmt::format("exec 3<> /proc/{}/mem", other.pid)).ok());
}

TEST_CASE("a program that was started here, and what it starts, has not the right to look into other processes") {
  constexpr unsigned long long kLooking = 1ull << 19;  // CAP_SYS_PTRACE
  for (const char* set : {"CapPrm", "CapEff", "CapBnd"}) {
    const run::Outcome outcome = shell_outcome(fmt::format("sh -c \"sed -n 's/^{}:[[:space:]]*//p' /proc/self/status\"", set));
    REQUIRE(outcome.ok());
    INFO(set << ' ' << outcome.out);
    // Who is not root may keep the bounding set: nothing can be had from it without gaining privileges.
    if (std::string(set) != "CapBnd" || ::geteuid() == 0) CHECK((std::stoull(outcome.out, nullptr, 16) & kLooking) == 0);
  }
}
