// The worker: the process that runs a learner's host code.
//
//   warpbook-worker LIBCUDART SUBMISSION
//   warpbook-worker --forks LIBCUDART SUBMISSION
//
// The second is a fork server: it forks a worker for each launch that the judge asks for (fork_loop.hpp).
//
// It loads the runtime (ours, which asks the device behind descriptor 4, or NVIDIA's on a real GPU), then the submission on top of it,
// receives the arguments of one launch over descriptor 3, calls the order's `extern "C" int warpbook_launch(void* const* arguments)` with
// arguments[i] pointing at argument i, synchronises, and replies; or does so in rounds, where time is measured (rounds.hpp). It knows
// nothing that would help a dishonest submission: no expected value, no list of cases. It is not linked to any CUDA library, so the same
// program serves both devices.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <variant>

#include "judge/run/worker/arguments.hpp"
#include "judge/run/worker/fork_loop.hpp"
#include "judge/run/worker/last_words.hpp"
#include "judge/run/worker/rounds.hpp"
#include "judge/run/worker_protocol.hpp"

namespace warpbook::run {
namespace {

constexpr int kUsage = 2;

/// Gives up what the launch does not need. What the judge's other descriptors lead to is not ours to hold.
void shed_privileges(int first_to_close) {
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  ::fcntl(kControlDescriptor, F_SETFD, FD_CLOEXEC);
  if (first_to_close > kDeviceDescriptor) ::fcntl(kDeviceDescriptor, F_SETFD, FD_CLOEXEC);
#ifdef SYS_close_range
  if (::syscall(SYS_close_range, static_cast<unsigned>(first_to_close), ~0u, 0u) == 0) return;
#endif
  const long most = ::sysconf(_SC_OPEN_MAX);
  for (int fd = first_to_close; fd < most; ++fd) ::close(fd);
}

/// The runtime library, or why it does not load: that is told to the judge of each launch.
struct Runtime {
  void* handle = nullptr;
  std::string problem;
};

Runtime load_runtime(const char* path) {
  // Global, so that the submission's undefined CUDA functions are found in it whether or not it was linked to a runtime.
  Runtime runtime{::dlopen(path, RTLD_NOW | RTLD_GLOBAL), {}};
  if (!runtime.handle) runtime.problem = loader_error();
  return runtime;
}

[[noreturn]] void work(const Runtime& loaded, const char* submission_path) {
  if (!loaded.handle) fail(WorkerStage::kNoRuntime, loaded.problem);
  void* runtime = loaded.handle;
  const auto peek = runtime_function<CodeFunction>(runtime, "cudaPeekAtLastError");
  const auto synchronize = runtime_function<CodeFunction>(runtime, "cudaDeviceSynchronize");
  void* submission = ::dlopen(submission_path, RTLD_NOW | RTLD_LOCAL);
  if (!submission) fail(WorkerStage::kNotLoaded, loader_error());
  const Result<std::variant<WorkerOrder, TimedOrder>> any = receive_any_order(kControlDescriptor);
  if (!any) ::_exit(1);  // the judge is gone
  const auto* timed = std::get_if<TimedOrder>(&*any);
  const std::string& name = timed ? timed->launch : std::get<WorkerOrder>(*any).launch;
  const auto launch = reinterpret_cast<LaunchFunction>(::dlsym(submission, name.c_str()));
  if (!launch) fail(WorkerStage::kNoLaunch, loader_error());
  if (timed) serve_rounds(runtime, launch, *timed);
  SharedMemory memory(runtime);
  const Arguments arguments(std::get<WorkerOrder>(*any).arguments, memory);
  WorkerReply reply;
  reply.stage = WorkerStage::kFinished;
  reply.launch_code = call(launch, arguments.data());
  reply.last_error = peek();
  reply.synchronize_code = synchronize();
  finish(reply);
}

}  // namespace
}  // namespace warpbook::run

int main(int argc, char** argv) {
  using namespace warpbook::run;
  const bool forks = argc == 4 && std::string_view(argv[1]) == "--forks";
  if (!forks && argc != 3) {
    std::fputs("usage: warpbook-worker [--forks] LIBCUDART SUBMISSION (started by the judge)\n", stderr);
    return kUsage;
  }
  if (forks) {
    const Runtime runtime = load_runtime(argv[2]);
    serve_forks([&](const char* submission) {
      shed_privileges(kDeviceDescriptor + 1);
      work(runtime, submission);
    });
  }
  // Without a device socket (a real GPU) descriptor 4 is closed with the rest.
  shed_privileges(std::getenv("WARPBOOK_DEVICE_FD") ? kDeviceDescriptor + 1 : kControlDescriptor + 1);
  work(load_runtime(argv[1]), argv[2]);
}
