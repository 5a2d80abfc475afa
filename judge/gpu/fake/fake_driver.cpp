// libcuda.so.1 of a GPU of paper: its memory is memory files, which other processes open by the path in the handle.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>

namespace {

struct Handle {
  char path[64];
};

/// Files of memory by their addresses; gone with this process.
struct Files {
  std::map<std::uint64_t, std::string> paths;
  ~Files() {
    for (const auto& [address, path] : paths) ::unlink(path.c_str());
  }
};

Files& files() {
  static Files all;
  return all;
}

}  // namespace

extern "C" {
int cuInit(unsigned) { return 0; }
int cuDeviceGetCount(int* count) { return *count = 1, 0; }
int cuDeviceGet(int* device, int) { return *device = 0, 0; }
int cuDeviceGetName(char* name, int bytes, int) { return std::snprintf(name, static_cast<std::size_t>(bytes), "paper"), 0; }
int cuDeviceGetAttribute(int* value, int attribute, int) {
  constexpr int kL2 = 38, kL2Bytes = 1 << 20, kCapability = 9;
  *value = attribute == kL2 ? kL2Bytes : kCapability;
  return 0;
}
int cuDevicePrimaryCtxRetain(void** context, int) { return *context = &files(), 0; }
int cuCtxSetCurrent(void*) { return 0; }
int cuCtxSynchronize() { return 0; }
int cuDeviceGetPCIBusId(char* id, int bytes, int) { return std::snprintf(id, static_cast<std::size_t>(bytes), "0000:00:00.0"), 0; }
int cuMemGetInfo_v2(std::size_t* free, std::size_t* all) { return *free = *all = std::size_t{64} << 20, 0; }
int cuMemAlloc_v2(std::uint64_t* address, std::size_t bytes) {
  const std::string path = "/dev/shm/warpbook-paper-" + std::to_string(::getpid()) + "-" + std::to_string(files().paths.size());
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0 || ::ftruncate(file, static_cast<off_t>(bytes)) != 0) return 2;
  void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  if (at == MAP_FAILED) return 2;
  *address = reinterpret_cast<std::uint64_t>(at);
  files().paths[*address] = path;
  return 0;
}
int cuMemcpyHtoD_v2(std::uint64_t to, const void* from, std::size_t bytes) {
  return std::memcpy(reinterpret_cast<void*>(to), from, bytes), 0;
}
int cuMemcpyDtoH_v2(void* to, std::uint64_t from, std::size_t bytes) {
  return std::memcpy(to, reinterpret_cast<const void*>(from), bytes), 0;
}
int cuMemcpyDtoD_v2(std::uint64_t to, std::uint64_t from, std::size_t bytes) {
  return std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes), 0;
}
int cuIpcGetMemHandle(Handle* handle, std::uint64_t address) {
  const auto file = files().paths.find(address);
  if (file == files().paths.end()) return 1;
  std::snprintf(handle->path, sizeof handle->path, "%s", file->second.c_str());
  return 0;
}
int cuGetErrorName(int, const char** name) { return *name = "an error of paper", 0; }
}
