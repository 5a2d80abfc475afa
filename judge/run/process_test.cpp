#include "judge/run/process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <thread>

#include "judge/base/files.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook;
using namespace warpbook::run;
using namespace std::chrono_literals;

namespace {

Command shell(const std::string& script) {
  Command command;
  command.argv = {"sh", "-c", script};
  return command;
}

Outcome run_ok(const Command& command) {
  Result<Outcome> outcome = run::run(command);
  if (!outcome) FAIL(outcome.error().what);
  return *outcome;
}

bool alive(int pid) {
  // A zombie that nobody reaps still answers kill(); its state tells.
  std::string status;
  std::getline(std::ifstream("/proc/" + std::to_string(pid) + "/stat"), status);
  return ::kill(pid, 0) == 0 && status.find(") Z ") == std::string::npos;
}

bool ends_soon(int pid) {
  for (int i = 0; i < 200 && alive(pid); ++i) std::this_thread::sleep_for(10ms);
  return !alive(pid);
}

}  // namespace

TEST_CASE("a child's exit status and both outputs come back") {
  const Outcome outcome = run_ok(shell("echo out; echo err >&2; exit 7"));
  CHECK(outcome.ending == Ending::kExited);
  CHECK(outcome.code == 7);
  CHECK(outcome.out == "out\n");
  CHECK(outcome.err == "err\n");
  CHECK_FALSE(outcome.ok());
  CHECK(run_ok(shell("true")).ok());
}

TEST_CASE("a signal that ends a child is named") {
  const Outcome outcome = run_ok(shell("kill -SEGV $$"));
  CHECK(outcome.ending == Ending::kSignalled);
  CHECK(outcome.code == SIGSEGV);
}

TEST_CASE("a missing program is an error that names it") {
  Command command;
  command.argv = {"no-such-program-of-warpbook"};
  CHECK(run::run(command).error().what == "program no-such-program-of-warpbook was not found in PATH");
  command.argv = {"/no/such/file"};
  CHECK(run::run(command).error().what == "program /no/such/file cannot be run: No such file or directory");
  command.argv = {"/etc/passwd"};
  CHECK(run::run(command).error().what == "program /etc/passwd cannot be run: Permission denied");
  CHECK_FALSE(run::run(Command{}));
}

TEST_CASE("the program is looked up in the PATH that the child has") {
  const auto folder = std::filesystem::temp_directory_path() / ("warpbook run 一 " + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  REQUIRE(write_file(folder / "tool", "#!/bin/sh\necho found \"$1\"\n"));
  std::filesystem::permissions(folder / "tool", std::filesystem::perms::owner_all);
  Command command;
  command.argv = {"tool", "a b"};
  command.set_environment["PATH"] = "/nonexistent:" + folder.string();
  CHECK(run_ok(command).out == "found a b\n");
  std::filesystem::remove_all(folder);
}

TEST_CASE("output beyond the limit is read and dropped") {
  Command command = shell("head -c 3000000 /dev/zero; head -c 3000000 /dev/zero >&2; echo done >&2");
  command.limits.output = 1000;
  const Outcome outcome = run_ok(command);
  CHECK(outcome.ok());
  CHECK(outcome.out.size() == 1000);
  CHECK(outcome.err.size() == 1000);
}

TEST_CASE("the wall limit ends the whole group") {
  Command command = shell("sleep 60 & echo $!; sleep 60");
  command.limits.wall = 200ms;
  const Outcome outcome = run_ok(command);
  CHECK(outcome.ending == Ending::kWallLimit);
  CHECK(outcome.wall_seconds < 5);
  CHECK(ends_soon(std::stoi(outcome.out)));
}

TEST_CASE("the wall limit also ends a child that never stops writing") {
  Command command = shell("yes");
  command.limits.wall = 200ms;
  const Outcome outcome = run_ok(command);
  CHECK(outcome.ending == Ending::kWallLimit);
  CHECK(outcome.wall_seconds < 5);
}

TEST_CASE("the CPU limit ends a busy child, and is checked exactly") {
  Command busy = shell("while :; do :; done");
  busy.limits.cpu = 1000ms;
  busy.limits.wall = 60s;
  const Outcome outcome = run_ok(busy);
  CHECK(outcome.ending == Ending::kCpuLimit);
  CHECK(outcome.cpu_seconds < 3);
  Command brief = shell("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done");
  brief.limits.cpu = 1ms;
  CHECK(run_ok(brief).ending == Ending::kCpuLimit);
  Command idle = shell("sleep 0.05");
  idle.limits.cpu = 1000ms;
  CHECK(run_ok(idle).ok());
}

TEST_CASE("memory and file size are limited, and no core is written") {
  Command memory = shell("exec head -c 60000000 /dev/zero | tail -n 1 | wc -c");
  memory.limits.memory = 40u << 20;
  CHECK(run_ok(memory).err.find("memory") != std::string::npos);
  const auto file = std::filesystem::temp_directory_path() / ("warpbook-size-" + std::to_string(::getpid()));
  Command size = shell("exec head -c 100000 /dev/zero > " + file.string());
  size.limits.file_size = 5000;
  const Outcome outcome = run_ok(size);
  CHECK_FALSE(outcome.ok());
  CHECK(std::filesystem::file_size(file) == 5000);
  std::filesystem::remove(file);
  CHECK(run_ok(shell("ulimit -c")).out == "0\n");
}

TEST_CASE("what a child leaves in its group ends with it, and does not hold wait() up") {
  const Outcome outcome = run_ok(shell("sleep 60 & echo $!"));
  CHECK(outcome.ok());
  CHECK(outcome.wall_seconds < 5);
  CHECK(ends_soon(std::stoi(outcome.out)));
}

TEST_CASE("destroying a child ends it and its group") {
  int leader = 0, follower = 0;
  {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    Command command = shell("sleep 60 & echo $! >&5; sleep 60");
    command.pass = {{ends[1], 5}};
    Result<Child> child = Child::start(command);
    REQUIRE(child);
    char text[32] = {};
    REQUIRE(::read(ends[0], text, sizeof text - 1) > 0);
    leader = child->pid();
    follower = std::stoi(text);
    CHECK_FALSE(child->poll());
    CHECK(alive(follower));
    ::close(ends[0]);
    ::close(ends[1]);
  }
  CHECK(ends_soon(leader));
  CHECK(ends_soon(follower));
}

TEST_CASE("kill() is seen as a signal; wait() may be asked again") {
  Result<Child> child = Child::start(shell("sleep 60"));
  REQUIRE(child);
  Child moved = std::move(*child);
  moved.kill();
  CHECK(moved.wait().ending == Ending::kSignalled);
  CHECK(moved.wait().code == SIGKILL);
  CHECK(moved.poll());
}

TEST_CASE("poll() drains, so that a child with much to say can end") {
  Result<Child> child = Child::start(shell("head -c 500000 /dev/zero"));
  REQUIRE(child);
  for (int i = 0; i < 1000 && !child->poll(); ++i) std::this_thread::sleep_for(5ms);
  REQUIRE(child->poll());
  CHECK(child->wait().out.size() == 500000);
}

TEST_CASE("descriptors arrive under the chosen numbers, exchanged ones too, and no other leaks in") {
  int a[2], b[2];
  REQUIRE(::pipe(a) == 0);
  REQUIRE(::pipe(b) == 0);
  const int leak = ::open("/dev/null", O_RDONLY);  // not close-on-exec
  Command command =
      shell("echo to-a >&" + std::to_string(b[1]) + "; echo to-b >&" + std::to_string(a[1]) + "; ls /proc/self/fd | wc -l; cat");
  command.pass = {{a[1], b[1]}, {b[1], a[1]}};
  const Outcome outcome = run_ok(command);
  char text[16] = {};
  CHECK(::read(a[0], text, sizeof text) == 5);
  CHECK(std::string(text) == "to-a\n");
  CHECK(::read(b[0], text, sizeof text) == 5);
  CHECK(std::string(text) == "to-b\n");
  CHECK(outcome.out == "6\n");  // 0, 1, 2, the two passed, and the one by which ls reads the folder; cat read nothing from stdin
  for (int fd : {a[0], a[1], b[0], b[1], leak}) ::close(fd);
}

TEST_CASE("folder and environment are the child's own") {
  Command command = shell("pwd; echo \"$COLOUR\"; echo \"${HOME-none}\"");
  command.folder = "/";
  command.set_environment["COLOUR"] = "sea green";
  command.inherit_environment = false;
  CHECK(run_ok(command).out == "/\nsea green\nnone\n");
  command.folder = "/no/such/folder";
  CHECK(run::run(command).error().what == "sh cannot be started in /no/such/folder: No such file or directory");
}

TEST_CASE("an interruption ends every waiting child at once") {
  const pid_t judge = ::fork();
  REQUIRE(judge >= 0);
  if (judge == 0) {
    // A judge in small: two threads wait for two children, and both must hear of the signal.
    install_interrupt_handler();
    Ending endings[2] = {};
    std::thread other([&] { endings[1] = run::run(shell("sleep 60"))->ending; });
    std::thread signal([] {
      std::this_thread::sleep_for(200ms);
      ::kill(::getpid(), SIGINT);
    });
    endings[0] = run::run(shell("sleep 60 & sleep 60"))->ending;
    other.join();
    signal.join();
    const bool both = endings[0] == Ending::kInterrupted && endings[1] == Ending::kInterrupted;
    const bool refused = !run::run(shell("true"));
    ::_exit(both && refused && interrupted() ? 42 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(judge, &status, 0) == judge);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 42);
  CHECK_FALSE(interrupted());
}

TEST_CASE("children die with the judge") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t judge = ::fork();
  REQUIRE(judge >= 0);
  if (judge == 0) {
    Result<Child> child = Child::start(shell("sleep 60"));
    const int pid = child ? child->pid() : 0;
    if (::write(ends[1], &pid, sizeof pid) != sizeof pid) ::_exit(1);
    ::pause();
    ::_exit(0);
  }
  int pid = 0;
  REQUIRE(::read(ends[0], &pid, sizeof pid) == sizeof pid);
  REQUIRE(pid > 0);
  ::kill(judge, SIGKILL);
  ::waitpid(judge, nullptr, 0);
  CHECK(ends_soon(pid));
  ::close(ends[0]);
  ::close(ends[1]);
}
