// A handler may do little, but a process that ends here has nothing left to lose: what is needed is made before (an alternative stack),
// the runtime's lock is only tried (whoever crashed may hold it), and a second crash in the handler takes the default action at once.
#include "judge/cudart/crash.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <ucontext.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "judge/cudart/runtime.hpp"

namespace warpbook::cudart {
namespace {

constexpr std::array kSignals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr std::size_t kStackBytes = std::size_t{256} << 10;
constexpr unsigned long kWriteBit = 2;  // of the page fault's error code on x86-64

std::array<struct sigaction, kSignals.size()> before_us;

std::string bytes_text(std::uint64_t bytes) { return fmt::format("{} {}", bytes, bytes == 1 ? "byte" : "bytes"); }

/// "reads", "writes", or "uses" where the processor does not tell.
const char* verb(const void* context) {
#ifdef __x86_64__
  const auto* machine = static_cast<const ucontext_t*>(context);
  return static_cast<unsigned long>(machine->uc_mcontext.gregs[REG_ERR]) & kWriteBit ? "writes" : "reads";
#else
  static_cast<void>(context);
  return "uses";
#endif
}

/// What host code did at an address that is device memory; empty when it is none.
std::string device_pointer_text(Runtime& runtime, device::Address address, const void* context) {
  device::Address base = 0;
  std::uint64_t bytes = 0;
  if (!runtime.device().find_allocation(address, base, bytes).ok()) return {};
  const auto known = runtime.allocations.find(base);
  const std::string whose = known == runtime.allocations.end() ? std::string() : fmt::format(" of {}", known->second.call);
  return fmt::format("{} device pointer {:#x}, {} into the allocation of {}{}: copy with cudaMemcpy, or use cudaMallocManaged",
                     verb(context), address, bytes_text(address - base), bytes_text(bytes), whose);
}

void explain(int signal, const siginfo_t* info, const void* context) {
  Runtime& runtime = Runtime::get();
  const bool memory = (signal == SIGSEGV || signal == SIGBUS) && info->si_code > 0;
  const auto address = reinterpret_cast<device::Address>(info->si_addr);
  const std::unique_lock lock(runtime.mutex(), std::try_to_lock);
  if (!lock.owns_lock()) {
    const char* call = runtime.current_call;
    if (memory && call)
      fmt::print(stderr, "warpbook: {} stopped at {:#x}: if that is an argument of the call, no host memory is there\n", call, address);
    return;
  }
  if (memory) {
    if (const std::string text = device_pointer_text(runtime, address, context); !text.empty()) {
      device::Fault fault;
      fault.kind = device::FaultKind::kInvalidCall;
      fault.code = device::Code::kInvalidDevicePointer;
      fault.kernel = "host code";
      fault.message = text;
      fault.address = address;
      if (runtime.report().to_judge()) runtime.report().finding(fault);
      else fmt::print(stderr, "warpbook: host code {}\n", text);
    }
  }
  runtime.end(fmt::format("signal {}", signal));
}

void handle(int signal, siginfo_t* info, void* context) {
  for (std::size_t i = 0; i < kSignals.size(); ++i)
    if (kSignals[i] == signal) ::sigaction(signal, &before_us[i], nullptr);
  explain(signal, info, context);
  // A fault happens again as soon as we return, and abort() raises its signal again; what somebody sent has to be sent again.
  if (info->si_code <= 0 && signal != SIGABRT) ::raise(signal);
}

}  // namespace

void install_crash_handler() {
  static bool installed = false;
  if (installed) return;
  installed = true;
  stack_t stack{};
  stack.ss_sp = std::malloc(kStackBytes);
  stack.ss_size = kStackBytes;
  if (stack.ss_sp) ::sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ::sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &action, &before_us[i]);
}

}  // namespace warpbook::cudart
