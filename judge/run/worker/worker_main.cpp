// The worker: the process that runs a learner's host code.
//
//   warpbook-worker LIBCUDART SUBMISSION
//   warpbook-worker --forks LIBCUDART SUBMISSION
//
// The second is a fork server: it forks a worker for each launch that the judge asks for (fork_loop.hpp).
//
// It loads the runtime (ours, which asks the device behind descriptor 4, or NVIDIA's on a real GPU), then the submission on top of it,
// receives the arguments of one launch over descriptor 3, calls the order's `extern "C" int warpbook_launch(void* const* arguments)` with
// arguments[i] pointing at argument i, synchronises, and replies. It knows nothing that would help a dishonest submission: no expected
// value, no list of cases. It is not linked to any CUDA library, so the same program serves both devices.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <map>
#include <memory>
#include <string_view>

#include "judge/run/worker/fork_loop.hpp"
#include "judge/run/worker_protocol.hpp"

namespace warpbook::run {
namespace {

constexpr int kUsage = 2;
constexpr unsigned kLazyPeerAccess = 1;  // cudaIpcMemLazyEnablePeerAccess

struct IpcHandle {
  std::byte bytes[kHandleBytes];
};
using LaunchFunction = int (*)(void* const*);
using CodeFunction = int (*)();
using OpenFunction = int (*)(void**, IpcHandle, unsigned);

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

/// Tells the judge and ends, without the destructors and exit handlers of code that is not trusted to return.
[[noreturn]] void finish(const WorkerReply& reply) {
  std::cout.flush();
  std::fflush(nullptr);
  const bool told = static_cast<bool>(send_reply(kControlDescriptor, reply));
  ::_exit(told ? 0 : 1);
}

[[noreturn]] void fail(WorkerStage stage, std::string message) {
  WorkerReply reply;
  reply.stage = stage;
  reply.message = std::move(message);
  finish(reply);
}

std::string loader_error() {
  const char* text = ::dlerror();
  return text ? text : "unknown error of the loader";
}

template <class Function>
Function runtime_function(void* runtime, const char* name) {
  auto function = reinterpret_cast<Function>(::dlsym(runtime, name));
  if (!function) fail(WorkerStage::kNoRuntime, loader_error());
  return function;
}

/// Storage for the values that `arguments[i]` points at, aligned for any scalar.
class Arguments {
 public:
  Arguments(const WorkerOrder& order, void* runtime) {
    for (const WorkerArgument& argument : order.arguments) {
      if (const auto* shared = std::get_if<SharedTensor>(&argument)) {
        void* address = open(*shared, runtime);
        add(&address, sizeof address);
      } else {
        const auto& bytes = std::get<0>(argument);
        add(bytes.data(), bytes.size());
      }
    }
  }
  void* const* data() const { return pointers_.data(); }

 private:
  void add(const void* bytes, std::size_t count) {
    storage_.push_back(std::make_unique<std::max_align_t[]>(count / sizeof(std::max_align_t) + 1));
    if (count > 0) std::memcpy(storage_.back().get(), bytes, count);
    pointers_.push_back(storage_.back().get());
  }

  /// Several tensors may lie in one allocation, and a handle can be opened only once.
  void* open(const SharedTensor& shared, void* runtime) {
    void*& base = opened_[shared.handle];
    if (!base) {
      IpcHandle handle;
      std::memcpy(handle.bytes, shared.handle.data(), sizeof handle.bytes);
      const int code = runtime_function<OpenFunction>(runtime, "cudaIpcOpenMemHandle")(&base, handle, kLazyPeerAccess);
      if (code != 0) fail(WorkerStage::kNoSharedTensor, "cudaIpcOpenMemHandle answers CUDA error " + std::to_string(code));
    }
    return static_cast<std::byte*>(base) + shared.offset;
  }

  std::vector<std::unique_ptr<std::max_align_t[]>> storage_;
  std::vector<void*> pointers_;
  std::map<std::array<std::byte, kHandleBytes>, void*> opened_;
};

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
  const Result<WorkerOrder> order = receive_order(kControlDescriptor);
  if (!order) ::_exit(1);  // the judge is gone
  const auto launch = reinterpret_cast<LaunchFunction>(::dlsym(submission, order->launch.c_str()));
  if (!launch) fail(WorkerStage::kNoLaunch, loader_error());
  const Arguments arguments(*order, runtime);
  WorkerReply reply;
  reply.stage = WorkerStage::kFinished;
  try {
    reply.launch_code = launch(arguments.data());
  } catch (const std::exception& thrown) {
    fail(WorkerStage::kThrew, thrown.what());
  } catch (...) {
    fail(WorkerStage::kThrew, "something that is no std::exception");
  }
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
