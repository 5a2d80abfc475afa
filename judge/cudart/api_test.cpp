// The API as a program uses it, on a device that writes everything down.
#include <cstring>
#include <thread>

#include "judge/base/files.hpp"
#include "judge/cudart/choose_device.hpp"
#include "judge/cudart/fake_program.hpp"
#include "judge/cudart/runtime.hpp"
#include "judge/device/codes.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook;
namespace abi = warpbook::cudart::abi;

namespace {

/// Hands out the one fake device without giving it away.
class Forward final : public device::FakeDevice {};
device::FakeDevice* the_device = nullptr;

constexpr int kIllegalAddress = 700, kInvalidValue = 1, kInvalidHandle = 400, kNotSupported = 801;

}  // namespace

device::FakeDevice& fake_device() {
  cudart::Runtime::get().device();
  return *the_device;
}

namespace warpbook::cudart {
ChosenDevice choose_device() {
  auto device = std::make_unique<Forward>();
  the_device = device.get();
  return {std::move(device), true};
}
int runtime_version() { return 13000; }
}  // namespace warpbook::cudart

namespace {

const char host_kernel = 0, host_double = 0;  // stand for host stubs: only their addresses matter
char host_variable = 0;
void* host_managed = nullptr;

/// A program with one fat binary, two kernels and a variable; registered for the length of a test.
struct Program {
  std::string fat;
  struct {
    std::uint32_t magic = 0x466243B1, version = 1;
    const void* data;
    const void* more = nullptr;
  } wrapper;
  void** handle;
  explicit Program(const char* file = "sample_none.fatbin") {
    fat = read_file(std::string(WARPBOOK_SOURCE_DIR) + "/judge/cudart/testdata/" + file).value();
    wrapper.data = fat.data();
    auto& device = fake_device();
    device.sticky = device::Code::kSuccess;
    cudart::Runtime::get().set_sticky(device::Code::kSuccess);
    cudaGetLastError();
    device.launches.clear();
    device.modules.clear();
    auto& info = device.kernels["kernel"].info;
    info.parameter_sizes = {8, 4, 8};
    info.parameter_offsets = {0, 8, 16};
    info.parameter_bytes = 24;
    device.kernels["empty"].info = {};
    device.variables["variable"].resize(16);
    handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, &host_kernel, nullptr, "kernel", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    __cudaRegisterFunction(handle, &host_double, nullptr, "empty", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    __cudaRegisterVar(handle, &host_variable, nullptr, "variable", 0, 16, 0, 0);
    __cudaRegisterManagedVar(handle, &host_managed, nullptr, "managed", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
  }
  ~Program() { __cudaUnregisterFatBinary(handle); }
};

}  // namespace

TEST_CASE("a launch packs its arguments as the PTX lays them out") {
  Program program;
  CHECK(fake_device().modules.empty());  // nothing is loaded before it is needed
  double a = 1.5;
  int b = 7;
  void* c = &b;
  void* arguments[] = {&a, &b, &c};
  REQUIRE(__cudaPushCallConfiguration({2, 3, 4}, {32, 1, 1}, 100, nullptr) == 0);
  Dim3 grid, block;
  std::size_t shared = 0;
  void* stream = nullptr;
  REQUIRE(__cudaPopCallConfiguration(&grid, &block, &shared, &stream) == 0);
  const void* kernel = nullptr;
  REQUIRE(__cudaGetKernel(&kernel, &host_kernel) == 0);
  REQUIRE(__cudaLaunchKernel(kernel, grid, block, arguments, shared, stream) == 0);
  CHECK(fake_device().modules.at(0).find(".version 9.0") == 0);
  REQUIRE(fake_device().launches.size() == 1);
  const device::Launch& launch = fake_device().launches[0];
  CHECK(launch.function == "kernel");
  CHECK(launch.grid == device::Dim3{2, 3, 4});
  CHECK(launch.block == device::Dim3{32, 1, 1});
  CHECK(launch.dynamic_shared == 100);
  CHECK(launch.dynamic_shared_limit == 0);
  CHECK_FALSE(launch.cooperative);
  REQUIRE(launch.parameters.size() == 24);
  CHECK(std::memcmp(launch.parameters.data(), &a, 8) == 0);
  CHECK(std::memcmp(launch.parameters.data() + 8, &b, 4) == 0);
  CHECK(std::memcmp(launch.parameters.data() + 16, &c, 8) == 0);

  REQUIRE(cudaFuncSetAttribute(&host_kernel, 8, 60000) == 0);
  REQUIRE(cudaLaunchCooperativeKernel(&host_kernel, {1, 1, 1}, {1, 1, 1}, arguments, 0, nullptr) == 0);
  CHECK(fake_device().launches.at(1).cooperative);
  CHECK(fake_device().launches.at(1).dynamic_shared_limit == 60000);
  CHECK(cudaFuncSetAttribute(&host_kernel, 8, 1 << 20) == kInvalidValue);
  CHECK(fake_device().modules.size() == 1);
}

TEST_CASE("launches that cannot be are refused by their own codes") {
  Program program;
  void* arguments[] = {nullptr};
  CHECK(cudaLaunchKernel(&program, {1, 1, 1}, {1, 1, 1}, arguments, 0, nullptr) == 98);
  CHECK(cudaLaunchKernel(&host_double, {0, 1, 1}, {1, 1, 1}, nullptr, 0, nullptr) == kInvalidValue);  // CUDA 12 says 9
  CHECK(cudaLaunchKernel(&host_kernel, {1, 1, 1}, {1, 1, 1}, nullptr, 0, nullptr) == kInvalidValue);
  CHECK(cudaLaunchKernel(&host_double, {1, 1, 1}, {1, 1, 1}, nullptr, 0, &program) == kInvalidHandle);
  Dim3 grid, block;
  std::size_t shared = 0;
  void* stream = nullptr;
  CHECK(__cudaPopCallConfiguration(&grid, &block, &shared, &stream) == 52);
  CHECK(fake_device().launches.empty());

  abi::LaunchAttribute attribute{};
  attribute.id = abi::kClusterDimension;
  attribute.value.cluster = {2, 1, 1};
  abi::LaunchConfig config{{1, 1, 1}, {1, 1, 1}, 0, nullptr, &attribute, 1};
  CHECK(cudaLaunchKernelExC(&config, &host_double, nullptr) == kNotSupported);
  attribute.value.cluster = {1, 1, 1};
  CHECK(cudaLaunchKernelExC(&config, &host_double, nullptr) == 0);
  attribute.id = abi::kCooperative;
  attribute.value.cooperative = 1;
  CHECK(cudaLaunchKernelExC(&config, &host_double, nullptr) == 0);
  CHECK(fake_device().launches.at(1).cooperative);
}

TEST_CASE("in judging a binary without PTX is the judge's business") {
  Program program("sample_machine.fatbin");
  CHECK(cudaLaunchKernel(&host_double, {1, 1, 1}, {1, 1, 1}, nullptr, 0, nullptr) == 0);
  CHECK(fake_device().modules.at(0).empty());
}

TEST_CASE("an error stays until it is asked for, and belongs to its thread") {
  Program program;
  CHECK(cudaGetLastError() == 0);
  CHECK(cudaMalloc(nullptr, 4) == kInvalidValue);
  void* at = nullptr;
  CHECK(cudaMalloc(&at, 4) == 0);  // a success takes nothing away
  CHECK(cudaPeekAtLastError() == kInvalidValue);
  std::thread([] { CHECK(cudaGetLastError() == 0); }).join();
  CHECK(cudaGetLastError() == kInvalidValue);
  CHECK(cudaGetLastError() == 0);
  CHECK(cudaFree(at) == 0);
  CHECK(cudaFree(at) == kInvalidValue);
  CHECK(cudaGetLastError() == kInvalidValue);
  CHECK(std::string(cudaGetErrorName(kIllegalAddress)) == "cudaErrorIllegalAddress");
  CHECK(std::string(cudaGetErrorString(0)) == "no error");
}

TEST_CASE("what a kernel broke stays broken for every call and thread") {
  Program program;
  fake_device().kernels["empty"].body = [](device::FakeDevice& device, const device::Launch&) {
    device.sticky = device::Code::kIllegalAddress;
  };
  CHECK(cudaLaunchKernel(&host_double, {1, 1, 1}, {1, 1, 1}, nullptr, 0, nullptr) == 0);
  CHECK(cudaGetLastError() == 0);  // not known yet, as on a GPU
  CHECK(cudaDeviceSynchronize() == kIllegalAddress);
  CHECK(cudaGetLastError() == kIllegalAddress);
  CHECK(cudaGetLastError() == kIllegalAddress);
  std::thread([] { CHECK(cudaPeekAtLastError() == kIllegalAddress); }).join();
  void* at = nullptr;
  CHECK(cudaMalloc(&at, 4) == kIllegalAddress);
  CHECK(cudaDeviceReset() == kIllegalAddress);
}

TEST_CASE("memory is copied in every direction, and a wrong direction is refused instead of followed") {
  Program program;
  void *a = nullptr, *b = nullptr;
  REQUIRE(cudaMalloc(&a, 64) == 0);
  REQUIRE(cudaMalloc(&b, 64) == 0);
  char sent[64], back[64] = {};
  for (int i = 0; i < 64; ++i) sent[i] = static_cast<char>(i);
  CHECK(cudaMemcpy(a, sent, 64, abi::kHostToDevice) == 0);
  CHECK(cudaMemcpyAsync(b, a, 64, abi::kDeviceToDevice, nullptr) == 0);
  CHECK(cudaMemcpy(back, b, 64, abi::kByAddress) == 0);
  CHECK(std::memcmp(back, sent, 64) == 0);
  CHECK(cudaMemset(a, 0x1FF, 64) == 0);
  CHECK(cudaMemcpy(back, a, 64, abi::kDeviceToHost) == 0);
  CHECK(back[63] == static_cast<char>(0xFF));
  CHECK(cudaMemcpy(back, a, 64, abi::kHostToHost) == kInvalidValue);
  CHECK(cudaMemcpy(a, back, 64, abi::kDeviceToHost) == kInvalidValue);
  CHECK(cudaMemcpy(back, a, 65, abi::kDeviceToHost) == kInvalidValue);
  CHECK(cudaMemcpy(a, nullptr, 1, abi::kHostToDevice) == kInvalidValue);
  CHECK(cudaMemcpy(a, back, 1, 9) == 21);
  CHECK(cudaMemcpy(nullptr, nullptr, 0, abi::kHostToDevice) == 0);

  // Rows of 3 bytes: 4 apart on the host, 16 apart on the device.
  CHECK(cudaMemset2D(a, 16, 1, 3, 4) == 0);
  CHECK(cudaMemcpy2D(a, 16, sent, 4, 3, 4, abi::kHostToDevice) == 0);
  std::memset(back, 0, sizeof back);
  CHECK(cudaMemcpy2D(back, 3, a, 16, 3, 4, abi::kDeviceToHost) == 0);
  const char rows[] = {0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 0};
  CHECK(std::memcmp(back, rows, sizeof rows) == 0);
  CHECK(cudaMemcpy2D(back, 2, a, 16, 3, 4, abi::kDeviceToHost) == 12);

  abi::PointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, static_cast<char*>(a) + 5) == 0);
  CHECK(attributes.type == abi::kDevice);
  CHECK(cudaPointerGetAttributes(&attributes, back) == 0);
  CHECK(attributes.type == abi::kUnregistered);
  void* host = nullptr;
  REQUIRE(cudaMallocHost(&host, 10) == 0);
  CHECK(cudaPointerGetAttributes(&attributes, static_cast<char*>(host) + 9) == 0);
  CHECK(attributes.type == abi::kHost);
  CHECK(cudaFreeHost(host) == 0);
  CHECK(cudaFreeHost(host) == kInvalidValue);
  std::size_t pitch = 0;
  REQUIRE(cudaMallocPitch(&host, &pitch, 700, 3) == 0);
  CHECK(pitch == 1024);
  CHECK(cudaMalloc(&host, std::size_t{1} << 60) == 2);
  CHECK(cudaMalloc(&host, 0) == 0);
  CHECK(host == nullptr);
  CHECK(cudaFree(nullptr) == 0);
  CHECK(cudaDeviceReset() == 0);
  CHECK(cudaFree(a) == kInvalidValue);  // the reset freed it
}

TEST_CASE("device variables are reached by the address of their host shadow") {
  Program program;
  const int sent[4] = {1, 2, 3, 4};
  int back[4] = {};
  CHECK(cudaMemcpyToSymbol(&host_variable, sent, 16, 0, abi::kHostToDevice) == 0);
  CHECK(cudaMemcpyFromSymbol(back, &host_variable, 8, 8, abi::kDeviceToHost) == 0);
  CHECK(back[0] == 3);
  CHECK(back[1] == 4);
  CHECK(cudaMemcpyToSymbol(&host_variable, sent, 16, 1, abi::kHostToDevice) == kInvalidValue);
  CHECK(cudaMemcpyToSymbol(&host_variable, sent, 16, ~std::size_t{0}, abi::kHostToDevice) == kInvalidValue);
  CHECK(cudaMemcpyToSymbol(sent, sent, 4, 0, abi::kHostToDevice) == 13);
  CHECK(cudaMemcpyToSymbol(&host_managed, sent, 4, 0, abi::kHostToDevice) == kNotSupported);
  std::size_t size = 0;
  void* address = nullptr;
  CHECK(cudaGetSymbolSize(&size, &host_variable) == 0);
  CHECK(size == 16);
  CHECK(cudaGetSymbolAddress(&address, &host_variable) == 0);
  CHECK(cudaMemcpy(back, address, 16, abi::kDeviceToHost) == 0);
  CHECK(back[0] == 1);
}

TEST_CASE("streams and events are told apart from what never was one") {
  Program program;
  void *stream = nullptr, *start = nullptr, *stop = nullptr;
  REQUIRE(cudaStreamCreate(&stream) == 0);
  CHECK(cudaStreamSynchronize(stream) == 0);
  CHECK(cudaStreamSynchronize(nullptr) == 0);
  CHECK(cudaStreamQuery(reinterpret_cast<void*>(2)) == 0);
  REQUIRE(cudaEventCreate(&start) == 0);
  REQUIRE(cudaEventCreate(&stop) == 0);
  float ms = -1;
  CHECK(cudaEventElapsedTime(&ms, start, stop) == kInvalidHandle);
  CHECK(cudaEventRecord(start, stream) == 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  CHECK(cudaEventRecord(stop, stream) == 0);
  CHECK(cudaEventElapsedTime(&ms, start, stop) == 0);
  CHECK(ms >= 2.0f);
  CHECK(cudaStreamWaitEvent(stream, start, 0) == 0);
  int called = 0;
  CHECK(cudaLaunchHostFunc(
            stream, [](void* data) { ++*static_cast<int*>(data), cudaStreamQuery(nullptr); }, &called) == 0);
  CHECK(called == 1);
  CHECK(cudaStreamDestroy(stream) == 0);
  CHECK(cudaStreamDestroy(stream) == kInvalidHandle);
  CHECK(cudaMemcpyAsync(&ms, &ms, 4, 0, stream) == kInvalidHandle);
  CHECK(cudaEventDestroy(start) == 0);
  CHECK(cudaEventRecord(start, nullptr) == kInvalidHandle);
  CHECK(cudaEventDestroy(stop) == 0);
  void* quiet = nullptr;
  REQUIRE(cudaEventCreateWithFlags(&quiet, 2) == 0);
  CHECK(cudaEventRecord(quiet, nullptr) == 0);
  CHECK(cudaEventElapsedTime(&ms, quiet, quiet) == kInvalidHandle);
  CHECK(cudaEventDestroy(quiet) == 0);
}

TEST_CASE("the device answers questions about itself and its kernels") {
  Program program;
  int value = 0;
  CHECK(cudaGetDeviceCount(&value) == 0);
  CHECK(value == 1);
  CHECK(cudaSetDevice(1) == 101);
  CHECK(cudaDeviceGetAttribute(&value, 75, 0) == 0);
  CHECK(value == 8);
  CHECK(cudaDeviceGetAttribute(&value, 10, 0) == 0);
  CHECK(value == 32);
  CHECK(cudaDeviceGetAttribute(&value, 10, 1) == 101);
  CHECK(cudaDeviceGetAttribute(&value, 0, 0) == kInvalidValue);
  std::size_t limit = 0;
  CHECK(cudaDeviceSetLimit(2, 12345) == 0);
  CHECK(cudaDeviceGetLimit(&limit, 2) == 0);
  CHECK(limit == 12345);
  CHECK(cudaDeviceGetLimit(&limit, 99) == 215);
  abi::FunctionAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, &host_kernel) == 0);
  CHECK(attributes.max_threads_per_block == 1024);
  CHECK(attributes.binary_version == 80);
  CHECK(attributes.max_dynamic_shared_bytes == 49152);
  CHECK(cudaFuncGetAttributes(&attributes, &value) == 98);
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, &host_kernel, 256, 0) == 0);
  CHECK(value == 8);
}

TEST_CASE("what is not supported says so by code") {
  Program program;
  void* at = &program;
  CHECK(cudaMallocManaged(&at, 4, 1) == kNotSupported);
  CHECK(at == nullptr);
  CHECK(cudaMallocArray() == kNotSupported);
  CHECK(cudaGetLastError() == kNotSupported);
}
