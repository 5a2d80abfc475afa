// cudaMemcpy, cudaMemset and their kin. All are synchronous: an asynchronous copy is done when the call returns, unless its stream is
// being captured.
#include <fmt/format.h>

#include "judge/cudart/capture.hpp"
#include "judge/cudart/export.hpp"

namespace warpbook::cudart {
namespace {

using device::Answer;
using device::Code;

/// A call that waits: it also shows what kernels before it printed.
int now(const char* name, Work work) {
  Call call(name);
  const Answer answer = submit(call, nullptr, std::move(work));
  call.runtime().show_output();
  return call.finish(answer);
}

int later(const char* name, const void* stream, Work work) {
  Call call(name);
  return call.finish(submit(call, stream, std::move(work)));
}

CopyWork copy_of(const abi::Copy3D* parameters) {
  CopyWork work;
  if (parameters) work.copy = *parameters;
  return work;
}

FillWork fill_of(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  FillWork work;
  work.fill = {to, pitch, static_cast<std::uint8_t>(value), 1, width, height};
  return work;
}

FillWork fill_of(const abi::PitchedPointer& to, int value, const abi::Extent& extent) {
  FillWork work = fill_of(to.pointer, to.pitch, value, extent.width, extent.height);
  work.depth = extent.depth;
  work.slice_bytes = to.pitch * to.height;
  return work;
}

}  // namespace

WARPBOOK_EXPORT int cudaMemcpy(void* to, const void* from, std::size_t bytes, int direction) {
  return now("cudaMemcpy", copy_of(to, from, bytes, direction));
}
WARPBOOK_ALSO(cudaMemcpy_ptds, cudaMemcpy);

WARPBOOK_EXPORT int cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, int direction, void* stream) {
  return later("cudaMemcpyAsync", stream, copy_of(to, from, bytes, direction));
}
WARPBOOK_ALSO(cudaMemcpyAsync_ptsz, cudaMemcpyAsync);

// Both devices are device 0.
WARPBOOK_EXPORT int cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t bytes, void* stream) {
  if (to_device != 0 || from_device != 0)
    return Call("cudaMemcpyPeerAsync")
        .fail(Code{101}, fmt::format("there is no device {}, only device 0", to_device ? to_device : from_device));
  return later("cudaMemcpyPeerAsync", stream, copy_of(to, from, bytes, abi::kDeviceToDevice));
}
WARPBOOK_EXPORT int cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, std::size_t bytes) {
  return cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, nullptr);
}

WARPBOOK_EXPORT int cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                                 std::size_t height, int direction) {
  return now("cudaMemcpy2D", copy_of(to, to_pitch, from, from_pitch, width, height, direction));
}
WARPBOOK_ALSO(cudaMemcpy2D_ptds, cudaMemcpy2D);

WARPBOOK_EXPORT int cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                                      std::size_t height, int direction, void* stream) {
  return later("cudaMemcpy2DAsync", stream, copy_of(to, to_pitch, from, from_pitch, width, height, direction));
}
WARPBOOK_ALSO(cudaMemcpy2DAsync_ptsz, cudaMemcpy2DAsync);

WARPBOOK_EXPORT int cudaMemcpy3D(const abi::Copy3D* parameters) {
  if (!parameters) return Call("cudaMemcpy3D").fail(Code::kInvalidValue, "the parameters are a null pointer");
  return now("cudaMemcpy3D", copy_of(parameters));
}
WARPBOOK_ALSO(cudaMemcpy3D_ptds, cudaMemcpy3D);

WARPBOOK_EXPORT int cudaMemcpy3DAsync(const abi::Copy3D* parameters, void* stream) {
  if (!parameters) return Call("cudaMemcpy3DAsync").fail(Code::kInvalidValue, "the parameters are a null pointer");
  return later("cudaMemcpy3DAsync", stream, copy_of(parameters));
}
WARPBOOK_ALSO(cudaMemcpy3DAsync_ptsz, cudaMemcpy3DAsync);

WARPBOOK_EXPORT int cudaMemset(void* to, int value, std::size_t bytes) { return now("cudaMemset", fill_of(to, bytes, value, bytes, 1)); }
WARPBOOK_ALSO(cudaMemset_ptds, cudaMemset);

WARPBOOK_EXPORT int cudaMemsetAsync(void* to, int value, std::size_t bytes, void* stream) {
  return later("cudaMemsetAsync", stream, fill_of(to, bytes, value, bytes, 1));
}
WARPBOOK_ALSO(cudaMemsetAsync_ptsz, cudaMemsetAsync);

WARPBOOK_EXPORT int cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  return now("cudaMemset2D", fill_of(to, pitch, value, width, height));
}
WARPBOOK_ALSO(cudaMemset2D_ptds, cudaMemset2D);

WARPBOOK_EXPORT int cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height, void* stream) {
  return later("cudaMemset2DAsync", stream, fill_of(to, pitch, value, width, height));
}
WARPBOOK_ALSO(cudaMemset2DAsync_ptsz, cudaMemset2DAsync);

WARPBOOK_EXPORT int cudaMemset3D(abi::PitchedPointer to, int value, abi::Extent extent) {
  return now("cudaMemset3D", fill_of(to, value, extent));
}
WARPBOOK_ALSO(cudaMemset3D_ptds, cudaMemset3D);

WARPBOOK_EXPORT int cudaMemset3DAsync(abi::PitchedPointer to, int value, abi::Extent extent, void* stream) {
  return later("cudaMemset3DAsync", stream, fill_of(to, value, extent));
}
WARPBOOK_ALSO(cudaMemset3DAsync_ptsz, cudaMemset3DAsync);

}  // namespace warpbook::cudart
