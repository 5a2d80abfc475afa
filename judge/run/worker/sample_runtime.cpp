// A runtime library for tests of the worker: the few functions that it looks up, over the device socket when there is one.
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "judge/device/socket_device.hpp"

namespace {

warpbook::device::SocketDevice& device() {
  static warpbook::device::SocketDevice socket(std::atoi(std::getenv("WARPBOOK_DEVICE_FD")));
  return socket;
}

struct Handle {
  char bytes[64];
};

char shared_memory[4096];

}  // namespace

extern "C" {
/// Workers of one launch are told 7, so that a test sees it come through; a timed conversation goes on only while all is well.
int cudaPeekAtLastError() { return std::getenv("SAMPLE_NO_ERROR") ? 0 : 7; }
int cudaGetLastError() { return 0; }
int cudaDeviceSetLimit(int limit, std::size_t bytes) { return limit == 6 && bytes == 0 ? 0 : 1; }
int cudaCtxResetPersistingL2Cache() { return 0; }
/// Events of this runtime are moments of the host's clock.
int cudaEventCreate(std::chrono::steady_clock::time_point** event) {
  *event = new std::chrono::steady_clock::time_point;
  return 0;
}
int cudaEventRecord(std::chrono::steady_clock::time_point* event, void*) {
  *event = std::chrono::steady_clock::now();
  return 0;
}
int cudaEventElapsedTime(float* milliseconds, const std::chrono::steady_clock::time_point* begin,
                         const std::chrono::steady_clock::time_point* end) {
  *milliseconds = std::chrono::duration<float, std::milli>(*end - *begin).count();
  return 0;
}
int cudaDeviceSynchronize() { return std::getenv("WARPBOOK_DEVICE_FD") ? static_cast<int>(device().synchronize().code) : 0; }
int cudaMalloc(void** out, std::size_t bytes) {
  warpbook::device::Address address = 0;
  const auto answer = device().allocate(bytes, address);
  *out = reinterpret_cast<void*>(address);
  return static_cast<int>(answer.code);
}
/// Opens "good" handles only, each once.
int cudaIpcOpenMemHandle(void** out, Handle handle, unsigned flags) {
  static int opened = 0;
  if (flags != 1 || std::strcmp(handle.bytes, "good") != 0 || opened++ > 0) return 1;
  std::strcpy(shared_memory + 100, "shared");
  for (int set = 0; set < 5; ++set) shared_memory[1000 + 300 * set] = static_cast<char>('a' + set);  // what sets of arguments hold
  *out = shared_memory;
  return 0;
}
}
