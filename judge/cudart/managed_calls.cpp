// Managed memory: one address for host and kernels. Everything is synchronous and the device is in this process, so there is nothing to
// migrate; advice and prefetching are checked and change nothing. With the device behind a socket it is refused by name.
#include <fmt/format.h>

#include "judge/cudart/capture.hpp"
#include "judge/cudart/export.hpp"

namespace warpbook::cudart {
namespace {

using device::Address;
using device::Answer;
using device::Code;

constexpr unsigned kAttachGlobal = 1, kAttachHost = 2;

/// Success when all of it lies in memory that is managed.
Answer check_managed(Call& call, const void* pointer, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(pointer);
  if (bytes == 0) return {Code::kInvalidValue, "there are no bytes"};
  if (!call.runtime().is_shared(begin) || !call.runtime().is_shared(begin + bytes - 1))
    return {Code::kInvalidValue, fmt::format("{} bytes from {} on are not all managed memory", bytes, pointer)};
  return {};
}

int advise(const char* name, const void* pointer, std::size_t bytes) {
  Call call(name);
  return call.finish(check_managed(call, pointer, bytes));
}

}  // namespace

WARPBOOK_EXPORT int cudaMallocManaged(void** out, std::size_t bytes, unsigned flags) {
  Call call("cudaMallocManaged");
  if (!out) return call.fail(Code::kInvalidValue, "no place for the address is given");
  *out = nullptr;
  if (const Answer free = check_unsafe(); !free.ok()) return call.finish(free);
  if (bytes == 0 || (flags != kAttachGlobal && flags != kAttachHost))
    return call.fail(Code::kInvalidValue, "there are no bytes, or the flags are none that managed memory has");
  Address address = 0;
  const Answer answer = call.device().allocate_shared(bytes, address);
  if (!answer.ok()) return call.finish(answer);
  call.runtime().allocations[address] = {bytes, call.name(), true, nullptr};
  *out = reinterpret_cast<void*>(address);
  return call.success();
}

// Where the memory shall lie and who will use it, in words of version 12 (a device number) or 13 (a location): the first two arguments
// are the same, and the others would change speed only.
WARPBOOK_EXPORT int cudaMemPrefetchAsync(const void* pointer, std::size_t bytes) { return advise("cudaMemPrefetchAsync", pointer, bytes); }
WARPBOOK_ALSO(cudaMemPrefetchAsync_ptsz, cudaMemPrefetchAsync);
WARPBOOK_ALSO(cudaMemPrefetchAsync_v2, cudaMemPrefetchAsync);
WARPBOOK_ALSO(cudaMemPrefetchAsync_v2_ptsz, cudaMemPrefetchAsync);
WARPBOOK_EXPORT int cudaMemAdvise(const void* pointer, std::size_t bytes) { return advise("cudaMemAdvise", pointer, bytes); }
WARPBOOK_ALSO(cudaMemAdvise_v2, cudaMemAdvise);

WARPBOOK_EXPORT int cudaStreamAttachMemAsync(void* stream, void* pointer, std::size_t, unsigned) {
  Call call("cudaStreamAttachMemAsync");
  if (const Answer known = check_stream(stream); !known.ok()) return call.finish(known);
  return call.finish(check_managed(call, pointer, 1));
}
WARPBOOK_ALSO(cudaStreamAttachMemAsync_ptsz, cudaStreamAttachMemAsync);

}  // namespace warpbook::cudart
