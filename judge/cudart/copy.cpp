#include "judge/cudart/copy.hpp"

#include <fmt/format.h>

#include <cstring>

#include "judge/cudart/abi.hpp"

namespace warpbook::cudart {
namespace {

using device::Address;
using device::Answer;
using device::Code;

Address address_of(const void* pointer) { return reinterpret_cast<Address>(pointer); }

bool is_device_address(device::Device& device, const void* pointer) {
  Address base = 0;
  std::uint64_t bytes = 0;
  return device.find_allocation(address_of(pointer), base, bytes).ok();
}

Answer not_host(const char* side, const void* pointer) {
  return {Code::kInvalidValue,
          fmt::format("the copy's {} {} is a device address when its direction says that it is host memory", side, pointer)};
}

}  // namespace

Answer copy_bytes(device::Device& device, void* to, const void* from, std::size_t bytes, int direction) {
  if (direction < abi::kHostToHost || direction > abi::kByAddress)
    return {Code{21}, fmt::format("direction {} is none of cudaMemcpyKind", direction)};
  if (bytes == 0) return device.synchronize();
  if (!to || !from) return {Code::kInvalidValue, fmt::format("the copy's {} is a null pointer", to ? "source" : "destination")};
  const bool to_device = is_device_address(device, to), from_device = is_device_address(device, from);
  if (direction == abi::kByAddress)
    direction =
        to_device ? (from_device ? abi::kDeviceToDevice : abi::kHostToDevice) : (from_device ? abi::kDeviceToHost : abi::kHostToHost);
  const bool wants_device_source = direction == abi::kDeviceToHost || direction == abi::kDeviceToDevice;
  const bool wants_device_target = direction == abi::kHostToDevice || direction == abi::kDeviceToDevice;
  if (from_device && !wants_device_source) return not_host("source", from);
  if (to_device && !wants_device_target) return not_host("destination", to);
  switch (direction) {
    case abi::kHostToDevice: return device.write(address_of(to), {static_cast<const std::byte*>(from), bytes});
    case abi::kDeviceToHost: return device.read({static_cast<std::byte*>(to), bytes}, address_of(from));
    case abi::kDeviceToDevice: return device.copy(address_of(to), address_of(from), bytes);
    default: std::memmove(to, from, bytes); return device.synchronize();
  }
}

}  // namespace warpbook::cudart
