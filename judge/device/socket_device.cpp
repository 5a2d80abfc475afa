#include "judge/device/socket_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace warpbook::device {
namespace {

constexpr const char* kGone = "the connection to the device is gone";

std::optional<std::uint64_t> answer_limit(std::int32_t) { return kLargestAnswer; }

}  // namespace

template <class Take>
Answer SocketDevice::ask(Operation operation, const Writer& request, Take take) {
  const std::lock_guard lock(turn_);
  if (broken_) return {Code::kUnknown, kGone};
  Message message;
  std::string why;
  const Patience patience;
  if (send_message(socket_, kRequestMagic, static_cast<std::int32_t>(operation), request.view(), patience) != Transfer::kDone ||
      receive_message(socket_, kAnswerMagic, answer_limit, patience, message, why) != Transfer::kDone) {
    broken_ = true;
    return {Code::kUnknown, kGone};
  }
  Reader reader(message.payload);
  Answer answer{static_cast<Code>(message.kind), std::string(reader.text())};
  if (answer.ok()) take(reader);
  if (reader.done()) return answer;
  broken_ = true;
  return {Code::kUnknown, "the device sent an answer that cannot be read"};
}

Answer SocketDevice::ask(Operation operation, const Writer& request) {
  return ask(operation, request, [](Reader&) {});
}

Properties SocketDevice::properties() {
  Properties properties;
  ask(Operation::kProperties, Writer(), [&](Reader& reader) { get(reader, properties); });
  return properties;
}

Answer SocketDevice::load_module(std::string_view ptx, std::uint64_t& module) {
  return ask(Operation::kLoadModule, Writer().text(ptx), [&](Reader& reader) { module = reader.u64(); });
}

Answer SocketDevice::unload_module(std::uint64_t module) { return ask(Operation::kUnloadModule, Writer().u64(module)); }

Answer SocketDevice::function_info(std::uint64_t module, std::string_view name, FunctionInfo& info) {
  return ask(Operation::kFunctionInfo, Writer().u64(module).text(name), [&](Reader& reader) { get(reader, info); });
}

Answer SocketDevice::find_variable(std::uint64_t module, std::string_view name, Address& address, std::uint64_t& bytes) {
  return ask(Operation::kFindVariable, Writer().u64(module).text(name), [&](Reader& reader) {
    address = reader.u64();
    bytes = reader.u64();
  });
}

Answer SocketDevice::allow_shared(std::uint64_t module, std::string_view function, std::uint64_t bytes) {
  return ask(Operation::kAllowShared, Writer().u64(module).text(function).u64(bytes));
}

Answer SocketDevice::allocate(std::uint64_t bytes, Address& address) {
  return ask(Operation::kAllocate, Writer().u64(bytes), [&](Reader& reader) { address = reader.u64(); });
}

Answer SocketDevice::free(Address address) { return ask(Operation::kFree, Writer().u64(address)); }

Answer SocketDevice::find_allocation(Address address, Address& base, std::uint64_t& bytes) {
  return ask(Operation::kFindAllocation, Writer().u64(address), [&](Reader& reader) {
    base = reader.u64();
    bytes = reader.u64();
  });
}

Answer SocketDevice::memory_info(std::uint64_t& free_bytes, std::uint64_t& total_bytes) {
  return ask(Operation::kMemoryInfo, Writer(), [&](Reader& reader) {
    free_bytes = reader.u64();
    total_bytes = reader.u64();
  });
}

Answer SocketDevice::check_range(Address address, std::uint64_t bytes) {
  Address base = 0;
  std::uint64_t size = 0;
  if (Answer found = find_allocation(address, base, size); !found.ok()) {
    if (found.code == Code::kInvalidDevicePointer) found.code = Code::kInvalidValue;  // what a copy answers
    return found;
  }
  if (bytes <= size - (address - base)) return {};
  return {Code::kInvalidValue, fmt::format("copy of {} bytes at {:#x} does not fit: the allocation there ends after {} bytes", bytes,
                                           address, size - (address - base))};
}

Answer SocketDevice::write(Address to, std::span<const std::byte> from) {
  if (from.size() > kPiece)
    if (const Answer fits = check_range(to, from.size()); !fits.ok()) return fits;
  do {
    const auto piece = from.first(static_cast<std::size_t>(std::min<std::uint64_t>(from.size(), kPiece)));
    if (Answer answer = ask(Operation::kWrite, Writer().u64(to).bytes(piece)); !answer.ok()) return answer;
    to += piece.size();
    from = from.subspan(piece.size());
  } while (!from.empty());
  return {};
}

Answer SocketDevice::read(std::span<std::byte> to, Address from) {
  if (to.size() > kPiece)
    if (const Answer fits = check_range(from, to.size()); !fits.ok()) return fits;
  do {
    const auto piece = to.first(static_cast<std::size_t>(std::min<std::uint64_t>(to.size(), kPiece)));
    const Answer answer = ask(Operation::kRead, Writer().u64(from).u64(piece.size()), [&](Reader& reader) {
      const auto bytes = reader.bytes();
      if (bytes.size() == piece.size() && !piece.empty()) std::memcpy(piece.data(), bytes.data(), piece.size());
    });
    if (!answer.ok()) return answer;
    from += piece.size();
    to = to.subspan(piece.size());
  } while (!to.empty());
  return {};
}

Answer SocketDevice::copy(Address to, Address from, std::uint64_t bytes) {
  return ask(Operation::kCopy, Writer().u64(to).u64(from).u64(bytes));
}

Answer SocketDevice::fill(Address to, std::uint32_t value, int width, std::uint64_t count) {
  return ask(Operation::kFill, Writer().u64(to).u32(value).i32(width).u64(count));
}

Answer SocketDevice::launch(const Launch& launch) {
  Writer request;
  put(request, launch);
  return ask(Operation::kLaunch, request);
}

Answer SocketDevice::synchronize() { return ask(Operation::kSynchronize, Writer()); }

std::string SocketDevice::take_output() {
  std::string output;
  ask(Operation::kTakeOutput, Writer(), [&](Reader& reader) { output = reader.text(); });
  return output;
}

}  // namespace warpbook::device
