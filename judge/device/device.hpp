#pragma once
// What a device is to a program: the only thing the runtime library knows. Behind it stands the virtual GPU in the same process
// (`judge exec`) or at the other end of a socket (judging). Addresses are device addresses: numbers, never pointers of this process.
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpbook::device {

using Address = std::uint64_t;

/// CUDA's error numbers that a device can answer with (the runtime library has all of them).
enum class Code : std::int32_t {
  kSuccess = 0,
  kInvalidValue = 1,
  kMemoryAllocation = 2,
  kInitializationError = 3,
  kInvalidConfiguration = 9,
  kInvalidSymbol = 13,
  kInvalidDevicePointer = 17,
  kInvalidDeviceFunction = 98,
  kNoDevice = 100,
  kInvalidKernelImage = 200,
  kUnsupportedPtxVersion = 222,
  kInvalidResourceHandle = 400,
  kSymbolNotFound = 500,
  kIllegalAddress = 700,
  kLaunchOutOfResources = 701,
  kLaunchTimeout = 702,
  kAssert = 710,
  kHardwareStackError = 714,
  kIllegalInstruction = 715,
  kMisalignedAddress = 716,
  kInvalidAddressSpace = 717,
  kInvalidPc = 718,
  kLaunchFailure = 719,
  kCooperativeLaunchTooLarge = 720,
  kNotSupported = 801,
  kUnknown = 999,
};

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  bool operator==(const Dim3&) const = default;
};

/// Limits and figures of a device, as cudaDeviceProp reports them.
struct Properties {
  std::string name = "Warpbook virtual GPU";
  int major = 8, minor = 0;
  int multiprocessors = 108;
  std::uint64_t memory = std::uint64_t{40} << 30;
  int max_threads_per_block = 1024, max_threads_per_multiprocessor = 2048, max_blocks_per_multiprocessor = 32;
  std::array<int, 3> max_block{1024, 1024, 64};
  std::array<int, 3> max_grid{2147483647, 65535, 65535};
  int shared_per_block = 49152, shared_per_block_optin = 166912, shared_per_multiprocessor = 167936, reserved_shared_per_block = 1024;
  int registers_per_block = 65536;
  int l2_bytes = 40 << 20;
  int clock_khz = 1410000, memory_clock_khz = 1215000, memory_bus_bits = 5120;
};

struct FunctionInfo {
  std::vector<std::uint32_t> parameter_sizes, parameter_offsets;
  std::uint32_t parameter_bytes = 0;
  int max_threads_per_block = 1024;
  int registers = 32;  ///< estimate: ptxas is not asked
  std::uint64_t static_shared = 0, local_bytes = 0, constant_bytes = 0;
};

struct Launch {
  std::uint64_t module = 0;
  std::string function;  ///< PTX entry name
  Dim3 grid, block;
  std::uint64_t dynamic_shared = 0;
  std::uint64_t dynamic_shared_limit = 0;  ///< cudaFuncAttributeMaxDynamicSharedMemorySize as set; 0: never set
  bool cooperative = false;
  std::vector<std::byte> parameters;  ///< the parameter block, laid out as FunctionInfo says
};

enum class FaultKind : std::uint8_t {
  kNone,
  kOutOfBounds,
  kMisaligned,
  kUseAfterFree,
  kNullPointer,
  kReadOnly,
  kUninitialised,
  kRace,
  kBarrierDivergence,
  kDeadlock,
  kBadShuffleMask,
  kInvalidLaunch,
  kBudget,
  kTrap,
  kAssert,
  kStackOverflow,
  kUnsupported,
  kHostPointer,
  kInvalidCall,
  kLaunchError,
};

struct Frame {
  std::string file, function;
  int line = 0, column = 0;
};

/// Who was stopped where: for deadlocks and barrier divergence.
struct Waiter {
  std::string what;     ///< "bar.sync 0", "shfl.sync mask 0xffffffff", "exited"
  std::string threads;  ///< "warp 1, lanes 0-16"
  std::vector<Frame> frames;
};

/// How much a finding weighs. Only errors end a launch and make the device sticky.
enum class Severity : std::uint8_t { kError, kWarning, kInfo };

/// The other place that a finding is about: the earlier access of a race, where an undefined value came from.
struct Related {
  std::string what;  ///< "write of 4 bytes", "the value was read here, before anybody wrote it"
  Dim3 thread{0, 0, 0}, block{0, 0, 0};
  std::vector<Frame> frames;
};

/// Something a kernel did that it must not. `frames[0]` is the innermost source position.
struct Fault {
  FaultKind kind = FaultKind::kNone;
  Severity severity = Severity::kError;
  Code code = Code::kLaunchFailure;
  std::string kernel;   ///< demangled name
  std::string message;  ///< one sentence: "write of 4 bytes at 0x7f.. is 8 bytes past the end of y (1024 bytes)"
  std::vector<Frame> frames;
  std::string instruction;  ///< PTX text of the opcode: "st.global.f32"
  Dim3 thread{0, 0, 0}, block{0, 0, 0};
  Address address = 0;
  std::uint32_t bytes = 0;
  std::string space;  ///< "global", "shared", "local", ...
  std::vector<Waiter> waiters;
  std::vector<Related> related;
  std::uint64_t lanes_affected = 1;  ///< how many lanes of the instruction did the same
};

/// Counters of one launch (thread instructions, requests ...), summed over the grid; counters.def says what each one is.
struct Counters {
#define COUNTER(name) std::uint64_t name = 0;
#include "judge/device/counters.def"
#undef COUNTER
  Counters& operator+=(const Counters& more) {
#define COUNTER(name) name += more.name;
#include "judge/device/counters.def"
#undef COUNTER
    return *this;
  }
};

/// Bytes that lanes requested of one allocation since it was made: what "passes over a tensor" is counted from.
struct Traffic {
  std::uint64_t loaded_bytes = 0, stored_bytes = 0;
};

enum class CopyKind : std::uint8_t { kHostToDevice, kDeviceToHost, kDeviceToDevice };

/// An answer: `code` is CUDA's; `message` says more when the device can.
struct Answer {
  Code code = Code::kSuccess;
  std::string message{};
  bool ok() const { return code == Code::kSuccess; }
};

class Device {
 public:
  virtual ~Device() = default;
  virtual Properties properties() = 0;

  /// Takes PTX text; `module` names it from then on.
  virtual Answer load_module(std::string_view ptx, std::uint64_t& module) = 0;
  virtual Answer unload_module(std::uint64_t module) = 0;
  virtual Answer function_info(std::uint64_t module, std::string_view name, FunctionInfo& info) = 0;
  /// Address and size of a __device__, __constant__ or __managed__ variable.
  virtual Answer find_variable(std::uint64_t module, std::string_view name, Address& address, std::uint64_t& bytes) = 0;
  /// Told that a kernel may take `bytes` of dynamic shared memory from now on (cudaFuncSetAttribute), after the runtime has checked them;
  /// the limit itself comes with each launch. A device that answers an error refuses.
  virtual Answer allow_shared(std::uint64_t, std::string_view, std::uint64_t) { return {}; }

  virtual Answer allocate(std::uint64_t bytes, Address& address) = 0;
  /// Memory that host code and kernels use at one address (managed, pinned). Only a device in the caller's own process has it.
  virtual Answer allocate_shared(std::uint64_t, Address&) {
    return {Code::kNotSupported, "memory that host code and kernels share needs the device in one process with the program: judge exec"};
  }
  /// Lets kernels use `bytes` of host memory at its own address until it is freed (cudaHostRegister); as above.
  virtual Answer share(std::byte*, std::uint64_t) {
    return {Code::kNotSupported, "host memory is out of reach for a device in another process"};
  }
  virtual Answer free(Address address) = 0;
  /// Where an address lies: base and size of its allocation; kInvalidDevicePointer when in none.
  virtual Answer find_allocation(Address address, Address& base, std::uint64_t& bytes) = 0;
  virtual Answer memory_info(std::uint64_t& free_bytes, std::uint64_t& total_bytes) = 0;

  virtual Answer write(Address to, std::span<const std::byte> from) = 0;
  virtual Answer read(std::span<std::byte> to, Address from) = 0;
  virtual Answer copy(Address to, Address from, std::uint64_t bytes) = 0;
  /// Repeats the low `width` (1, 2, 4) bytes of `value` over `count` elements.
  virtual Answer fill(Address to, std::uint32_t value, int width, std::uint64_t count) = 0;

  /// Runs the grid to its end. A launch that hardware would refuse is answered with its code and touches nothing; a fault while running
  /// makes the device sticky: the launch itself answers kSuccess and every later call answers the fault's code, as CUDA does.
  virtual Answer launch(const Launch& launch) = 0;
  /// The sticky code, if any.
  virtual Answer synchronize() = 0;

  /// What kernels printed since the last call.
  virtual std::string take_output() = 0;
};

}  // namespace warpbook::device
