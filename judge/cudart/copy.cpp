#include "judge/cudart/copy.hpp"

#include <fmt/format.h>

#include <cstring>

namespace warpbook::cudart {
namespace {

using device::Address;
using device::Answer;
using device::Code;

Address address_of(const void* pointer) { return reinterpret_cast<Address>(pointer); }

constexpr Code kInvalidPitch{12};

bool is_device_address(device::Device& device, const void* pointer) {
  Address base = 0;
  std::uint64_t bytes = 0;
  return device.find_allocation(address_of(pointer), base, bytes).ok();
}

Answer not_host(const char* side, const void* pointer) {
  return {Code::kInvalidValue,
          fmt::format("the copy's {} {} is a device address when its direction says that it is host memory", side, pointer)};
}

Answer check_pitch(const char* which, std::size_t pitch, std::size_t width) {
  if (width <= pitch) return {};
  return {kInvalidPitch, fmt::format("the {} pitch is {} bytes when a row has {}", which, pitch, width)};
}

/// Where a position in pitched memory lies.
std::byte* place(const abi::PitchedPointer& memory, const abi::Position& position, std::size_t row, std::size_t slice) {
  return static_cast<std::byte*>(memory.pointer) + ((position.z + slice) * memory.height + position.y + row) * memory.pitch + position.x;
}

}  // namespace

Answer copy_bytes(Runtime& runtime, void* to, const void* from, std::size_t bytes, int direction) {
  if (direction < abi::kHostToHost || direction > abi::kByAddress)
    return {Code{21}, fmt::format("direction {} is none of cudaMemcpyKind", direction)};
  device::Device& device = runtime.device();
  if (bytes == 0) return device.synchronize();
  if (!to || !from) return {Code::kInvalidValue, fmt::format("the copy's {} is a null pointer", to ? "source" : "destination")};
  const bool to_device = is_device_address(device, to), from_device = is_device_address(device, from);
  if (direction == abi::kByAddress)
    direction =
        to_device ? (from_device ? abi::kDeviceToDevice : abi::kHostToDevice) : (from_device ? abi::kDeviceToHost : abi::kHostToHost);
  const bool wants_device_source = direction == abi::kDeviceToHost || direction == abi::kDeviceToDevice;
  const bool wants_device_target = direction == abi::kHostToDevice || direction == abi::kDeviceToDevice;
  if (from_device && !wants_device_source && !runtime.is_shared(address_of(from))) return not_host("source", from);
  if (to_device && !wants_device_target && !runtime.is_shared(address_of(to))) return not_host("destination", to);
  switch (direction) {
    case abi::kHostToDevice: return device.write(address_of(to), {static_cast<const std::byte*>(from), bytes});
    case abi::kDeviceToHost: return device.read({static_cast<std::byte*>(to), bytes}, address_of(from));
    case abi::kDeviceToDevice: return device.copy(address_of(to), address_of(from), bytes);
    default: std::memmove(to, from, bytes); return device.synchronize();
  }
}

Answer copy_volume(Runtime& runtime, const abi::Copy3D& copy) {
  if (copy.source_array || copy.target_array) return {Code::kNotSupported, "copies from and to arrays are not supported"};
  const auto [width, height, depth] = copy.extent;
  if (const Answer fits = check_pitch("destination's", copy.target.pitch, width); !fits.ok() && height * depth > 1) return fits;
  if (const Answer fits = check_pitch("source's", copy.source.pitch, width); !fits.ok() && height * depth > 1) return fits;
  if (width == 0 || height == 0 || depth == 0) return copy_bytes(runtime, nullptr, nullptr, 0, copy.direction);
  if (!copy.source.pointer || !copy.target.pointer)
    return copy_bytes(runtime, copy.target.pointer, copy.source.pointer, width, copy.direction);
  const bool dense = copy.target.pitch == width && copy.source.pitch == width && depth == 1;
  if (dense)
    return copy_bytes(runtime, place(copy.target, copy.target_position, 0, 0), place(copy.source, copy.source_position, 0, 0),
                      width * height, copy.direction);
  for (std::size_t z = 0; z < depth; ++z)
    for (std::size_t y = 0; y < height; ++y)
      if (const Answer answer = copy_bytes(runtime, place(copy.target, copy.target_position, y, z),
                                           place(copy.source, copy.source_position, y, z), width, copy.direction);
          !answer.ok())
        return answer;
  return {};
}

Answer fill_rows(device::Device& device, const abi::Fill2D& fill) {
  const std::size_t width = fill.width * fill.element_bytes;
  if (const Answer fits = check_pitch("memory's", fill.pitch, width); !fits.ok() && fill.height > 1) return fits;
  if (width == 0 || fill.height == 0) return device.synchronize();
  const int bytes = static_cast<int>(fill.element_bytes);
  auto address = address_of(fill.to);
  if (fill.pitch == width) return device.fill(address, fill.value, bytes, std::uint64_t{fill.width} * fill.height);
  for (std::size_t row = 0; row < fill.height; ++row, address += fill.pitch)
    if (const Answer answer = device.fill(address, fill.value, bytes, fill.width); !answer.ok()) return answer;
  return {};
}

}  // namespace warpbook::cudart
