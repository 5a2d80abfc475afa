// cudaMemcpy, cudaMemset and their kin. All are synchronous: an asynchronous copy is done when the call returns.
#include <fmt/format.h>

#include "judge/cudart/abi.hpp"
#include "judge/cudart/call.hpp"
#include "judge/cudart/copy.hpp"
#include "judge/cudart/export.hpp"
#include "judge/cudart/streams.hpp"

namespace warpbook::cudart {
namespace {

using device::Address;
using device::Answer;
using device::Code;

constexpr Code kInvalidPitch{12};

Answer check_pitch(const char* which, std::size_t pitch, std::size_t width) {
  if (width <= pitch) return {};
  return {kInvalidPitch, fmt::format("the {} pitch is {} bytes when a row has {}", which, pitch, width)};
}

/// A synchronous call also shows what kernels before it printed.
int finish_copy(Call& call, const Answer& answer) {
  call.runtime().show_output();
  return call.finish(answer);
}

Answer copy_rows(device::Device& device, void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                 std::size_t height, int direction) {
  if (const Answer fits = check_pitch("destination's", to_pitch, width); !fits.ok()) return fits;
  if (const Answer fits = check_pitch("source's", from_pitch, width); !fits.ok()) return fits;
  if (width == 0 || height == 0) return device.synchronize();
  if (to_pitch == width && from_pitch == width) return copy_bytes(device, to, from, width * height, direction);
  for (std::size_t row = 0; row < height; ++row) {
    auto* const target = static_cast<std::byte*>(to) + row * to_pitch;
    const auto* const source = static_cast<const std::byte*>(from) + row * from_pitch;
    if (const Answer answer = copy_bytes(device, target, source, width, direction); !answer.ok()) return answer;
  }
  return {};
}

Answer fill_rows(device::Device& device, void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  if (const Answer fits = check_pitch("memory's", pitch, width); !fits.ok()) return fits;
  if (width == 0 || height == 0) return device.synchronize();
  const auto byte = static_cast<std::uint8_t>(value);
  auto address = reinterpret_cast<Address>(to);
  if (pitch == width) return device.fill(address, byte, 1, std::uint64_t{width} * height);
  for (std::size_t row = 0; row < height; ++row, address += pitch)
    if (const Answer answer = device.fill(address, byte, 1, width); !answer.ok()) return answer;
  return {};
}

/// Runs `work` when the stream exists.
template <class Work>
int on_stream(const char* name, const void* stream, Work work) {
  Call call(name);
  const Answer known = check_stream(stream);
  return call.finish(known.ok() ? work(call.device()) : known);
}

}  // namespace

WARPBOOK_EXPORT int cudaMemcpy(void* to, const void* from, std::size_t bytes, int direction) {
  Call call("cudaMemcpy");
  return finish_copy(call, copy_bytes(call.device(), to, from, bytes, direction));
}
WARPBOOK_ALSO(cudaMemcpy_ptds, cudaMemcpy);

WARPBOOK_EXPORT int cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, int direction, void* stream) {
  return on_stream("cudaMemcpyAsync", stream, [&](device::Device& device) { return copy_bytes(device, to, from, bytes, direction); });
}
WARPBOOK_ALSO(cudaMemcpyAsync_ptsz, cudaMemcpyAsync);

// Both devices are device 0.
WARPBOOK_EXPORT int cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t bytes, void* stream) {
  return on_stream("cudaMemcpyPeerAsync", stream, [&](device::Device& device) {
    if (to_device != 0 || from_device != 0)
      return Answer{Code{101}, fmt::format("there is no device {}, only device 0", to_device ? to_device : from_device)};
    return copy_bytes(device, to, from, bytes, abi::kDeviceToDevice);
  });
}
WARPBOOK_EXPORT int cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, std::size_t bytes) {
  return cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, nullptr);
}

WARPBOOK_EXPORT int cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                                 std::size_t height, int direction) {
  Call call("cudaMemcpy2D");
  return finish_copy(call, copy_rows(call.device(), to, to_pitch, from, from_pitch, width, height, direction));
}
WARPBOOK_ALSO(cudaMemcpy2D_ptds, cudaMemcpy2D);

WARPBOOK_EXPORT int cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                                      std::size_t height, int direction, void* stream) {
  return on_stream("cudaMemcpy2DAsync", stream,
                   [&](device::Device& device) { return copy_rows(device, to, to_pitch, from, from_pitch, width, height, direction); });
}
WARPBOOK_ALSO(cudaMemcpy2DAsync_ptsz, cudaMemcpy2DAsync);

WARPBOOK_EXPORT int cudaMemset(void* to, int value, std::size_t bytes) {
  Call call("cudaMemset");
  return call.finish(fill_rows(call.device(), to, bytes, value, bytes, 1));
}
WARPBOOK_ALSO(cudaMemset_ptds, cudaMemset);

WARPBOOK_EXPORT int cudaMemsetAsync(void* to, int value, std::size_t bytes, void* stream) {
  return on_stream("cudaMemsetAsync", stream, [&](device::Device& device) { return fill_rows(device, to, bytes, value, bytes, 1); });
}
WARPBOOK_ALSO(cudaMemsetAsync_ptsz, cudaMemsetAsync);

WARPBOOK_EXPORT int cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  Call call("cudaMemset2D");
  return call.finish(fill_rows(call.device(), to, pitch, value, width, height));
}
WARPBOOK_ALSO(cudaMemset2D_ptds, cudaMemset2D);

WARPBOOK_EXPORT int cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height, void* stream) {
  return on_stream("cudaMemset2DAsync", stream, [&](device::Device& device) { return fill_rows(device, to, pitch, value, width, height); });
}
WARPBOOK_ALSO(cudaMemset2DAsync_ptsz, cudaMemset2DAsync);

}  // namespace warpbook::cudart
