// Pinned host memory. With the device in this process kernels may use it at its own address, as CUDA's unified addressing lets them; with
// the device behind a socket it is ordinary memory that is remembered, and cudaHostGetDevicePointer is refused by name.
#include <fmt/format.h>

#include <cstdlib>

#include "judge/cudart/capture.hpp"
#include "judge/cudart/export.hpp"

namespace warpbook::cudart {
namespace {

using device::Address;
using device::Answer;
using device::Code;

constexpr std::size_t kPage = 4096;

int allocate_host(Call& call, void** out, std::size_t bytes, unsigned flags) {
  constexpr unsigned kKnownFlags = 7;  // portable, mapped, write-combined
  if (!out) return call.fail(Code::kInvalidValue, "no place for the address is given");
  *out = nullptr;
  if (flags & ~kKnownFlags) return call.fail(Code::kInvalidValue, "the flags are none that pinned memory has");
  if (bytes == 0) return call.success();
  Address address = 0;
  const Answer shared = call.device().allocate_shared(bytes, address);
  if (!shared.ok() && shared.code != Code::kNotSupported) return call.finish(shared);
  void* memory = reinterpret_cast<void*>(address);
  if (!shared.ok() && bytes < ~std::size_t{0} - kPage) memory = std::aligned_alloc(kPage, (bytes + kPage - 1) / kPage * kPage);
  if (!memory) return call.fail(Code::kMemoryAllocation, fmt::format("{} bytes of host memory are not to be had", bytes));
  call.runtime().pinned[reinterpret_cast<std::uintptr_t>(memory)] = {bytes, flags, false, shared.ok()};
  *out = memory;
  return call.success();
}

/// Forgets pinned memory; false when there is none that begins at `pointer` and was got in this way.
bool unpin(Call& call, void* pointer, bool registered) {
  auto& pinned = call.runtime().pinned;
  const auto at = pinned.find(reinterpret_cast<std::uintptr_t>(pointer));
  if (at == pinned.end() || at->second.registered != registered) return false;
  if (at->second.on_device) call.device().free(at->first);
  else if (!registered) std::free(pointer);
  pinned.erase(at);
  return true;
}

}  // namespace

WARPBOOK_EXPORT int cudaHostAlloc(void** out, std::size_t bytes, unsigned flags) {
  Call call("cudaHostAlloc");
  if (const Answer free = check_unsafe(); !free.ok()) return call.finish(free);
  return allocate_host(call, out, bytes, flags);
}
WARPBOOK_EXPORT int cudaMallocHost(void** out, std::size_t bytes) {
  Call call("cudaMallocHost");
  if (const Answer free = check_unsafe(); !free.ok()) return call.finish(free);
  return allocate_host(call, out, bytes, 0);
}

WARPBOOK_EXPORT int cudaFreeHost(void* pointer) {
  Call call("cudaFreeHost");
  if (!pointer) return call.success();
  if (unpin(call, pointer, false)) return call.success();
  return call.misuse(Code::kInvalidValue,
                     fmt::format("{} was not allocated by cudaMallocHost or cudaHostAlloc, or is freed already", pointer));
}

WARPBOOK_EXPORT int cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
  Call call("cudaHostRegister");
  if (!pointer || bytes == 0) return call.fail(Code::kInvalidValue, "there is nothing to pin");
  const auto begin = reinterpret_cast<std::uintptr_t>(pointer);
  if (call.runtime().pinned.contains(begin)) return call.fail(Code{712}, "this host memory is pinned already");
  const Answer shared = call.device().share(static_cast<std::byte*>(pointer), bytes);
  if (!shared.ok() && shared.code != Code::kNotSupported) return call.finish(shared);
  call.runtime().pinned[begin] = {bytes, flags, true, shared.ok()};
  return call.success();
}
WARPBOOK_EXPORT int cudaHostUnregister(void* pointer) {
  Call call("cudaHostUnregister");
  return unpin(call, pointer, true) ? call.success() : call.misuse(Code{713}, "this host memory was never registered, or is no longer");
}

WARPBOOK_EXPORT int cudaHostGetFlags(unsigned* flags, void* pointer) {
  Call call("cudaHostGetFlags");
  const auto at = call.runtime().pinned.find(reinterpret_cast<std::uintptr_t>(pointer));
  if (!flags || at == call.runtime().pinned.end()) return call.fail(Code::kInvalidValue, "this host memory is not pinned");
  *flags = at->second.flags;
  return call.success();
}

WARPBOOK_EXPORT int cudaHostGetDevicePointer(void** out, void* pointer, unsigned) {
  Call call("cudaHostGetDevicePointer");
  if (!out) return call.fail(Code::kInvalidValue, "no place for the address is given");
  *out = nullptr;
  const auto value = reinterpret_cast<std::uintptr_t>(pointer);
  auto at = call.runtime().pinned.upper_bound(value);
  if (at == call.runtime().pinned.begin() || value - (--at)->first >= at->second.bytes)
    return call.fail(Code::kInvalidValue, "this host memory is not pinned");
  if (!at->second.on_device)
    return call.fail(Code::kNotSupported,
                     "kernels cannot use host memory when the judge runs them: use cudaMalloc and cudaMemcpy, or judge exec");
  *out = pointer;
  return call.success();
}

}  // namespace warpbook::cudart
