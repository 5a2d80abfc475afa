#include "judge/gpu/driver.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdio>

#include "judge/grade/pool.hpp"

namespace warpbook::gpu {
namespace {

// Numbers of the driver interface that we use; they are part of its ABI and never change.
constexpr int kSuccess = 0;
constexpr int kComputeCapabilityMajor = 75, kComputeCapabilityMinor = 76;
constexpr int kL2Bytes = 38;
constexpr int kNameBytes = 256;

using Context = void*;

}  // namespace

struct Driver::Functions {
  void* library = nullptr;
  int (*init)(unsigned) = nullptr;
  int (*device_count)(int*) = nullptr;
  int (*device_get)(int*, int) = nullptr;
  int (*device_name)(char*, int, int) = nullptr;
  int (*device_attribute)(int*, int, int) = nullptr;
  int (*context_retain)(Context*, int) = nullptr;
  int (*context_set)(Context) = nullptr;
  int (*memory_allocate)(std::uint64_t*, std::size_t) = nullptr;
  int (*copy_to_device)(std::uint64_t, const void*, std::size_t) = nullptr;
  int (*copy_to_host)(void*, std::uint64_t, std::size_t) = nullptr;
  int (*copy_on_device)(std::uint64_t, std::uint64_t, std::size_t) = nullptr;
  int (*memory_info)(std::size_t*, std::size_t*) = nullptr;
  int (*synchronize)() = nullptr;
  int (*bus_id)(char*, int, int) = nullptr;
  int (*ipc_get)(IpcHandle*, std::uint64_t) = nullptr;
  int (*error_name)(int, const char**) = nullptr;

  template <class F>
  bool find(F& function, const char* name) {
    function = reinterpret_cast<F>(::dlsym(library, name));
    return function != nullptr;
  }
  bool find_all() {
    return find(init, "cuInit") && find(device_count, "cuDeviceGetCount") && find(device_get, "cuDeviceGet") &&
           find(device_name, "cuDeviceGetName") && find(device_attribute, "cuDeviceGetAttribute") &&
           find(context_retain, "cuDevicePrimaryCtxRetain") && find(context_set, "cuCtxSetCurrent") &&
           find(memory_allocate, "cuMemAlloc_v2") && find(copy_to_device, "cuMemcpyHtoD_v2") && find(copy_to_host, "cuMemcpyDtoH_v2") &&
           find(copy_on_device, "cuMemcpyDtoD_v2") && find(memory_info, "cuMemGetInfo_v2") && find(synchronize, "cuCtxSynchronize") &&
           find(bus_id, "cuDeviceGetPCIBusId") && find(ipc_get, "cuIpcGetMemHandle") && find(error_name, "cuGetErrorName");
  }
};

Driver::Driver() : functions_(std::make_unique<Functions>()) {}
Driver::~Driver() = default;
const std::string& Driver::name() const { return name_; }
int Driver::major() const { return major_; }
int Driver::minor() const { return minor_; }

std::uint64_t Driver::l2_bytes() const {
  int bytes = 0;
  return functions_->device_attribute(&bytes, kL2Bytes, device_) == kSuccess && bytes > 0 ? static_cast<std::uint64_t>(bytes) : 0;
}

std::string Driver::bus_id() const {
  char id[kNameBytes] = {};
  return functions_->bus_id(id, sizeof id - 1, device_) == kSuccess ? id : "";
}

std::uint64_t Driver::free_bytes() const {
  std::size_t free = 0, all = 0;
  return functions_->memory_info(&free, &all) == kSuccess ? free : 0;
}

Error Driver::failure(int code, const char* doing) const {
  const char* name = nullptr;
  functions_->error_name(code, &name);
  return Error{fmt::format("{}: the GPU's driver answers {} ({})", doing, name == nullptr ? "an unknown error" : name, code)};
}

Result<std::unique_ptr<Driver>> Driver::open() {
  std::unique_ptr<Driver> driver(new Driver);
  Functions& f = *driver->functions_;
  f.library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (f.library == nullptr) return Error{"no GPU driver: libcuda.so.1 was not found"};
  if (!f.find_all()) return Error{"the GPU's driver is too old: libcuda.so.1 lacks functions of CUDA 12"};
  int count = 0, device = 0;
  if (const int code = f.init(0); code != kSuccess) return driver->failure(code, "starting the GPU");
  if (const int code = f.device_count(&count); code != kSuccess || count == 0) return Error{"no GPU: the driver reports no device"};
  if (const int code = f.device_get(&device, 0); code != kSuccess) return driver->failure(code, "opening the GPU");
  char name[kNameBytes] = {};
  f.device_name(name, sizeof name - 1, device);
  driver->name_ = name;
  driver->device_ = device;
  f.device_attribute(&driver->major_, kComputeCapabilityMajor, device);
  f.device_attribute(&driver->minor_, kComputeCapabilityMinor, device);
  Context context = nullptr;
  if (const int code = f.context_retain(&context, device); code != kSuccess) return driver->failure(code, "opening the GPU");
  if (const int code = f.context_set(context); code != kSuccess) return driver->failure(code, "opening the GPU");
  return driver;
}

Result<std::uint64_t> Driver::allocate(std::uint64_t bytes) {
  std::uint64_t address = 0;
  if (const int code = functions_->memory_allocate(&address, bytes); code != kSuccess)
    return failure(code, fmt::format("allocating {} bytes", bytes).c_str());
  return address;
}

Status Driver::write(std::uint64_t to, std::span<const std::byte> from) {
  if (from.empty()) return Done{};
  if (const int code = functions_->copy_to_device(to, from.data(), from.size()); code != kSuccess)
    return failure(code, "filling device memory");
  return Done{};
}

Status Driver::read(std::span<std::byte> to, std::uint64_t from) {
  if (to.empty()) return Done{};
  if (const int code = functions_->copy_to_host(to.data(), from, to.size()); code != kSuccess)
    return failure(code, "reading device memory");
  return Done{};
}

Status Driver::copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
  if (bytes == 0) return Done{};
  if (const int code = functions_->copy_on_device(to, from, bytes); code != kSuccess) return failure(code, "copying device memory");
  return Done{};
}

Status Driver::synchronize() {
  if (const int code = functions_->synchronize(); code != kSuccess) return failure(code, "waiting for the GPU");
  return Done{};
}

Result<IpcHandle> Driver::export_memory(std::uint64_t address) {
  IpcHandle handle{};
  if (const int code = functions_->ipc_get(&handle, address); code != kSuccess)
    return failure(code, "sharing device memory with the worker");
  return handle;
}

std::optional<Found> find_gpu() {
  std::optional<Found> found;
  const auto look = [](int) -> std::string {
    const auto driver = Driver::open();
    return driver ? fmt::format("{} {} {}", (*driver)->major(), (*driver)->minor(), (*driver)->name()) : std::string();
  };
  grade::run_pool(1, {1, std::chrono::seconds(30)}, look, [&](int, const grade::JobEnd& end) {
    Found f;
    int at = 0;
    if (!end.ok || std::sscanf(end.text.c_str(), "%d %d %n", &f.major, &f.minor, &at) != 2) return;
    f.name = end.text.substr(static_cast<std::size_t>(at));
    found = f;
  });
  return found;
}

}  // namespace warpbook::gpu
