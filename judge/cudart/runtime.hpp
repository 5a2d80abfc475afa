#pragma once
// The state behind the API: the device, what the program registered, what it holds. There is one per process and it is never
// destroyed: programs register their kernels before this library's own globals would be constructed and unregister after they would be
// gone, so it lives in a function-local static on the heap.
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "judge/cudart/choose_device.hpp"
#include "judge/cudart/report.hpp"
#include "judge/device/device.hpp"

namespace warpbook::cudart {

/// A fat binary of the program; its module is loaded when something of it is first used.
struct Binary {
  const void* wrapper = nullptr;
  bool loaded = false;
  std::uint64_t module = 0;
  device::Answer answer{};  ///< of loading
};

/// A kernel, by the address of its host stub.
struct Kernel {
  Binary* binary = nullptr;
  std::string name;  ///< PTX entry
  bool looked_up = false;
  device::Answer answer{};  ///< of looking it up
  device::FunctionInfo info;
  std::uint64_t dynamic_shared_limit = 0;
};

/// A device variable, by the address of its host shadow.
struct Variable {
  Binary* binary = nullptr;
  std::string name;
  bool managed = false;
  bool looked_up = false;
  device::Answer answer{};
  device::Address address = 0;
  std::uint64_t bytes = 0;
};

/// Device memory that the program holds.
struct Allocation {
  std::uint64_t bytes = 0;
  const char* call = "";  ///< by which it was got
  bool managed = false;   ///< its device address is a pointer of this process, too
  void* pool = nullptr;   ///< the memory pool it was taken from, if any
};

/// Pinned host memory.
struct Pinned {
  std::uint64_t bytes = 0;
  unsigned flags = 0;
  bool registered = false;  ///< the program's own memory (cudaHostRegister), else ours
  bool on_device = false;   ///< kernels may use it, at its own address
};

class Runtime {
 public:
  static Runtime& get();

  /// Held by each API call (see Call); everything below expects it.
  std::mutex& mutex() { return mutex_; }

  device::Device& device();
  bool judged();
  /// cudaLimitMallocHeapSize, where the device lets it be chosen.
  void set_heap_bytes(std::uint64_t bytes);
  /// What follows is done by `task`, where the device wants to know.
  void begin_task(vgpu::StreamTask task);
  /// Asked for once and kept: what a device is does not change.
  const device::Properties& properties();

  Binary* add_binary(const void* wrapper);
  void remove_binary(Binary* binary);
  void add_kernel(Binary* binary, const void* host, std::string name);
  void add_variable(Binary* binary, const void* host, std::string name, bool managed);

  /// The kernel with its FunctionInfo; null with the reason in `answer` when it cannot be had.
  Kernel* find_kernel(const void* host, device::Answer& answer);
  Variable* find_variable(const void* host, device::Answer& answer);
  /// Tells host code where the __managed__ variables of a binary are. False: not all of them can be had; stderr says why.
  bool place_managed(const Binary* binary);

  /// Prints what kernels printed, and (when no judge does) what they did wrong.
  void show_output();
  /// Gives everything the program holds on the device back and forgets loaded modules: cudaDeviceReset.
  void reset();

  /// The error of a device that is broken for good; kSuccess: it is not.
  device::Code sticky() const { return sticky_; }
  void set_sticky(device::Code code) { sticky_ = code; }

  /// The program's end, whatever it comes by: what is left to tell is told, once. `how`: "exit", "signal 11".
  void end(std::string_view how);
  Report& report() { return report_; }

  /// Launches, and keeps the books on what it costs.
  device::Answer launch(const device::Launch& order);
  /// True when `address` lies in memory that host and kernels use at one address (managed, pinned).
  bool is_shared(std::uintptr_t address) const;

  std::map<device::Address, Allocation> allocations;  ///< of cudaMalloc and its kin
  std::map<std::uintptr_t, Pinned> pinned;            ///< by its begin
  std::map<int, std::size_t> limits;                  ///< cudaDeviceSetLimit
  unsigned device_flags = 0;
  std::atomic<const char*> current_call = nullptr;  ///< who holds the lock; looked at when the process crashes

 private:
  Runtime() = default;
  ChosenDevice& chosen();
  device::Answer load(Binary& binary);
  void look_up(Variable& variable);

  std::mutex mutex_;
  std::optional<ChosenDevice> chosen_;
  std::optional<device::Properties> properties_;
  std::set<Binary*> binaries_;
  std::map<const void*, Kernel> kernels_;
  std::map<const void*, Variable> variables_;
  std::size_t faults_shown_ = 0;
  Report report_;
  device::Code sticky_ = device::Code::kSuccess;
};

}  // namespace warpbook::cudart
