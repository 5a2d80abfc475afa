#include "judge/toolchain/compile.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "judge/run/process.hpp"
#include "judge/tests/catch.hpp"
#include "judge/toolchain/fake_toolkit.hpp"

using namespace warpbook;
using namespace warpbook::toolchain;
namespace fs = std::filesystem;

namespace {

const std::string kHost = "int host() { return __LINE__; }\n";

std::string bytes_of(const fs::path& path) { return read_file(path, 1u << 24).value(); }

}  // namespace

TEST_CASE("a source becomes a library that holds its device code, and PTX beside it") {
  FakeToolkit fake;
  const CompileOutcome outcome = fake.compile(kHost + "DEVICE one\nKERNEL\n");
  if (!outcome.ok) FAIL(outcome.failure.summary);
  CHECK(bytes_of(outcome.artifact.ptx) == "DEVICE one\n");
  CHECK(bytes_of(outcome.artifact.library).find("DEVICE one") != std::string::npos);
  CHECK(bytes_of(outcome.artifact.library).substr(1, 3) == "ELF");
  CHECK_FALSE(outcome.artifact.from_cache);
  CHECK_FALSE(outcome.artifact.host_from_cache);
  CHECK(fake.ran("ptxas"));
  CHECK(fake.tidy());
}

TEST_CASE("the same source again runs no tool; anything that matters changed runs them") {
  FakeToolkit fake;
  const std::string text = kHost + "#include \"a.cuh\"\nDEVICE one\n";
  fake.options.include = {fake.folder / "include"};
  REQUIRE(write_file(fake.folder / "include" / "a.cuh", "int a;\n"));
  const CompileOutcome first = fake.compile(text);
  if (!first.ok) FAIL(first.failure.diagnostics.at(0).text());
  const CompileOutcome again = fake.compile(text);
  CHECK(again.artifact.from_cache);
  CHECK(again.artifact.hash == first.artifact.hash);
  CHECK_FALSE(fs::exists(fake.log()));
  CHECK_FALSE(fake.compile(text + " ").artifact.from_cache);
  REQUIRE(write_file(fake.folder / "include" / "a.cuh", "int b;\n"));
  CHECK_FALSE(fake.compile(text).artifact.from_cache);
  REQUIRE(::setenv("NVCC_APPEND_FLAGS", "-g", 1) == 0);
  CHECK_FALSE(fake.compile(text).artifact.from_cache);
  REQUIRE(::unsetenv("NVCC_APPEND_FLAGS") == 0);
  CHECK(fake.compile(text).artifact.from_cache);
  fake.script("nvcc", "echo another");
  CHECK_FALSE(fake.compile(text).artifact.from_cache);
}

TEST_CASE("with a host key a changed device line costs the device half alone") {
  FakeToolkit fake;
  REQUIRE(fake.compile(kHost + "DEVICE one\nKERNEL\n", "key").ok);
  CHECK(fake.ran("cudafe++"));
  const CompileOutcome changed = fake.compile(kHost + "DEVICE two\nKERNEL\n", "key");
  REQUIRE(changed.ok);
  CHECK(changed.artifact.host_from_cache);
  CHECK_FALSE(fake.ran("cudafe++"));
  CHECK_FALSE(fake.ran("nvcc"));
  CHECK(fake.ran("cicc"));
  CHECK(bytes_of(changed.artifact.library).find("DEVICE two") != std::string::npos);
  CHECK(bytes_of(changed.artifact.library).find("DEVICE one") == std::string::npos);
}

TEST_CASE("a host half that does not fit the device half is not used, whatever the key says") {
  FakeToolkit fake;
  REQUIRE(fake.compile(kHost + "DEVICE one\nKERNEL a\n", "key").ok);
  const CompileOutcome other = fake.compile(kHost + "DEVICE one\nKERNEL b\n", "key");
  REQUIRE(other.ok);
  CHECK_FALSE(other.artifact.host_from_cache);
  CHECK(fake.ran("cudafe++"));
}

TEST_CASE("lines are part of the host half: a blank that grew is not served an old one") {
  FakeToolkit fake;
  REQUIRE(fake.compile("DEVICE one\n" + kHost, "key").ok);
  CHECK_FALSE(fake.compile("DEVICE one\nDEVICE two\n" + kHost, "key").artifact.host_from_cache);
  // Where nothing in host code asks for its line, all submissions with this key share one host half.
  REQUIRE(fake.compile("DEVICE one\nint host();\n", "other").ok);
  const CompileOutcome grown = fake.compile("DEVICE one\nDEVICE two\nint host();\n", "other");
  CHECK(grown.artifact.host_from_cache);
  CHECK_FALSE(fake.ran("cudafe++"));
}

TEST_CASE("without a host key cudafe++ decides whether the host half is the same") {
  FakeToolkit fake;
  REQUIRE(fake.compile(kHost + "DEVICE one\n").ok);
  const CompileOutcome device = fake.compile(kHost + "DEVICE two\n");
  CHECK(device.artifact.host_from_cache);
  CHECK(fake.ran("cudafe++"));
  const CompileOutcome host = fake.compile("int host() { return 7; }\nDEVICE two\n");
  CHECK_FALSE(host.artifact.host_from_cache);
}

TEST_CASE("a source whose headers cannot be followed is compiled every time") {
  FakeToolkit fake;
  const std::string text = "#define H <stddef.h>\n#include H\nDEVICE one\n";
  const CompileOutcome first = fake.compile(text, "key");
  REQUIRE(first.ok);
  const CompileOutcome again = fake.compile(text, "key");
  CHECK_FALSE(again.artifact.from_cache);
  CHECK(again.artifact.library != first.artifact.library);
}

TEST_CASE("a damaged result is made again") {
  FakeToolkit fake;
  const std::string text = kHost + "DEVICE one\n";
  const CompileOutcome first = fake.compile(text);
  REQUIRE(first.ok);
  const std::string good = bytes_of(first.artifact.library);
  fs::resize_file(first.artifact.library, 100);
  const CompileOutcome again = fake.compile(text);
  REQUIRE(again.ok);
  CHECK_FALSE(again.artifact.from_cache);
  const bool restored = bytes_of(again.artifact.library) == good;
  CHECK(restored);
  fs::resize_file(again.artifact.ptx, 3);
  CHECK_FALSE(fake.compile(text).artifact.from_cache);
  CHECK(fake.compile(text).artifact.from_cache);
}

TEST_CASE("the learner's errors are the learner's; the host half is ended") {
  FakeToolkit fake;
  const CompileOutcome syntax = fake.compile(kHost + "DEVICE SYNTAX\n");
  REQUIRE_FALSE(syntax.ok);
  CHECK(syntax.failure.learner);
  CHECK(syntax.failure.summary == "1 compile error");
  REQUIRE(syntax.failure.diagnostics.size() == 1);
  CHECK(syntax.failure.diagnostics[0].text() == "ex.cu:2: error: bad syntax\n    2 | DEVICE SYNTAX");
  const CompileOutcome assembly = fake.compile(kHost + "DEVICE ASM\n");
  REQUIRE_FALSE(assembly.ok);
  CHECK(assembly.failure.diagnostics.at(0).message == "unknown word (from the assembler, ptxas)");
  const CompileOutcome host = fake.compile("int host() { return nothing; }\nDEVICE\n");
  REQUIRE_FALSE(host.ok);
  CHECK(host.failure.learner);
  CHECK(host.failure.diagnostics.at(0).line == 1);
  const CompileOutcome link = fake.compile("int helper();\nint host() { return helper(); }\nDEVICE\n");
  REQUIRE_FALSE(link.ok);
  CHECK(link.failure.learner);
  CHECK(link.failure.diagnostics.at(0).text() ==
        "ex.cu:1: error: helper() is declared and used but defined nowhere\n    1 | int helper();");
  CHECK(fake.tidy());
}

TEST_CASE("what the learner cannot mend is not the learner's") {
  FakeToolkit fake;
  const CompileOutcome crash = fake.compile("DEVICE CRASH\n");
  CHECK_FALSE(crash.failure.learner);
  CHECK(crash.failure.summary == "cicc failed with signal 11");
  const CompileOutcome full = fake.compile("DEVICE FULL\n");
  CHECK_FALSE(full.failure.learner);
  CHECK(full.failure.summary == "the disk is full: nothing can be compiled until there is room");
  fake.script("fatbinary", "echo 'fatal error: when writing output to unit.fatbin: Invalid argument' >&2; exit 1");
  CHECK(fake.compile("DEVICE\n").failure.summary == full.failure.summary);
  fs::remove(fake.root() / "bin" / "cicc");
  const CompileOutcome missing = fake.compile("DEVICE\n");
  CHECK_FALSE(missing.failure.learner);
  CHECK(missing.failure.summary == "the toolkit is not complete: program cicc was not found in PATH");
  fs::remove_all(fake.options.cache);
  REQUIRE(write_file(fake.options.cache, "in the way"));
  const CompileOutcome cache = fake.compile("DEVICE\n");
  CHECK_FALSE(cache.failure.learner);
  CHECK(cache.failure.summary.find("the folder for compiled files cannot be used") != std::string::npos);
}

TEST_CASE("compiling has a time limit") {
  FakeToolkit fake;
  fake.options.time_limit_seconds = 0.5;
  const CompileOutcome outcome = fake.compile("DEVICE SLEEP\n");
  REQUIRE_FALSE(outcome.ok);
  CHECK(outcome.failure.learner);
  CHECK(outcome.failure.summary == "compiling took longer than 0.5 s");
  CHECK(fake.tidy());
}

TEST_CASE("Ctrl-C ends the tools and leaves no folder behind") {
  FakeToolkit fake;
  const pid_t judge = ::fork();
  REQUIRE(judge >= 0);
  if (judge == 0) {
    run::install_interrupt_handler();
    const CompileOutcome outcome = fake.compile("DEVICE SLEEP\n");
    ::_exit(!outcome.ok && !outcome.failure.learner && outcome.failure.summary == "interrupted" ? 42 : 1);
  }
  for (int i = 0; i < 500 && !fake.ran("cicc"); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ::kill(judge, SIGINT);
  int status = 0;
  REQUIRE(::waitpid(judge, &status, 0) == judge);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 42);
  CHECK(fake.tidy());
}

TEST_CASE("several processes compile into one cache at once") {
  FakeToolkit fake;
  constexpr int kProcesses = 4;
  std::vector<pid_t> children;
  for (int p = 0; p < kProcesses; ++p) {
    const pid_t pid = ::fork();
    REQUIRE(pid >= 0);
    if (pid == 0) {
      bool good = true;
      for (int i = 0; i < 4; ++i) {
        const std::string device = "DEVICE number " + std::to_string(i / 2) + "\n";
        const CompileOutcome outcome = fake.compile(kHost + device, "key");
        good = good && outcome.ok && bytes_of(outcome.artifact.library).find(device.substr(0, 15)) != std::string::npos &&
               bytes_of(outcome.artifact.ptx).starts_with(device);
      }
      ::_exit(good ? 0 : 1);
    }
    children.push_back(pid);
  }
  for (const pid_t pid : children) {
    int status = 0;
    REQUIRE(::waitpid(pid, &status, 0) == pid);
    CHECK(status == 0);
  }
  CHECK(fake.tidy());
}

TEST_CASE("a real GPU gets code from the PTX that is there, but from its own where the source says __CUDA_ARCH__") {
  FakeToolkit fake;
  fake.script("nvidia-smi", "echo 9.0");
  const std::string path = std::getenv("PATH");
  REQUIRE(::setenv("PATH", ((fake.root() / "bin").string() + ":" + path).c_str(), 1) == 0);
  fake.native = true;
  const CompileOutcome plain = fake.compile(kHost + "DEVICE one\n");
  CHECK(fake.times("cicc") == 1);
  const CompileOutcome asking = fake.compile(kHost + "DEVICE one\n// __CUDA_ARCH__\n");
  CHECK(fake.times("cicc") == 2);
  REQUIRE(::setenv("PATH", path.c_str(), 1) == 0);
  if (!plain.ok) FAIL(plain.failure.summary);
  if (!asking.ok) FAIL(asking.failure.summary);
  CHECK(bytes_of(asking.artifact.ptx) == "DEVICE one\n");  // what the virtual GPU runs stays that of 8.0
}
