#pragma once
// The device's end of the socket. Whoever is at the other end runs a stranger's code: a request that is not well formed ends the
// conversation with a reason (our own client never sends one), and one that is well formed but asks for too much is refused with
// CUDA's code. The server stops for nobody: a message must arrive whole within a time, and a launch count and an amount of memory
// bound what a program can have the device do.
//
// What the program did not allocate it cannot free: the tensors of a case belong to the judge.
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "judge/device/channel.hpp"
#include "judge/device/device.hpp"
#include "judge/device/requests.hpp"

namespace warpbook::device {

/// What one program may ask for.
struct ServeLimits {
  std::uint64_t module_bytes = std::uint64_t{64} << 20;    ///< PTX text of one module
  std::uint64_t allocated_bytes = std::uint64_t{4} << 30;  ///< at any one time
  std::uint64_t allocations = 65536;                       ///< at any one time
  std::uint64_t launches = 100'000;                        ///< in all; one more is answered kLaunchTimeout
  std::uint64_t output_bytes = std::uint64_t{1} << 20;     ///< of kernels' printf; the rest is dropped
  std::chrono::milliseconds message_time{
      10'000};  ///< from the first byte of a request to the last of its answer, without the device's work
};

/// How a judge bends the conversation.
struct ServeHooks {
  /// Answers load_module instead of the device, e.g. with a module that the judge loaded itself. Empty: the device is asked.
  std::function<Answer(std::string_view ptx, std::uint64_t& module)> load_module{};
  /// The module's own spelling of a kernel's or variable's name (see NameIndex::find). Empty or an empty answer: as it came.
  std::function<std::string(std::string_view name)> resolve{};
  /// Asked before a launch, an allocation, a fill, a copy or a change of a kernel's limits is carried out; an error is answered instead.
  /// This is how a case makes a call fail that would succeed.
  std::function<Answer(Operation)> refuse{};
  /// Told of each piece of memory that came from the program (kWrite) or went to it (kRead), once it was carried out.
  std::function<void(Operation, Address, std::uint64_t bytes)> copied{};
  /// Asked a few times a second while a message is under way; true ends the conversation.
  std::function<bool()> stop{};
};

/// What happened so far.
struct ServeReport {
  std::uint64_t calls = 0, launches = 0;
  std::string violation;                    ///< why the conversation was ended, empty: it was not
  std::string refused_call;                 ///< the first call that was answered with an error: its name ...
  Answer refused{};                         ///< ... and that answer
  std::chrono::nanoseconds device_time{0};  ///< spent in the device, not in waiting for messages
};

enum class Turn : std::uint8_t { kServed, kClosed, kViolation, kStopped };

class Server {
 public:
  /// Neither the socket nor the device is owned.
  Server(int socket, Device& device, const ServeLimits& limits = {}, ServeHooks hooks = {});
  /// Waits for one request, answers it.
  Turn serve_one();
  /// Until the other end closes, violates the protocol, or hooks.stop says so.
  Turn serve_until_closed();
  const ServeReport& report() const { return report_; }

 private:
  Turn violate(std::string why);
  Answer refused(Operation operation) const;
  bool dispatch(Operation operation, Reader& request, Answer& answer, Writer& results);
  bool dispatch_memory(Operation operation, Reader& request, Answer& answer, Writer& results);
  Answer allocate(std::uint64_t bytes, Address& address);
  Answer free(Address address);
  Answer launch(Launch& launch);
  std::string resolved(std::string_view name) const;

  int socket_;
  Device& device_;
  ServeLimits limits_;
  ServeHooks hooks_;
  ServeReport report_;
  std::map<Address, std::uint64_t> allocations_;  ///< of this program
  std::uint64_t allocated_ = 0, printed_ = 0;
};

}  // namespace warpbook::device
