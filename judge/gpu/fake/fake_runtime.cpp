// libcudart.so.13 of a GPU of paper: opens the driver's memory files, and takes the host's clock for events.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <chrono>
#include <cstddef>

namespace {

struct Handle {
  char path[64];
};
using Moment = std::chrono::steady_clock::time_point;

}  // namespace

extern "C" {
int cudaPeekAtLastError() { return 0; }
int cudaGetLastError() { return 0; }
int cudaDeviceSynchronize() { return 0; }
int cudaDeviceSetLimit(int, std::size_t) { return 0; }
int cudaCtxResetPersistingL2Cache() { return 0; }
int cudaEventCreate(Moment** event) { return *event = new Moment, 0; }
int cudaEventRecord(Moment* event, void*) { return *event = std::chrono::steady_clock::now(), 0; }
int cudaEventElapsedTime(float* milliseconds, const Moment* begin, const Moment* end) {
  *milliseconds = std::chrono::duration<float, std::milli>(*end - *begin).count();
  return 0;
}
int cudaIpcOpenMemHandle(void** out, Handle handle, unsigned) {
  const int file = ::open(handle.path, O_RDWR | O_CLOEXEC);
  struct stat about {};
  if (file < 0 || ::fstat(file, &about) != 0) return 1;
  *out = ::mmap(nullptr, static_cast<std::size_t>(about.st_size), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return *out == MAP_FAILED ? 1 : 0;
}
}
