// Memory that a program gets and gives back: on the device, and pinned on the host (which here is ordinary memory that is remembered).
#include <fmt/format.h>

#include <cstdlib>

#include "judge/cudart/abi.hpp"
#include "judge/cudart/call.hpp"
#include "judge/cudart/export.hpp"
#include "judge/cudart/streams.hpp"

namespace warpbook::cudart {
namespace {

using device::Address;
using device::Answer;
using device::Code;

constexpr std::size_t kPage = 4096;
constexpr std::size_t kPitchAlignment = 512;

int allocate(Call& call, void** out, std::size_t bytes) {
  if (!out) return call.fail(Code::kInvalidValue, "no place for the address is given");
  *out = nullptr;
  if (bytes == 0) return call.finish(call.device().synchronize());  // nothing, successfully, as CUDA does
  Address address = 0;
  const Answer answer = call.device().allocate(bytes, address);
  if (!answer.ok()) return call.finish(answer);
  call.runtime().allocations[address] = {bytes, call.name()};
  *out = reinterpret_cast<void*>(address);
  return call.success();
}

int release(Call& call, void* pointer) {
  if (!pointer) return call.finish(call.device().synchronize());
  const auto address = reinterpret_cast<Address>(pointer);
  const Answer answer = call.device().free(address);
  call.runtime().show_output();
  if (answer.ok()) call.runtime().allocations.erase(address);
  return answer.code == Code::kInvalidValue ? call.misuse(answer.code, answer.message) : call.finish(answer);
}

int allocate_host(Call& call, void** out, std::size_t bytes) {
  if (!out) return call.fail(Code::kInvalidValue, "no place for the address is given");
  *out = nullptr;
  if (bytes == 0) return call.success();
  if (bytes > ~std::size_t{0} - kPage)
    return call.fail(Code::kMemoryAllocation, fmt::format("{} bytes of host memory are not to be had", bytes));
  void* memory = std::aligned_alloc(kPage, (bytes + kPage - 1) / kPage * kPage);
  if (!memory) return call.fail(Code::kMemoryAllocation, fmt::format("{} bytes of host memory are not to be had", bytes));
  call.runtime().pinned[reinterpret_cast<std::uintptr_t>(memory)] = {bytes};
  *out = memory;
  return call.success();
}

}  // namespace

WARPBOOK_EXPORT int cudaMalloc(void** out, std::size_t bytes) {
  Call call("cudaMalloc");
  return allocate(call, out, bytes);
}
WARPBOOK_EXPORT int cudaFree(void* pointer) {
  Call call("cudaFree");
  return release(call, pointer);
}

WARPBOOK_EXPORT int cudaMallocAsync(void** out, std::size_t bytes, void* stream) {
  Call call("cudaMallocAsync");
  const Answer known = check_stream(stream);
  return known.ok() ? allocate(call, out, bytes) : call.finish(known);
}
WARPBOOK_ALSO(cudaMallocAsync_ptsz, cudaMallocAsync);

WARPBOOK_EXPORT int cudaFreeAsync(void* pointer, void* stream) {
  Call call("cudaFreeAsync");
  const Answer known = check_stream(stream);
  return known.ok() ? release(call, pointer) : call.finish(known);
}
WARPBOOK_ALSO(cudaFreeAsync_ptsz, cudaFreeAsync);

WARPBOOK_EXPORT int cudaMallocPitch(void** out, std::size_t* pitch, std::size_t width, std::size_t height) {
  Call call("cudaMallocPitch");
  if (!out || !pitch || width == 0 || height == 0)
    return call.fail(Code::kInvalidValue, "width and height must be at least 1, and have a place for the answer");
  if (width > ~std::size_t{0} / 2 / height - kPitchAlignment)
    return call.fail(Code::kMemoryAllocation, fmt::format("{} rows of {} bytes are not to be had", height, width));
  *pitch = (width + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;
  return allocate(call, out, *pitch * height);
}

WARPBOOK_EXPORT int cudaMallocManaged(void** out, std::size_t, unsigned) {
  Call call("cudaMallocManaged");
  if (out) *out = nullptr;
  return call.fail(Code::kNotSupported, "managed memory is not supported on the virtual GPU yet: use cudaMalloc and cudaMemcpy");
}

WARPBOOK_EXPORT int cudaHostAlloc(void** out, std::size_t bytes, unsigned) {
  Call call("cudaHostAlloc");
  return allocate_host(call, out, bytes);
}
WARPBOOK_EXPORT int cudaMallocHost(void** out, std::size_t bytes) {
  Call call("cudaMallocHost");
  return allocate_host(call, out, bytes);
}

WARPBOOK_EXPORT int cudaFreeHost(void* pointer) {
  Call call("cudaFreeHost");
  if (!pointer) return call.success();
  if (!call.runtime().pinned.erase(reinterpret_cast<std::uintptr_t>(pointer)))
    return call.fail(Code::kInvalidValue,
                     fmt::format("{} was not allocated by cudaMallocHost or cudaHostAlloc, or is freed already", pointer));
  std::free(pointer);
  return call.success();
}

WARPBOOK_EXPORT int cudaHostRegister(void* pointer, std::size_t bytes, unsigned) {
  Call call("cudaHostRegister");
  if (!pointer || bytes == 0) return call.fail(Code::kInvalidValue, "there is nothing to pin");
  if (!call.runtime().pinned.emplace(reinterpret_cast<std::uintptr_t>(pointer), Pinned{bytes, 0, true}).second)
    return call.fail(Code{712}, "this host memory is pinned already");
  return call.success();
}
WARPBOOK_EXPORT int cudaHostUnregister(void* pointer) {
  Call call("cudaHostUnregister");
  if (!call.runtime().pinned.erase(reinterpret_cast<std::uintptr_t>(pointer)))
    return call.fail(Code{713}, "this host memory was never pinned");
  return call.success();
}
WARPBOOK_EXPORT int cudaHostGetFlags(unsigned* flags, void* pointer) {
  Call call("cudaHostGetFlags");
  if (!flags || !call.runtime().pinned.contains(reinterpret_cast<std::uintptr_t>(pointer)))
    return call.fail(Code::kInvalidValue, "this host memory is not pinned");
  *flags = 0;
  return call.success();
}
WARPBOOK_EXPORT int cudaHostGetDevicePointer(void** out, void*, unsigned) {
  Call call("cudaHostGetDevicePointer");
  if (out) *out = nullptr;
  return call.fail(Code::kNotSupported, "kernels cannot use host memory on the virtual GPU: use cudaMalloc and cudaMemcpy");
}

WARPBOOK_EXPORT int cudaMemGetInfo(std::size_t* available, std::size_t* total) {
  Call call("cudaMemGetInfo");
  if (!available || !total) return call.fail(Code::kInvalidValue, "no place for the answer is given");
  std::uint64_t free_bytes = 0, all_bytes = 0;
  const Answer answer = call.device().memory_info(free_bytes, all_bytes);
  if (!answer.ok()) return call.finish(answer);
  *available = free_bytes;
  *total = all_bytes;
  return call.success();
}

WARPBOOK_EXPORT int cudaPointerGetAttributes(abi::PointerAttributes* out, const void* pointer) {
  Call call("cudaPointerGetAttributes");
  if (!out) return call.fail(Code::kInvalidValue, "no place for the answer is given");
  const auto value = reinterpret_cast<std::uintptr_t>(pointer);
  *out = {abi::kUnregistered, -2, nullptr, const_cast<void*>(pointer)};  // -2: on no device, as CUDA answers for plain host memory
  auto at = call.runtime().pinned.upper_bound(value);
  if (at != call.runtime().pinned.begin() && value - (--at)->first < at->second.bytes) {
    *out = {abi::kHost, 0, nullptr, const_cast<void*>(pointer)};
    return call.success();
  }
  Address base = 0;
  std::uint64_t bytes = 0;
  const Answer found = call.device().find_allocation(value, base, bytes);
  if (found.ok()) *out = {abi::kDevice, 0, const_cast<void*>(pointer), nullptr};
  return device::is_sticky(found.code) ? call.finish(found) : call.success();
}

}  // namespace warpbook::cudart
