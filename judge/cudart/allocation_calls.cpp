// Device memory that a program gets and gives back. Pinned memory is in pinned_calls.cpp, managed in managed_calls.cpp, pools and
// stream-ordered allocation in pool_calls.cpp.
#include <fmt/format.h>

#include "judge/cudart/allocation.hpp"
#include "judge/cudart/capture.hpp"
#include "judge/cudart/export.hpp"
#include "judge/cudart/stream_order.hpp"

namespace warpbook::cudart {
namespace {

using device::Address;
using device::Answer;
using device::Code;

constexpr std::size_t kPitchAlignment = 512;

/// Rows of `width` bytes at a pitch; false when their bytes cannot be counted.
bool pitched(std::size_t width, std::size_t rows, std::size_t& pitch) {
  if (rows == 0 || width > ~std::size_t{0} / 2 / rows - kPitchAlignment) return false;
  pitch = (width + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;
  return true;
}

}  // namespace

int allocate(Call& call, void** out, std::size_t bytes, void* pool) {
  if (!out) return call.fail(Code::kInvalidValue, "no place for the address is given");
  *out = nullptr;
  if (bytes == 0) return call.finish(call.device().synchronize());
  Address address = 0;
  const Answer answer = call.device().allocate(bytes, address);
  if (!answer.ok()) return call.finish(answer);
  call.runtime().allocations[address] = {bytes, call.name(), false, pool};
  count_in_pool(pool, static_cast<std::int64_t>(bytes));
  *out = reinterpret_cast<void*>(address);
  return call.success();
}

int release(Call& call, void* pointer) {
  if (!pointer) return call.finish(call.device().synchronize());
  const auto address = reinterpret_cast<Address>(pointer);
  const auto pinned = call.runtime().pinned.find(address);
  if (pinned != call.runtime().pinned.end())
    return call.misuse(Code::kInvalidValue, "this is pinned host memory: free it with cudaFreeHost");
  const Answer answer = call.device().free(address);
  call.runtime().show_output();
  if (answer.code == Code::kInvalidValue) return call.misuse(answer.code, answer.message);
  const auto known = call.runtime().allocations.find(address);
  if (answer.ok() && known != call.runtime().allocations.end()) {
    count_in_pool(known->second.pool, -static_cast<std::int64_t>(known->second.bytes));
    call.runtime().allocations.erase(known);
  }
  return call.finish(answer);
}

WARPBOOK_EXPORT int cudaMalloc(void** out, std::size_t bytes) {
  Call call("cudaMalloc");
  if (const Answer free = check_unsafe(); !free.ok()) return call.finish(free);
  return allocate(call, out, bytes);
}
WARPBOOK_EXPORT int cudaFree(void* pointer) {
  Call call("cudaFree");
  if (const Answer free = check_unsafe(); !free.ok()) return call.finish(free);
  StreamOrder::get().host_waits_for_all();
  return release(call, pointer);
}

WARPBOOK_EXPORT int cudaMallocPitch(void** out, std::size_t* pitch, std::size_t width, std::size_t height) {
  Call call("cudaMallocPitch");
  if (!out || !pitch || width == 0 || height == 0)
    return call.fail(Code::kInvalidValue, "width and height must be at least 1, and have a place for the answer");
  if (!pitched(width, height, *pitch))
    return call.fail(Code::kMemoryAllocation, fmt::format("{} rows of {} bytes are not to be had", height, width));
  return allocate(call, out, *pitch * height);
}

WARPBOOK_EXPORT int cudaMalloc3D(abi::PitchedPointer* out, abi::Extent extent) {
  Call call("cudaMalloc3D");
  if (!out) return call.fail(Code::kInvalidValue, "no place for the address is given");
  *out = {nullptr, 0, extent.width, extent.height};
  if (extent.width == 0 || extent.height == 0 || extent.depth == 0) return call.success();
  const bool countable = extent.height <= ~std::size_t{0} / extent.depth;
  if (!countable || !pitched(extent.width, extent.height * extent.depth, out->pitch))
    return call.fail(Code::kMemoryAllocation,
                     fmt::format("{} slices of {} rows of {} bytes are not to be had", extent.depth, extent.height, extent.width));
  return allocate(call, &out->pointer, out->pitch * extent.height * extent.depth);
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
  void* const same = const_cast<void*>(pointer);
  const auto value = reinterpret_cast<std::uintptr_t>(pointer);
  *out = {abi::kUnregistered, -2, nullptr, same};  // -2: on no device, as CUDA answers for plain host memory
  auto at = call.runtime().pinned.upper_bound(value);
  if (at != call.runtime().pinned.begin() && value - (--at)->first < at->second.bytes) {
    *out = {abi::kHost, 0, at->second.on_device ? same : nullptr, same};
    return call.success();
  }
  Address base = 0;
  std::uint64_t bytes = 0;
  const Answer found = call.device().find_allocation(value, base, bytes);
  if (found.ok()) {
    const bool managed = call.runtime().is_shared(value);
    *out = {managed ? abi::kManaged : abi::kDevice, 0, same, managed ? same : nullptr};
  }
  return device::is_sticky(found.code) ? call.finish(found) : call.success();
}

}  // namespace warpbook::cudart
