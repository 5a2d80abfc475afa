#pragma once
// What the judge tells a worker and what it hears back: one order, one reply, over a socket of their own (the device's is another).
//
// An order says how to call, never what to expect: the worker holds no expected values, no list of cases and no clock. The reply is
// what the program's runtime said. The learner's code lives in the same process and could write the reply itself, so it is never a
// verdict: the judge looks at its own device for that.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "judge/base/error.hpp"
#include "judge/device/channel.hpp"

namespace warpbook::run {

inline constexpr int kControlDescriptor = 3;               ///< the worker's end of this conversation
inline constexpr int kDeviceDescriptor = 4;                ///< the worker's end of the device's
inline constexpr std::uint32_t kWorkerMagic = 0x31574257;  // "WBW1"
inline constexpr std::uint64_t kLargestOrder = std::uint64_t{1} << 20, kLargestReply = std::uint64_t{64} << 10;
inline constexpr std::size_t kHandleBytes = 64;  ///< of a cudaIpcMemHandle_t

/// Device memory of the judge's process on a real GPU: opened in the worker, the argument is the address `offset` bytes into it.
struct SharedTensor {
  std::array<std::byte, kHandleBytes> handle{};
  std::uint64_t offset = 0;
};

/// One parameter of the launch function: the bytes of a value (a scalar, or an address of the virtual GPU), or shared memory.
using WorkerArgument = std::variant<std::vector<std::byte>, SharedTensor>;

struct WorkerOrder {
  std::string launch = "warpbook_launch";  ///< the function to call
  std::vector<WorkerArgument> arguments;
};

/// How far the worker came.
enum class WorkerStage : std::int32_t {
  kNone = 0,            ///< there was no reply
  kFinished = 1,        ///< launched and synchronised: the codes below are set
  kNoRuntime = 2,       ///< the runtime library does not load (ours to mend)
  kNotLoaded = 3,       ///< the submission does not load
  kNoLaunch = 4,        ///< it has no function of the order's name
  kNoSharedTensor = 5,  ///< memory of the judge could not be opened
  kThrew = 6,           ///< the learner's host code threw an exception
};

struct WorkerReply {
  WorkerStage stage = WorkerStage::kNone;
  std::int32_t launch_code = 0;       ///< what the launch function returned
  std::int32_t last_error = 0;        ///< cudaPeekAtLastError after it
  std::int32_t synchronize_code = 0;  ///< cudaDeviceSynchronize after that
  std::string message;                ///< for the stages that failed
};

Status send_order(int socket, const WorkerOrder& order);
Result<WorkerOrder> receive_order(int socket);
Status send_reply(int socket, const WorkerReply& reply);
/// Waits as long as `patience` allows. An error with an empty text: the worker closed without a reply.
Result<WorkerReply> receive_reply(int socket, const device::Patience& patience);

}  // namespace warpbook::run
