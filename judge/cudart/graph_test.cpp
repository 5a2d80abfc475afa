// Graphs and captures, on a device that the test looks into; kernels in graphs are in judge/tests/programs/exec/graphs.cu.
#include <string>
#include <vector>

#include "judge/cudart/capture_calls.hpp"
#include "judge/cudart/fake_program.hpp"
#include "judge/cudart/runtime.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook;
namespace abi = warpbook::cudart::abi;

namespace {

constexpr int kBadValue = 1, kIllegalState = 401, kUnsupported = 900, kInvalidated = 901, kMerge = 902, kUnmatched = 903, kUnjoined = 904,
              kIsolation = 905, kImplicit = 906, kCapturedEvent = 907;

std::string order;  // of host functions
void note(void* letter) { order += *static_cast<char*>(letter); }

/// Two streams, an event and the letters that host functions note.
struct Streams {
  void *first = nullptr, *second = nullptr, *event = nullptr;
  char a = 'a', b = 'b', c = 'c';
  Streams() {
    fake_device().sticky = device::Code::kSuccess;
    cudart::Runtime::get().set_sticky(device::Code::kSuccess);
    order.clear();
    REQUIRE(cudaStreamCreate(&first) == 0);
    REQUIRE(cudaStreamCreate(&second) == 0);
    REQUIRE(cudaEventCreate(&event) == 0);
  }
  ~Streams() {
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
    cudaEventDestroy(event);
    cudaGetLastError();
  }
};

}  // namespace

TEST_CASE("captured work runs when its graph is launched, and not before") {
  Streams s;
  void* memory = nullptr;
  REQUIRE(cudaMalloc(&memory, 16) == 0);
  REQUIRE(cudaMemset(memory, 1, 16) == 0);
  REQUIRE(cudaStreamBeginCapture(s.first, abi::kCaptureGlobal) == 0);
  CHECK(cudaStreamBeginCapture(s.first, abi::kCaptureGlobal) == kIllegalState);
  CHECK(cudaMemsetAsync(memory, 9, 16, s.first) == 0);
  CHECK(cudaLaunchHostFunc(s.first, note, &s.a) == 0);
  void *graph = nullptr, *exec = nullptr;
  REQUIRE(cudaStreamEndCapture(s.first, &graph) == 0);
  char back[16] = {};
  CHECK(cudaMemcpy(back, memory, 16, abi::kDeviceToHost) == 0);
  CHECK(back[0] == 1);
  CHECK(order.empty());
  REQUIRE(cudaGraphInstantiate(&exec, graph, 0) == 0);
  CHECK(cudaGraphDestroy(graph) == 0);  // the executable one is a copy
  CHECK(cudaGraphLaunch(exec, s.second) == 0);
  CHECK(cudaGraphLaunch(exec, nullptr) == 0);
  CHECK(order == "aa");
  CHECK(cudaMemcpy(back, memory, 16, abi::kDeviceToHost) == 0);
  CHECK(back[15] == 9);
  CHECK(cudaGraphExecDestroy(exec) == 0);
  CHECK(cudaGraphLaunch(exec, nullptr) == kBadValue);
  CHECK(cudaFree(memory) == 0);
}

TEST_CASE("a capture spreads over events and must come together again") {
  Streams s;
  void* graph = nullptr;
  int status = -1;
  REQUIRE(cudaStreamBeginCapture(s.first, abi::kCaptureRelaxed) == 0);
  CHECK(cudaEventRecord(s.event, s.first) == 0);
  CHECK(cudaEventSynchronize(s.event) == kCapturedEvent);
  CHECK(cudaStreamWaitEvent(s.second, s.event, 0) == 0);
  CHECK(cudaStreamIsCapturing(s.second, &status) == 0);
  CHECK(status == abi::kCapturing);
  CHECK(cudaLaunchHostFunc(s.second, note, &s.b) == 0);
  CHECK(cudaEventRecord(s.event, s.second) == 0);
  CHECK(cudaLaunchHostFunc(s.first, note, &s.a) == 0);
  CHECK(cudaStreamWaitEvent(s.first, s.event, 0) == 0);
  CHECK(cudaLaunchHostFunc(s.first, note, &s.c) == 0);
  REQUIRE(cudaStreamEndCapture(s.first, &graph) == 0);
  CHECK(cudaStreamIsCapturing(s.second, &status) == 0);
  CHECK(status == abi::kNotCapturing);
  std::size_t nodes = 0, roots = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &nodes) == 0);
  CHECK(nodes == 3);
  CHECK(cudaGraphGetRootNodes(graph, nullptr, &roots) == 0);
  CHECK(roots == 2);
  std::size_t edges = 0;
  CHECK(cudart::graph_edges("cudaGraphGetEdges", graph, nullptr, nullptr, &edges) == 0);
  CHECK(edges == 2);
  CHECK(cudaGraphDestroy(graph) == 0);

  // Never waited for.
  REQUIRE(cudaStreamBeginCapture(s.first, abi::kCaptureRelaxed) == 0);
  CHECK(cudaEventRecord(s.event, s.first) == 0);
  CHECK(cudaStreamWaitEvent(s.second, s.event, 0) == 0);
  CHECK(cudaLaunchHostFunc(s.second, note, &s.b) == 0);
  CHECK(cudaStreamEndCapture(s.first, &graph) == kUnjoined);
  CHECK(graph == nullptr);
  CHECK(order.empty());
}

TEST_CASE("what a capture forbids is refused by its own code and spoils it") {
  Streams s;
  void *graph = nullptr, *memory = nullptr;
  const auto spoilt_by = [&](int mode, int code, auto call) {
    REQUIRE(cudaStreamBeginCapture(s.first, mode) == 0);
    CHECK(call() == code);
    CHECK(cudaStreamEndCapture(s.first, &graph) == kInvalidated);
  };
  spoilt_by(abi::kCaptureGlobal, kUnsupported, [&] { return cudaMalloc(&memory, 4); });
  spoilt_by(abi::kCaptureThreadLocal, kUnsupported, [&] { return cudaDeviceSynchronize(); });
  spoilt_by(abi::kCaptureRelaxed, kUnsupported, [&] { return cudaStreamSynchronize(s.first); });
  spoilt_by(abi::kCaptureRelaxed, kImplicit, [&] { return cudaLaunchHostFunc(nullptr, note, &s.a); });
  REQUIRE(cudaEventRecord(s.event, s.second) == 0);
  spoilt_by(abi::kCaptureRelaxed, kIsolation, [&] { return cudaStreamWaitEvent(s.first, s.event, 0); });
  spoilt_by(abi::kCaptureRelaxed, kMerge, [&] {
    REQUIRE(cudaStreamBeginCapture(s.second, abi::kCaptureRelaxed) == 0);
    CHECK(cudaEventRecord(s.event, s.second) == 0);
    const int code = cudaStreamWaitEvent(s.first, s.event, 0);
    CHECK(cudaStreamEndCapture(s.second, &graph) == kInvalidated);
    return code;
  });
  spoilt_by(abi::kCaptureRelaxed, kUnmatched, [&] {
    CHECK(cudaEventRecord(s.event, s.first) == 0);
    CHECK(cudaStreamWaitEvent(s.second, s.event, 0) == 0);
    return cudaStreamEndCapture(s.second, &graph);
  });
  REQUIRE(cudaStreamBeginCapture(s.first, abi::kCaptureRelaxed) == 0);
  CHECK(cudaMalloc(&memory, 4) == 0);
  CHECK(cudaStreamEndCapture(s.first, &graph) == 0);
  CHECK(cudaGraphDestroy(graph) == 0);
  CHECK(cudaFree(memory) == 0);
  CHECK(cudaStreamBeginCapture(nullptr, abi::kCaptureRelaxed) == kUnsupported);
  CHECK(cudaStreamEndCapture(s.first, &graph) == kIllegalState);
  CHECK(order.empty());
}

TEST_CASE("a graph put together by hand runs by its edges, and can be changed") {
  Streams s;
  void *graph = nullptr, *exec = nullptr, *last = nullptr, *first = nullptr, *none = nullptr;
  REQUIRE(cudaGraphCreate(&graph, 0) == 0);
  const abi::HostNode note_a{note, &s.a}, note_b{note, &s.b}, note_c{note, &s.c};
  CHECK(cudaGraphAddHostNode(&last, graph, nullptr, 0, &note_b) == 0);
  CHECK(cudaGraphAddHostNode(&first, graph, nullptr, 0, &note_a) == 0);
  CHECK(cudaGraphAddEmptyNode(&none, graph, &last, 1) == 0);
  CHECK(cudart::change_dependencies("cudaGraphAddDependencies", graph, &first, &last, 1, true) == 0);
  int type = -1;
  CHECK(cudaGraphNodeGetType(none, &type) == 0);
  CHECK(type == abi::kEmptyNode);
  REQUIRE(cudaGraphInstantiate(&exec, graph, 0) == 0);
  CHECK(cudaGraphLaunch(exec, nullptr) == 0);
  CHECK(order == "ab");
  CHECK(cudaGraphNodeSetEnabled(exec, first, 0) == 0);
  CHECK(cudaGraphLaunch(exec, nullptr) == 0);
  CHECK(order == "abb");
  abi::UpdateInfo info{-1, nullptr, nullptr};
  void *other = nullptr, *node = nullptr;
  REQUIRE(cudaGraphCreate(&other, 0) == 0);
  CHECK(cudaGraphAddHostNode(&node, other, nullptr, 0, &note_c) == 0);
  CHECK(cudaGraphExecUpdate(exec, other, &info) == 910);
  CHECK(info.result == abi::kTopologyChanged);
  CHECK(cudart::change_dependencies("cudaGraphAddDependencies", graph, &last, &first, 1, true) == 0);
  CHECK(cudaGraphInstantiate(&node, graph, 0) == kBadValue);  // each waits for the other
  CHECK(cudaGraphExecDestroy(exec) == 0);
  CHECK(cudaGraphDestroy(other) == 0);
  CHECK(cudaGraphDestroy(graph) == 0);
  CHECK(cudaGraphDestroy(graph) == kBadValue);
}

TEST_CASE("memory of a graph lives as long as the last copy of the graph") {
  Streams s;
  void *graph = nullptr, *exec = nullptr, *memory = nullptr;
  REQUIRE(cudaStreamBeginCapture(s.first, abi::kCaptureGlobal) == 0);
  CHECK(cudaMallocAsync(&memory, 32, s.first) == 0);
  CHECK(cudaMemsetAsync(memory, 5, 32, s.first) == 0);
  CHECK(cudaFreeAsync(memory, s.first) == 0);
  REQUIRE(cudaStreamEndCapture(s.first, &graph) == 0);
  REQUIRE(cudaGraphInstantiate(&exec, graph, 0) == 0);
  CHECK(cudaGraphDestroy(graph) == 0);
  CHECK(cudaGraphLaunch(exec, nullptr) == 0);
  CHECK(cudaGraphLaunch(exec, nullptr) == 0);
  const auto address = reinterpret_cast<device::Address>(memory);
  device::Address base = 0;
  std::uint64_t bytes = 0;
  CHECK(fake_device().find_allocation(address, base, bytes).ok());
  CHECK(cudaGraphExecDestroy(exec) == 0);
  CHECK_FALSE(fake_device().find_allocation(address, base, bytes).ok());
}

TEST_CASE("the default pool counts what is in use") {
  Streams s;
  void *pool = nullptr, *memory = nullptr;
  std::uint64_t used = 1, high = 0;
  REQUIRE(cudaDeviceGetDefaultMemPool(&pool, 0) == 0);
  CHECK(cudaDeviceGetDefaultMemPool(&pool, 1) == 101);
  CHECK(cudaMemPoolSetAttribute(pool, 8, &used) == 0);  // resets the high mark
  CHECK(cudaMallocAsync(&memory, 100, s.first) == 0);
  CHECK(cudaMemPoolGetAttribute(pool, 7, &used) == 0);
  CHECK(used == 100);
  CHECK(cudaFreeAsync(memory, s.first) == 0);
  CHECK(cudaMemPoolGetAttribute(pool, 7, &used) == 0);
  CHECK(cudaMemPoolGetAttribute(pool, 8, &high) == 0);
  CHECK(used == 0);
  CHECK(high == 100);
  CHECK(cudaMemPoolDestroy(pool) == kBadValue);
  CHECK(cudaFreeAsync(nullptr, s.first) == kBadValue);
}

TEST_CASE("host memory is out of reach for a device in another process, and that is said by code") {
  Streams s;
  int own[4] = {};
  void* device = nullptr;
  CHECK(cudaHostRegister(own, sizeof own, 0) == 0);
  CHECK(cudaHostRegister(own, sizeof own, 0) == 712);
  CHECK(cudaHostGetDevicePointer(&device, own, 0) == 801);
  CHECK(cudaHostUnregister(own) == 0);
  CHECK(cudaHostUnregister(own) == 713);
  CHECK(cudaHostGetDevicePointer(&device, own, 0) == kBadValue);
}

TEST_CASE("volumes are copied slice by slice") {
  Streams s;
  unsigned char sent[2][3][4], back[2][3][4] = {};
  for (std::size_t i = 0; i < sizeof sent; ++i) (&sent[0][0][0])[i] = static_cast<unsigned char>(i + 1);
  abi::PitchedPointer volume{};
  REQUIRE(cudaMalloc3D(&volume, {4, 3, 2}) == 0);
  CHECK(volume.pitch == 512);
  CHECK(cudaMemset3D(volume, 0, {4, 3, 2}) == 0);
  abi::Copy3D copy{};
  copy.source = {sent, 4, 4, 3};
  copy.target = volume;
  copy.extent = {2, 2, 2};
  copy.source_position = {1, 1, 0};
  copy.direction = abi::kHostToDevice;
  CHECK(cudaMemcpy3D(&copy) == 0);
  abi::Copy3D out{};
  out.source = volume;
  out.target = {back, 4, 4, 3};
  out.extent = {4, 3, 2};
  out.direction = abi::kDeviceToHost;
  CHECK(cudaMemcpy3D(&out) == 0);
  CHECK(back[0][0][0] == sent[0][1][1]);
  CHECK(back[1][1][1] == sent[1][2][2]);
  CHECK(back[1][2][0] == 0);
  out.source_array = sent;
  CHECK(cudaMemcpy3D(&out) == 801);
  CHECK(cudaFree(volume.pointer) == 0);
}
