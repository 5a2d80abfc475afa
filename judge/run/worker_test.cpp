// Workers of every temper, started for real: what they do, what the judge says of it, and that nothing of them is left.
#include "judge/run/worker.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "judge/device/fake_device.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook;
using namespace warpbook::run;

namespace {

std::vector<std::byte> text_argument(const char* text) {
  const auto* bytes = reinterpret_cast<const std::byte*>(text);
  return {bytes, bytes + std::strlen(text) + 1};
}

template <class T>
std::vector<std::byte> value(T v) {
  std::vector<std::byte> bytes(sizeof v);
  std::memcpy(bytes.data(), &v, sizeof v);
  return bytes;
}

WorkerRequest request_for(const char* how) {
  WorkerRequest request;
  request.worker = WARPBOOK_WORKER;
  request.runtime = WARPBOOK_SAMPLE_RUNTIME;
  request.submission = WARPBOOK_SAMPLE_SUBMISSION;
  request.order.arguments.emplace_back(text_argument(how));
  request.limits.wall = std::chrono::milliseconds(20'000);
  request.limits.cpu = std::chrono::milliseconds(20'000);
  return request;
}

/// Our living children whose program has this name.
std::set<int> children_named(const std::string& name) {
  std::set<int> out;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream stat(entry.path() / "stat");
    int pid = 0, parent = 0;
    std::string program;
    char state = 0;
    if (stat >> pid >> program >> state >> parent && parent == ::getpid() && state != 'Z' && program == "(" + name + ")") out.insert(pid);
  }
  return out;
}

/// Twice, since the first worker of a process is a program of its own and the second is forked. They must end alike.
WorkerOutcome behave(const char* how) {
  device::FakeDevice first, second;
  const WorkerOutcome alone = run_worker(request_for(how), &first);
  WorkerOutcome forked = run_worker(request_for(how), &second);
  CHECK(alone.ending == forked.ending);
  CHECK(alone.reply.stage == forked.reply.stage);
  return forked;
}

}  // namespace

TEST_CASE("a launch gets its arguments and its codes come back") {
  device::FakeDevice device;
  WorkerRequest request = request_for("add");
  request.order.arguments.emplace_back(value(40));
  request.order.arguments.emplace_back(value(2.0));
  const WorkerOutcome outcome = run_worker(request, &device);
  REQUIRE(outcome.ending == WorkerEnding::kReplied);
  CHECK(outcome.reply.stage == WorkerStage::kFinished);
  CHECK(outcome.reply.launch_code == 42);
  CHECK(outcome.reply.last_error == 7);  // what the sample runtime says
  CHECK(outcome.reply.synchronize_code == 0);
  CHECK(outcome.code == 0);
  CHECK(outcome.device.calls == 1);
}

TEST_CASE("a device that broke is what the synchronisation answers") {
  device::FakeDevice device;
  device.sticky = device::Code::kIllegalAddress;
  const WorkerOutcome outcome = run_worker(request_for("print"), &device);
  CHECK(outcome.reply.synchronize_code == 700);
  CHECK(outcome.device.refused.code == device::Code::kIllegalAddress);
}

TEST_CASE("device calls of the worker are served and counted") {
  device::FakeDevice device;
  const WorkerOutcome outcome = run_worker(request_for("allocate"), &device);
  REQUIRE(outcome.ending == WorkerEnding::kReplied);
  CHECK(outcome.reply.launch_code == 2);
  CHECK(outcome.device.calls == 12);
  CHECK(outcome.device.refused_call == "allocate");
}

TEST_CASE("what the learner's code prints is kept, up to a limit") {
  const WorkerOutcome little = behave("print");
  CHECK(little.out == "to stdout\n");
  CHECK(little.err == "to stderr\n");
  WorkerRequest request = request_for("chatter");
  request.limits.output = 1000;
  device::FakeDevice device;
  const WorkerOutcome much = run_worker(request, &device);
  CHECK(much.ending == WorkerEnding::kReplied);
  CHECK(much.out.size() == 1000);
}

TEST_CASE("a program that ends before it replies is told apart from one that crashes") {
  const WorkerOutcome three = behave("exit");
  CHECK(three.ending == WorkerEnding::kExitedEarly);
  CHECK(three.code == 3);
  const WorkerOutcome zero = behave("exit 0");
  CHECK(zero.ending == WorkerEnding::kExitedEarly);
  CHECK(zero.code == 0);
#if !defined(__SANITIZE_ADDRESS__)  // the sanitizer turns signals into exits of its own
  for (const auto& [how, signal] : {std::pair{"crash", SIGSEGV}, {"abort", SIGABRT}, {"recurse", SIGSEGV}}) {
    const WorkerOutcome crashed = behave(how);
    CHECK(crashed.ending == WorkerEnding::kCrashed);
    CHECK(crashed.code == signal);
  }
#endif
  const WorkerOutcome thrown = behave("throw");
  CHECK(thrown.ending == WorkerEnding::kReplied);
  CHECK(thrown.reply.stage == WorkerStage::kThrew);
  CHECK(thrown.reply.message == "thrown by the learner");
}

TEST_CASE("endless host code is ended by its limits") {
  device::FakeDevice device;
  WorkerRequest spin = request_for("spin");
  spin.limits.cpu = std::chrono::milliseconds(1000);
  CHECK(run_worker(spin, &device).ending == WorkerEnding::kCpuLimit);
  WorkerRequest sleep = request_for("sleep");
  sleep.limits.wall = std::chrono::milliseconds(150);
  const WorkerOutcome slept = run_worker(sleep, &device);
  CHECK(slept.ending == WorkerEnding::kWallLimit);
  CHECK(slept.wall_seconds < 5);
}

TEST_CASE("a worker that breaks the protocol is ended") {
  CHECK(behave("garbage to device").ending == WorkerEnding::kViolation);
  const WorkerOutcome forged = behave("forge reply");
  CHECK(forged.ending == WorkerEnding::kViolation);
  CHECK(forged.message.find("when it should be at most") != std::string::npos);
  device::FakeDevice device;
  WorkerRequest half = request_for("half a message to device");
  half.serve_limits.message_time = std::chrono::milliseconds(100);
  CHECK(run_worker(half, &device).ending == WorkerEnding::kViolation);
  CHECK(behave("close control").ending == WorkerEnding::kExitedEarly);
}

TEST_CASE("a worker's own children end with it") {
  const auto begin = std::chrono::steady_clock::now();
  CHECK(behave("fork").ending == WorkerEnding::kReplied);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(5));
}

TEST_CASE("a worker sees no descriptor and no variable of the judge") {
  const int stray = ::dup(0);
  CHECK(behave("descriptors").reply.launch_code == 0);
  CHECK(behave("environment").reply.launch_code == 0);
  ::close(stray);
}

TEST_CASE("the time of the device is not the worker's time") {
  struct Slow : device::FakeDevice {
    device::Answer synchronize() override {
      ::usleep(2'500'000);
      return {};
    }
  } device;
  // The worker's own share takes milliseconds; a busy machine may make two seconds of them.
  WorkerRequest request = request_for("print");
  request.limits.wall = std::chrono::seconds(2);
  const WorkerOutcome outcome = run_worker(request, &device);
  CHECK(outcome.ending == WorkerEnding::kReplied);
  request.limits.wall = std::chrono::seconds(30);
  request.device_time = std::chrono::milliseconds(100);
  CHECK(run_worker(request, &device).ending == WorkerEnding::kDeviceLimit);
}

TEST_CASE("a fork server that died is replaced") {
  device::FakeDevice device;
  for (int i = 0; i < 2; ++i)  // the first worker of a process needs no server
    REQUIRE(run_worker(request_for("print"), &device).ending == WorkerEnding::kReplied);
  const std::set<int> servers = children_named("warpbook-worker");
  REQUIRE(servers.size() == 1);
  REQUIRE(::kill(*servers.begin(), SIGKILL) == 0);
  CHECK(run_worker(request_for("print"), &device).ending == WorkerEnding::kReplied);
  const std::set<int> now = children_named("warpbook-worker");
  CHECK(now.size() == 1);
  CHECK(now != servers);
}

TEST_CASE("a fork server serves one runtime and one environment") {
  device::FakeDevice device;
  WorkerRequest request = request_for("environment");
  for (int i = 0; i < 2; ++i) CHECK(run_worker(request, &device).reply.launch_code == 0);
  request.environment["HOME"] = "/";
  CHECK(run_worker(request, &device).reply.launch_code == 1);
  request.runtime = "/nowhere/libcudart.so";
  const WorkerOutcome outcome = run_worker(request, &device);
  CHECK(outcome.ending == WorkerEnding::kReplied);
  CHECK(outcome.reply.stage == WorkerStage::kNoRuntime);
  CHECK(outcome.reply.message.find("/nowhere/libcudart.so") != std::string::npos);
}

TEST_CASE("a process forked from a judge starts workers of its own") {
  device::FakeDevice device;
  const auto replies = [&] { return run_worker(request_for("print"), &device).ending == WorkerEnding::kReplied; };
  REQUIRE((replies() && replies()));
  const pid_t job = ::fork();
  if (job == 0) ::_exit(replies() && replies() ? 0 : 1);
  int status = -1;
  REQUIRE(::waitpid(job, &status, 0) == job);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(replies());
}

TEST_CASE("memory of the judge is opened once and its offsets are kept") {
  WorkerRequest request = request_for("shared");
  SharedTensor tensor;
  std::memcpy(tensor.handle.data(), "good", 5);
  for (const std::uint64_t offset : {100, 101}) {
    tensor.offset = offset;
    request.order.arguments.emplace_back(tensor);
  }
  const WorkerOutcome outcome = run_worker(request, nullptr);
  REQUIRE(outcome.ending == WorkerEnding::kReplied);
  CHECK(outcome.reply.stage == WorkerStage::kFinished);
  CHECK(outcome.reply.launch_code == 0);
  CHECK(outcome.device.calls == 0);
  tensor.handle[0] = std::byte{'b'};
  request.order.arguments.emplace_back(tensor);
  CHECK(run_worker(request, nullptr).reply.stage == WorkerStage::kNoSharedTensor);
}

TEST_CASE("what is missing is named") {
  device::FakeDevice device;
  WorkerRequest request = request_for("add");
  request.submission = "/nowhere/submission.so";
  const WorkerOutcome absent = run_worker(request, &device);
  CHECK(absent.reply.stage == WorkerStage::kNotLoaded);
  CHECK(absent.reply.message.find("/nowhere/submission.so") != std::string::npos);
  request.submission = WARPBOOK_SAMPLE_RUNTIME;
  CHECK(run_worker(request, &device).reply.stage == WorkerStage::kNoLaunch);
  request.runtime = "/nowhere/libcudart.so.13";
  CHECK(run_worker(request, &device).reply.stage == WorkerStage::kNoRuntime);
  request.worker = "/nowhere/warpbook-worker";
  CHECK(run_worker(request, &device).ending == WorkerEnding::kNotStarted);
}
