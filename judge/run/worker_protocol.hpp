#pragma once
// What the judge tells a worker and what it hears back, over a socket of their own (the device's is another): one order, one reply. Where
// time is measured the conversation is longer: an order with sets of arguments, the reply "ready", and then rounds of launches, as many as
// the judge asks for, until it hangs up (timed_worker.hpp is the judge's side).
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

/// Arguments of a launch, several times over: the same values, the tensors of each set as far behind those of the set before it as
/// `strides` says (bytes; 0 for what is not shared memory). So an order is short however many sets there are.
struct ArgumentSets {
  std::vector<WorkerArgument> arguments;
  std::vector<std::uint64_t> strides;  ///< as many as arguments
  std::uint32_t count = 1;
};

/// What may be launched in rounds. Handles are opened once, before the first.
struct TimedOrder {
  std::string launch = "warpbook_launch";
  std::vector<ArgumentSets> groups;
};

/// `count` launches one after another, the first with set `first` of a group, each with the next one, the first set behind the last.
struct Round {
  std::uint32_t group = 0, first = 0, count = 0;
};

/// What the worker says of a round. The judge's own clock decides; this is what its answer is held against.
struct RoundReply {
  std::int32_t launch_code = 0;       ///< the first launch that returned another code than 0 ended the round
  std::int32_t last_error = 0;        ///< cudaPeekAtLastError after the launches
  std::int32_t synchronize_code = 0;  ///< cudaDeviceSynchronize after that
  double device_seconds = 0;          ///< between two CUDA events around the launches
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
  kReady = 7,           ///< of a timed conversation: it waits for a round
};

struct WorkerReply {
  WorkerStage stage = WorkerStage::kNone;
  std::int32_t launch_code = 0;       ///< what the launch function returned
  std::int32_t last_error = 0;        ///< cudaPeekAtLastError after it
  std::int32_t synchronize_code = 0;  ///< cudaDeviceSynchronize after that
  std::string message;                ///< for the stages that failed
};

Status send_order(int socket, const WorkerOrder& order);
Status send_reply(int socket, const WorkerReply& reply);
/// Waits as long as `patience` allows. An error with an empty text: the worker closed without a reply.
Result<WorkerReply> receive_reply(int socket, const device::Patience& patience);

Status send_timed_order(int socket, const TimedOrder& order);
/// The order that comes first: of one launch or of a timed conversation.
Result<std::variant<WorkerOrder, TimedOrder>> receive_any_order(int socket);
Status send_round(int socket, const Round& round);
/// Waits for the judge. An error with an empty text: it has hung up.
Result<Round> receive_round(int socket);
Status send_round_reply(int socket, const RoundReply& reply);
/// What comes behind a round: its figures, or the reply of a worker that could not go on.
Result<std::variant<RoundReply, WorkerReply>> receive_round_reply(int socket, const device::Patience& patience);

}  // namespace warpbook::run
