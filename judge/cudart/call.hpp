#pragma once
// One call of the API: holds the runtime's lock, knows its own name, and turns an Answer into CUDA's return value while keeping the
// books on errors.
//
// Errors are kept per thread, as CUDA does: a failing call leaves its code for cudaGetLastError, which takes it away; a success leaves
// it alone. A code that a running kernel caused is different: the device is broken for good, every later call and every
// cudaGetLastError of every thread answers it.
#include <mutex>
#include <string_view>

#include "judge/cudart/runtime.hpp"
#include "judge/device/codes.hpp"

namespace warpbook::cudart {

class Call {
 public:
  explicit Call(const char* name) : name_(name), runtime_(Runtime::get()), lock_(runtime_.mutex()) { runtime_.current_call = name; }
  ~Call() {
    if (lock_.owns_lock()) runtime_.current_call = nullptr;
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  const char* name() const { return name_; }

  Runtime& runtime() { return runtime_; }
  device::Device& device() { return runtime_.device(); }

  /// CUDA's number for the answer; remembers an error and, when no judge listens, says on stderr why the call was refused.
  int finish(const device::Answer& answer);
  int success() const { return 0; }
  int fail(device::Code code, std::string message) { return finish({code, std::move(message)}); }
  /// Waits for the device, shows what kernels printed, and answers what the device says.
  int synchronize();
  /// Like fail, for a call that is a mistake of its own whatever the program does about the answer (a second free): under `judge exec`
  /// it is a finding.
  int misuse(device::Code code, std::string message);
  /// Lets the lock go, to call back into the program, and takes it again.
  void unlock() {
    runtime_.current_call = nullptr;
    lock_.unlock();
  }
  void lock() {
    lock_.lock();
    runtime_.current_call = name_;
  }

 private:
  const char* name_;
  Runtime& runtime_;
  std::unique_lock<std::mutex> lock_;
};

/// The calling thread's error; `take` resets it.
device::Code last_error(bool take);

}  // namespace warpbook::cudart
