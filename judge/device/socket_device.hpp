#pragma once
// A device at the other end of a socket: what the runtime library holds in a worker. Each call is one request and one answer (copies
// are several); calls from several threads take turns. When the connection ends, every call answers kUnknown and says so.
#include <memory>
#include <mutex>

#include "judge/device/channel.hpp"
#include "judge/device/device.hpp"
#include "judge/device/requests.hpp"

namespace warpbook::device {

class SocketDevice final : public Device {
 public:
  /// Takes a connected stream socket; does not close it.
  explicit SocketDevice(int socket) : socket_(socket) {}

  Properties properties() override;
  Answer load_module(std::string_view ptx, std::uint64_t& module) override;
  Answer unload_module(std::uint64_t module) override;
  Answer function_info(std::uint64_t module, std::string_view name, FunctionInfo& info) override;
  Answer find_variable(std::uint64_t module, std::string_view name, Address& address, std::uint64_t& bytes) override;
  Answer allow_shared(std::uint64_t module, std::string_view function, std::uint64_t bytes) override;
  Answer allocate(std::uint64_t bytes, Address& address) override;
  Answer free(Address address) override;
  Answer find_allocation(Address address, Address& base, std::uint64_t& bytes) override;
  Answer memory_info(std::uint64_t& free_bytes, std::uint64_t& total_bytes) override;
  Answer write(Address to, std::span<const std::byte> from) override;
  Answer read(std::span<std::byte> to, Address from) override;
  Answer copy(Address to, Address from, std::uint64_t bytes) override;
  Answer fill(Address to, std::uint32_t value, int width, std::uint64_t count) override;
  Answer launch(const Launch& launch) override;
  Answer synchronize() override;
  std::string take_output() override;

 private:
  /// Sends, waits for the answer, and lets `take` read the results of a success.
  template <class Take>
  Answer ask(Operation operation, const Writer& request, Take take);
  Answer ask(Operation operation, const Writer& request);
  /// A copy of several pieces is checked as a whole first: one that does not fit must move nothing.
  Answer check_range(Address address, std::uint64_t bytes);

  int socket_;
  bool broken_ = false;
  std::mutex turn_;
};

}  // namespace warpbook::device
