// Stream-ordered allocation and memory pools. Memory is got and given back when the call is made, which is one of the orders that a GPU
// may take; a pool keeps no memory back, so what is reserved is what is in use. In a capture memory belongs to the graph (see graph.hpp).
#include <fmt/format.h>

#include <map>
#include <memory>

#include "judge/cudart/allocation.hpp"
#include "judge/cudart/capture.hpp"
#include "judge/cudart/export.hpp"

namespace warpbook::cudart {
namespace {

using device::Address;
using device::Answer;
using device::Code;

/// cudaMemPoolAttr.
enum PoolAttribute : int {
  kFollowEvents = 1,
  kOpportunistic = 2,
  kInternalDependencies = 3,
  kReleaseThreshold = 4,
  kReservedNow = 5,
  kReservedHigh = 6,
  kUsedNow = 7,
  kUsedHigh = 8
};

struct Pool {
  int reuse[4] = {1, 1, 1, 1};  ///< by attribute number; how memory is reused changes nothing here
  std::uint64_t threshold = 0, used = 0, used_high = 0, reserved_high = 0;
};

struct Pools {
  Pool* standard = new Pool;
  Pool* current = standard;
  std::map<void*, std::unique_ptr<Pool>> all;
  Pools() { all[standard].reset(standard); }
};

Pools& pools() {
  static auto* const live = new Pools;
  return *live;
}

Pool* find_pool(void* handle) {
  const auto at = pools().all.find(handle);
  return at == pools().all.end() ? nullptr : at->second.get();
}

const Answer kNoPool{Code::kInvalidValue, "the memory pool does not exist (destroyed, or never created)"};

/// The capture in which a stream is, if that is sound.
Capture* capture_of(const void* handle) {
  const Stream* stream = find_stream(handle);
  return stream && stream->capture && !stream->capture->invalid ? stream->capture : nullptr;
}

int allocate_on(Call& call, void** out, std::size_t bytes, Pool* pool, const void* handle) {
  if (const Answer known = check_stream(handle); !known.ok()) return call.finish(known);
  Capture* capture = capture_of(handle);
  const int code = allocate(call, out, bytes, capture ? nullptr : pool);
  if (code != 0 || !capture || !*out) return code;
  const auto address = reinterpret_cast<Address>(*out);
  capture->graph->own(address);
  return call.finish(submit(call, handle, AllocateWork{address, bytes}));
}

int give_pool(const char* name, void** out, int device, Pool* pool) {
  Call call(name);
  if (!out) return call.fail(Code::kInvalidValue, "no place for the pool is given");
  if (device != 0) return call.fail(Code{101}, fmt::format("there is no device {}, only device 0", device));
  *out = pool;
  return call.success();
}

template <class T>
int put(Call& call, void* value, T number) {
  *static_cast<T*>(value) = number;
  return call.success();
}

}  // namespace

void count_in_pool(void* handle, std::int64_t bytes) {
  Pool* pool = find_pool(handle);
  if (!pool) return;
  pool->used += static_cast<std::uint64_t>(bytes);
  pool->used_high = std::max(pool->used_high, pool->used);
  pool->reserved_high = std::max(pool->reserved_high, pool->used);
}

WARPBOOK_EXPORT int cudaMallocAsync(void** out, std::size_t bytes, void* stream) {
  Call call("cudaMallocAsync");
  return allocate_on(call, out, bytes, pools().current, stream);
}
WARPBOOK_ALSO(cudaMallocAsync_ptsz, cudaMallocAsync);

WARPBOOK_EXPORT int cudaMallocFromPoolAsync(void** out, std::size_t bytes, void* handle, void* stream) {
  Call call("cudaMallocFromPoolAsync");
  Pool* pool = find_pool(handle);
  return pool ? allocate_on(call, out, bytes, pool, stream) : call.finish(kNoPool);
}
WARPBOOK_ALSO(cudaMallocFromPoolAsync_ptsz, cudaMallocFromPoolAsync);

WARPBOOK_EXPORT int cudaFreeAsync(void* pointer, void* stream) {
  Call call("cudaFreeAsync");
  if (const Answer known = check_stream(stream); !known.ok()) return call.finish(known);
  if (!pointer) return call.fail(Code::kInvalidValue, "a null pointer cannot be freed on a stream");
  if (capture_of(stream)) return call.finish(submit(call, stream, FreeWork{reinterpret_cast<Address>(pointer)}));
  return release(call, pointer);
}
WARPBOOK_ALSO(cudaFreeAsync_ptsz, cudaFreeAsync);

WARPBOOK_EXPORT int cudaDeviceGetDefaultMemPool(void** out, int device) {
  return give_pool("cudaDeviceGetDefaultMemPool", out, device, pools().standard);
}
WARPBOOK_EXPORT int cudaDeviceGetMemPool(void** out, int device) { return give_pool("cudaDeviceGetMemPool", out, device, pools().current); }

WARPBOOK_EXPORT int cudaDeviceSetMemPool(int device, void* handle) {
  Call call("cudaDeviceSetMemPool");
  if (device != 0) return call.fail(Code{101}, fmt::format("there is no device {}, only device 0", device));
  Pool* pool = find_pool(handle);
  if (!pool) return call.finish(kNoPool);
  pools().current = pool;
  return call.success();
}

WARPBOOK_EXPORT int cudaMemPoolCreate(void** out, const void* properties) {
  Call call("cudaMemPoolCreate");
  if (!out || !properties) return call.fail(Code::kInvalidValue, "no place for the pool is given, or no properties");
  auto pool = std::make_unique<Pool>();
  *out = pool.get();
  pools().all[*out] = std::move(pool);
  return call.success();
}

WARPBOOK_EXPORT int cudaMemPoolDestroy(void* handle) {
  Call call("cudaMemPoolDestroy");
  Pool* pool = find_pool(handle);
  if (!pool) return call.finish(kNoPool);
  if (pool == pools().standard) return call.fail(Code::kInvalidValue, "the default pool cannot be destroyed");
  if (pools().current == pool) pools().current = pools().standard;
  pools().all.erase(handle);
  return call.success();
}

WARPBOOK_EXPORT int cudaMemPoolTrimTo(void* handle, std::size_t) {
  Call call("cudaMemPoolTrimTo");
  Pool* pool = find_pool(handle);
  if (!pool) return call.finish(kNoPool);
  return call.success();
}

WARPBOOK_EXPORT int cudaMemPoolSetAttribute(void* handle, int attribute, void* value) {
  Call call("cudaMemPoolSetAttribute");
  Pool* pool = find_pool(handle);
  if (!pool || !value) return call.finish(kNoPool);
  switch (attribute) {
    case kFollowEvents:
    case kOpportunistic:
    case kInternalDependencies: pool->reuse[attribute] = *static_cast<int*>(value); return call.success();
    case kReleaseThreshold: pool->threshold = *static_cast<std::uint64_t*>(value); return call.success();
    case kReservedHigh: pool->reserved_high = pool->used; return call.success();  // a high mark can only be reset
    case kUsedHigh: pool->used_high = pool->used; return call.success();
    default: return call.fail(Code::kInvalidValue, fmt::format("attribute {} of a pool cannot be set", attribute));
  }
}

WARPBOOK_EXPORT int cudaMemPoolGetAttribute(void* handle, int attribute, void* value) {
  Call call("cudaMemPoolGetAttribute");
  const Pool* pool = find_pool(handle);
  if (!pool || !value) return call.finish(kNoPool);
  switch (attribute) {
    case kFollowEvents:
    case kOpportunistic:
    case kInternalDependencies: return put(call, value, pool->reuse[attribute]);
    case kReleaseThreshold: return put(call, value, pool->threshold);
    case kReservedNow:
    case kUsedNow: return put(call, value, pool->used);
    case kReservedHigh: return put(call, value, pool->reserved_high);
    case kUsedHigh: return put(call, value, pool->used_high);
    default: return call.fail(Code::kInvalidValue, fmt::format("a pool has no attribute {}", attribute));
  }
}

// Graphs keep their memory as long as they live, so there is never any to trim.
WARPBOOK_EXPORT int cudaDeviceGraphMemTrim(int) { return 0; }

}  // namespace warpbook::cudart
