// The device itself: there is exactly one, number 0.
#include <fmt/format.h>

#include <cstdio>

#include "judge/cudart/capture.hpp"
#include "judge/cudart/export.hpp"
#include "judge/cudart/stream_order.hpp"

namespace warpbook::cudart {
namespace {

using device::Code;

constexpr Code kInvalidDevice{101}, kUnsupportedLimit{215};
constexpr int kDriverVersion = 13000;

enum Limit : int {
  kStackSize = 0,
  kPrintfBuffer = 1,
  kHeapSize = 2,
  kSyncDepth = 3,
  kPendingLaunches = 4,
  kL2Granularity = 5,
  kPersistingL2 = 6
};

std::size_t default_limit(int limit) {
  switch (limit) {
    case kStackSize: return 1024;
    case kPrintfBuffer: return std::size_t{7} << 20;
    case kHeapSize: return std::size_t{8} << 20;
    case kSyncDepth: return 2;
    case kPendingLaunches: return 2048;
    case kL2Granularity: return 64;
    default: return 0;
  }
}

int not_this_device(Call& call, int number) {
  return call.fail(kInvalidDevice, fmt::format("there is no device {}, only device 0", number));
}

}  // namespace

WARPBOOK_EXPORT int cudaGetDeviceCount(int* count) {
  Call call("cudaGetDeviceCount");
  if (!count) return call.fail(Code::kInvalidValue, "no place for the count is given");
  *count = 1;
  return call.success();
}
WARPBOOK_EXPORT int cudaGetDevice(int* number) {
  Call call("cudaGetDevice");
  if (!number) return call.fail(Code::kInvalidValue, "no place for the number is given");
  *number = 0;
  return call.success();
}
WARPBOOK_EXPORT int cudaSetDevice(int number) {
  Call call("cudaSetDevice");
  return number == 0 ? call.success() : not_this_device(call, number);
}
WARPBOOK_EXPORT int cudaInitDevice(int number, unsigned, unsigned) { return cudaSetDevice(number); }
WARPBOOK_EXPORT int cudaSetValidDevices(int* numbers, int count) {
  Call call("cudaSetValidDevices");
  for (int i = 0; i < count; ++i)
    if (numbers[i] != 0) return not_this_device(call, numbers[i]);
  return call.success();
}
WARPBOOK_EXPORT int cudaChooseDevice(int* number, const void*) { return cudaGetDevice(number); }

WARPBOOK_EXPORT int cudaSetDeviceFlags(unsigned flags) {
  Call call("cudaSetDeviceFlags");
  call.runtime().device_flags = flags;
  return call.success();
}
WARPBOOK_EXPORT int cudaGetDeviceFlags(unsigned* flags) {
  Call call("cudaGetDeviceFlags");
  if (!flags) return call.fail(Code::kInvalidValue, "no place for the flags is given");
  *flags = call.runtime().device_flags;
  return call.success();
}

WARPBOOK_EXPORT int cudaDeviceSynchronize() {
  Call call("cudaDeviceSynchronize");
  const device::Answer free = check_unsafe();
  if (!free.ok()) return call.finish(free);
  StreamOrder::get().host_waits_for_all();
  return call.synchronize();
}

WARPBOOK_EXPORT int cudaDeviceReset() {
  Call call("cudaDeviceReset");
  StreamOrder::get().host_waits_for_all();
  const int state = call.synchronize();
  if (state == 0) call.runtime().reset();
  return state;
}

WARPBOOK_EXPORT int cudaDeviceSetLimit(int limit, std::size_t value) {
  Call call("cudaDeviceSetLimit");
  if (limit < kStackSize || limit > kPersistingL2) return call.fail(kUnsupportedLimit, fmt::format("there is no limit {}", limit));
  call.runtime().limits[limit] = value;
  if (limit == kHeapSize) call.runtime().set_heap_bytes(value);
  return call.success();
}
WARPBOOK_EXPORT int cudaDeviceGetLimit(std::size_t* value, int limit) {
  Call call("cudaDeviceGetLimit");
  if (!value) return call.fail(Code::kInvalidValue, "no place for the limit is given");
  if (limit < kStackSize || limit > kPersistingL2) return call.fail(kUnsupportedLimit, fmt::format("there is no limit {}", limit));
  const auto set = call.runtime().limits.find(limit);
  *value = set == call.runtime().limits.end() ? default_limit(limit) : set->second;
  return call.success();
}

// How cache and shared memory share their store changes speed only.
WARPBOOK_EXPORT int cudaDeviceSetCacheConfig(int) { return 0; }
WARPBOOK_EXPORT int cudaDeviceGetCacheConfig(int* config) {
  if (config) *config = 0;
  return 0;
}
WARPBOOK_EXPORT int cudaDeviceSetSharedMemConfig(int) { return 0; }
WARPBOOK_EXPORT int cudaDeviceGetSharedMemConfig(int* config) {
  if (config) *config = 1;  // banks of four bytes
  return 0;
}
WARPBOOK_EXPORT int cudaCtxResetPersistingL2Cache() { return 0; }
WARPBOOK_EXPORT int cudaProfilerStart() { return 0; }
WARPBOOK_EXPORT int cudaProfilerStop() { return 0; }

WARPBOOK_EXPORT int cudaDeviceCanAccessPeer(int* can, int, int) {
  Call call("cudaDeviceCanAccessPeer");
  if (!can) return call.fail(Code::kInvalidValue, "no place for the answer is given");
  *can = 0;
  return call.success();
}
WARPBOOK_EXPORT int cudaDeviceEnablePeerAccess(int number, unsigned) {
  Call call("cudaDeviceEnablePeerAccess");
  return not_this_device(call, number);
}
WARPBOOK_EXPORT int cudaDeviceDisablePeerAccess(int number) {
  Call call("cudaDeviceDisablePeerAccess");
  return not_this_device(call, number);
}

WARPBOOK_EXPORT int cudaDeviceGetPCIBusId(char* text, int length, int number) {
  Call call("cudaDeviceGetPCIBusId");
  if (number != 0) return not_this_device(call, number);
  if (!text || length < 1) return call.fail(Code::kInvalidValue, "no place for the text is given");
  std::snprintf(text, static_cast<std::size_t>(length), "0000:00:00.0");
  return call.success();
}
WARPBOOK_EXPORT int cudaDeviceGetByPCIBusId(int* number, const char*) { return cudaGetDevice(number); }

WARPBOOK_EXPORT int cudaDriverGetVersion(int* version) {
  Call call("cudaDriverGetVersion");
  if (!version) return call.fail(Code::kInvalidValue, "no place for the version is given");
  *version = kDriverVersion;
  return call.success();
}
WARPBOOK_EXPORT int cudaRuntimeGetVersion(int* version) {
  Call call("cudaRuntimeGetVersion");
  if (!version) return call.fail(Code::kInvalidValue, "no place for the version is given");
  *version = runtime_version();
  return call.success();
}

}  // namespace warpbook::cudart
