#include "judge/device/server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace warpbook::device {
namespace {

constexpr std::size_t kLongestMessage = 4096;  // of an answer's sentence; the other end needs no more

std::string_view name_of(Operation operation) {
  switch (operation) {
    case Operation::kProperties: return "properties";
    case Operation::kLoadModule: return "load module";
    case Operation::kUnloadModule: return "unload module";
    case Operation::kFunctionInfo: return "function info";
    case Operation::kFindVariable: return "find variable";
    case Operation::kAllocate: return "allocate";
    case Operation::kFree: return "free";
    case Operation::kFindAllocation: return "find allocation";
    case Operation::kMemoryInfo: return "memory info";
    case Operation::kWrite: return "write";
    case Operation::kRead: return "read";
    case Operation::kCopy: return "copy";
    case Operation::kFill: return "fill";
    case Operation::kLaunch: return "launch";
    case Operation::kSynchronize: return "synchronize";
    case Operation::kTakeOutput: return "take output";
    case Operation::kAllowShared: return "allow shared memory";
  }
  return "unknown operation";
}

}  // namespace

Server::Server(int socket, Device& device, const ServeLimits& limits, ServeHooks hooks)
    : socket_(socket), device_(device), limits_(limits), hooks_(std::move(hooks)) {}

Turn Server::violate(std::string why) {
  report_.violation = std::move(why);
  return Turn::kViolation;
}

Turn Server::serve_until_closed() {
  Turn turn = serve_one();
  while (turn == Turn::kServed) turn = serve_one();
  return turn;
}

Turn Server::serve_one() {
  Patience patience;
  patience.stop = hooks_.stop;
  // A program may be silent for as long as it likes; the time of a message begins with its first byte.
  switch (wait_readable(socket_, patience)) {
    case Transfer::kDone: break;
    case Transfer::kStopped: return Turn::kStopped;
    default: return violate("the connection cannot be waited for");
  }
  patience.until = std::chrono::steady_clock::now() + limits_.message_time;
  Message message;
  std::string why;
  const auto limit = [this](std::int32_t kind) { return request_limit(kind, limits_.module_bytes); };
  switch (receive_message(socket_, kRequestMagic, limit, patience, message, why)) {
    case Transfer::kDone: break;
    case Transfer::kClosed: return Turn::kClosed;
    case Transfer::kStopped: return Turn::kStopped;
    case Transfer::kTimedOut: return violate("a request did not arrive whole in time");
    case Transfer::kBroken: return violate("the connection cannot be read");
    case Transfer::kMalformed: return violate(std::move(why));
  }

  const auto operation = static_cast<Operation>(message.kind);
  Reader request(message.payload);
  Answer answer;
  Writer results;
  const auto begin = std::chrono::steady_clock::now();
  if (!dispatch(operation, request, answer, results)) return violate(fmt::format("a request to {} cannot be read", name_of(operation)));
  report_.device_time += std::chrono::steady_clock::now() - begin;
  ++report_.calls;
  if (!answer.ok() && report_.refused_call.empty()) {
    report_.refused_call = name_of(operation);
    report_.refused = answer;
  }

  Writer reply;
  reply.text(std::string_view(answer.message).substr(0, kLongestMessage));
  if (answer.ok()) reply.raw(results.view().data(), results.view().size());
  patience.until = std::chrono::steady_clock::now() + limits_.message_time;
  switch (send_message(socket_, kAnswerMagic, static_cast<std::int32_t>(answer.code), reply.view(), patience)) {
    case Transfer::kDone: return Turn::kServed;
    case Transfer::kStopped: return Turn::kStopped;
    case Transfer::kTimedOut: return violate("an answer was not taken in time");
    default: return Turn::kClosed;
  }
}

Answer Server::refused(Operation operation) const { return hooks_.refuse ? hooks_.refuse(operation) : Answer{}; }

/// False when the request is not well formed. A request is carried out only once all of it has been read.
bool Server::dispatch(Operation operation, Reader& request, Answer& answer, Writer& results) {
  switch (operation) {
    case Operation::kProperties: {
      if (!request.done()) return false;
      put(results, device_.properties());
      return true;
    }
    case Operation::kLoadModule: {
      const auto ptx = request.text();
      if (!request.done()) return false;
      std::uint64_t module = 0;
      answer = hooks_.load_module ? hooks_.load_module(ptx, module) : device_.load_module(ptx, module);
      results.u64(module);
      return true;
    }
    case Operation::kUnloadModule: {
      const auto module = request.u64();
      if (!request.done()) return false;
      // A module that the judge loaded outlives the program.
      if (!hooks_.load_module) answer = device_.unload_module(module);
      return true;
    }
    case Operation::kFunctionInfo: {
      const auto module = request.u64();
      const auto name = request.text();
      if (!request.done()) return false;
      FunctionInfo info;
      answer = device_.function_info(module, resolved(name), info);
      put(results, info);
      return true;
    }
    case Operation::kFindVariable: {
      const auto module = request.u64();
      const auto name = request.text();
      if (!request.done()) return false;
      Address address = 0;
      std::uint64_t bytes = 0;
      answer = device_.find_variable(module, resolved(name), address, bytes);
      results.u64(address).u64(bytes);
      return true;
    }
    case Operation::kAllowShared: {
      const auto module = request.u64();
      const auto function = request.text();
      const auto bytes = request.u64();
      if (!request.done()) return false;
      answer = refused(operation);
      if (answer.ok()) answer = device_.allow_shared(module, resolved(function), bytes);
      return true;
    }
    case Operation::kLaunch: {
      Launch order;
      get(request, order);
      if (!request.done()) return false;
      answer = refused(operation);
      if (answer.ok()) answer = launch(order);
      return true;
    }
    case Operation::kSynchronize: {
      if (!request.done()) return false;
      answer = device_.synchronize();
      return true;
    }
    case Operation::kTakeOutput: {
      if (!request.done()) return false;
      const std::string output = device_.take_output();
      const auto kept = std::min<std::uint64_t>({output.size(), limits_.output_bytes - printed_, kPiece});
      printed_ += kept;
      results.text(std::string_view(output).substr(0, static_cast<std::size_t>(kept)));
      return true;
    }
    default: return dispatch_memory(operation, request, answer, results);
  }
}

bool Server::dispatch_memory(Operation operation, Reader& request, Answer& answer, Writer& results) {
  switch (operation) {
    case Operation::kAllocate: {
      const auto bytes = request.u64();
      if (!request.done()) return false;
      Address address = 0;
      answer = refused(operation);
      if (answer.ok()) answer = allocate(bytes, address);
      results.u64(address);
      return true;
    }
    case Operation::kFree: {
      const auto address = request.u64();
      if (!request.done()) return false;
      answer = free(address);
      return true;
    }
    case Operation::kFindAllocation: {
      const auto address = request.u64();
      if (!request.done()) return false;
      Address base = 0;
      std::uint64_t bytes = 0;
      answer = device_.find_allocation(address, base, bytes);
      results.u64(base).u64(bytes);
      return true;
    }
    case Operation::kMemoryInfo: {
      if (!request.done()) return false;
      std::uint64_t available = 0, total = 0;
      answer = device_.memory_info(available, total);
      results.u64(available).u64(total);
      return true;
    }
    case Operation::kWrite: {
      const auto to = request.u64();
      const auto from = request.bytes();
      if (!request.done()) return false;
      answer = refused(operation);
      if (answer.ok()) answer = device_.write(to, from);
      if (answer.ok() && hooks_.copied) hooks_.copied(operation, to, from.size());
      return true;
    }
    case Operation::kRead: {
      const auto from = request.u64();
      const auto bytes = request.u64();
      if (!request.done() || bytes > kPiece) return false;
      std::vector<std::byte> piece(static_cast<std::size_t>(bytes));
      answer = refused(operation);
      if (answer.ok()) answer = device_.read(piece, from);
      if (answer.ok() && hooks_.copied) hooks_.copied(operation, from, bytes);
      results.bytes(piece);
      return true;
    }
    case Operation::kCopy: {
      const auto to = request.u64();
      const auto from = request.u64();
      const auto bytes = request.u64();
      if (!request.done()) return false;
      answer = refused(operation);
      if (answer.ok()) answer = device_.copy(to, from, bytes);
      return true;
    }
    case Operation::kFill: {
      const auto to = request.u64();
      const auto value = request.u32();
      const auto width = request.i32();
      const auto count = request.u64();
      if (!request.done() || (width != 1 && width != 2 && width != 4)) return false;
      answer = refused(operation);
      if (!answer.ok()) return true;
      if (count > std::numeric_limits<std::uint64_t>::max() / static_cast<std::uint64_t>(width))
        answer = {Code::kInvalidValue, fmt::format("fill of {} elements of {} bytes is larger than any memory", count, width)};
      else answer = device_.fill(to, value, width, count);
      return true;
    }
    default: return false;
  }
}

Answer Server::allocate(std::uint64_t bytes, Address& address) {
  if (bytes > limits_.allocated_bytes - allocated_)
    return {Code::kMemoryAllocation, fmt::format("{} bytes asked for when {} of {} are left to this program", bytes,
                                                 limits_.allocated_bytes - allocated_, limits_.allocated_bytes)};
  if (allocations_.size() >= limits_.allocations)
    return {Code::kMemoryAllocation, fmt::format("the program holds {} allocations, as many as it may", allocations_.size())};
  Answer answer = device_.allocate(bytes, address);
  if (!answer.ok()) return answer;
  allocations_[address] = bytes;
  allocated_ += bytes;
  return answer;
}

Answer Server::free(Address address) {
  const auto mine = allocations_.find(address);
  if (mine == allocations_.end()) {
    // The device knows better why an address that is no allocation's is wrong (freed twice, inside of one, null).
    Address base = 0;
    std::uint64_t bytes = 0;
    if (!device_.find_allocation(address, base, bytes).ok() || base != address) return device_.free(address);
    return {Code::kInvalidValue, fmt::format("{:#x} was not allocated by this program, so it cannot be freed by it", address)};
  }
  Answer answer = device_.free(address);
  if (!answer.ok()) return answer;
  allocated_ -= mine->second;
  allocations_.erase(mine);
  return answer;
}

Answer Server::launch(Launch& launch) {
  if (report_.launches >= limits_.launches)
    return {Code::kLaunchTimeout, fmt::format("the program has launched {} kernels, as many as it may", report_.launches)};
  launch.function = resolved(launch.function);
  FunctionInfo info;
  if (Answer found = device_.function_info(launch.module, launch.function, info); !found.ok()) return found;
  if (launch.parameters.size() != info.parameter_bytes)
    return {Code::kInvalidValue, fmt::format("launch of {} carries {} bytes of parameters when it should carry {}", launch.function,
                                             launch.parameters.size(), info.parameter_bytes)};
  ++report_.launches;
  return device_.launch(launch);
}

std::string Server::resolved(std::string_view name) const {
  if (!hooks_.resolve) return std::string(name);
  std::string own = hooks_.resolve(name);
  return own.empty() ? std::string(name) : own;
}

}  // namespace warpbook::device
