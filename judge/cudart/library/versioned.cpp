// What differs between libcudart.so.12 and libcudart.so.13; compiled once for each with WARPBOOK_CUDART_MAJOR.
#include <fmt/format.h>

#include "judge/cudart/call.hpp"
#include "judge/cudart/capture_calls.hpp"
#include "judge/cudart/device_prop.hpp"
#include "judge/cudart/export.hpp"

namespace warpbook::cudart {
namespace {

template <class Prop>
int properties(Prop* out, int number) {
  Call call("cudaGetDeviceProperties");
  if (number != 0) return call.fail(device::Code{101}, fmt::format("there is no device {}, only device 0", number));
  if (!out) return call.fail(device::Code::kInvalidValue, "no place for the properties is given");
  abi::fill_device_prop(*out, call.runtime().properties());
  return call.success();
}

}  // namespace

#if WARPBOOK_CUDART_MAJOR == 13
int runtime_version() { return 13000; }
WARPBOOK_EXPORT int cudaGetDeviceProperties(abi::DeviceProp13* out, int number) { return properties(out, number); }

// Edges have data here (which port of a node, what kind of dependency); programs that use none get none back.
WARPBOOK_EXPORT int cudaStreamGetCaptureInfo(void* stream, int* status, unsigned long long* id, void** graph, void* const** dependencies,
                                             const void** edges, std::size_t* count) {
  if (edges) *edges = nullptr;
  return capture_info("cudaStreamGetCaptureInfo", stream, status, id, graph, dependencies, count);
}
WARPBOOK_ALSO(cudaStreamGetCaptureInfo_ptsz, cudaStreamGetCaptureInfo);
WARPBOOK_EXPORT int cudaStreamUpdateCaptureDependencies(void* stream, void* const* dependencies, const void*, std::size_t count,
                                                        unsigned flags) {
  return update_dependencies("cudaStreamUpdateCaptureDependencies", stream, dependencies, count, flags);
}
WARPBOOK_ALSO(cudaStreamUpdateCaptureDependencies_ptsz, cudaStreamUpdateCaptureDependencies);
WARPBOOK_EXPORT int cudaGraphAddDependencies(void* graph, void* const* from, void* const* to, const void*, std::size_t count) {
  return change_dependencies("cudaGraphAddDependencies", graph, from, to, count, true);
}
WARPBOOK_EXPORT int cudaGraphRemoveDependencies(void* graph, void* const* from, void* const* to, const void*, std::size_t count) {
  return change_dependencies("cudaGraphRemoveDependencies", graph, from, to, count, false);
}
WARPBOOK_EXPORT int cudaGraphGetEdges(void* graph, void** from, void** to, void*, std::size_t* count) {
  return graph_edges("cudaGraphGetEdges", graph, from, to, count);
}
WARPBOOK_EXPORT int cudaGraphNodeGetDependencies(void* node, void** before, void*, std::size_t* count) {
  return node_neighbours("cudaGraphNodeGetDependencies", node, before, count, false);
}
WARPBOOK_EXPORT int cudaGraphNodeGetDependentNodes(void* node, void** after, void*, std::size_t* count) {
  return node_neighbours("cudaGraphNodeGetDependentNodes", node, after, count, true);
}
#else
int runtime_version() { return 12090; }
WARPBOOK_EXPORT int cudaGetDeviceProperties_v2(abi::DeviceProp12* out, int number) { return properties(out, number); }

WARPBOOK_EXPORT int cudaStreamGetCaptureInfo_v2(void* stream, int* status, unsigned long long* id, void** graph, void* const** dependencies,
                                                std::size_t* count) {
  return capture_info("cudaStreamGetCaptureInfo_v2", stream, status, id, graph, dependencies, count);
}
WARPBOOK_ALSO(cudaStreamGetCaptureInfo_v2_ptsz, cudaStreamGetCaptureInfo_v2);
WARPBOOK_EXPORT int cudaStreamGetCaptureInfo(void* stream, int* status, unsigned long long* id) {
  return capture_info("cudaStreamGetCaptureInfo", stream, status, id, nullptr, nullptr, nullptr);
}
WARPBOOK_ALSO(cudaStreamGetCaptureInfo_ptsz, cudaStreamGetCaptureInfo);
WARPBOOK_EXPORT int cudaStreamUpdateCaptureDependencies(void* stream, void* const* dependencies, std::size_t count, unsigned flags) {
  return update_dependencies("cudaStreamUpdateCaptureDependencies", stream, dependencies, count, flags);
}
WARPBOOK_ALSO(cudaStreamUpdateCaptureDependencies_ptsz, cudaStreamUpdateCaptureDependencies);
WARPBOOK_EXPORT int cudaGraphAddDependencies(void* graph, void* const* from, void* const* to, std::size_t count) {
  return change_dependencies("cudaGraphAddDependencies", graph, from, to, count, true);
}
WARPBOOK_EXPORT int cudaGraphRemoveDependencies(void* graph, void* const* from, void* const* to, std::size_t count) {
  return change_dependencies("cudaGraphRemoveDependencies", graph, from, to, count, false);
}
WARPBOOK_EXPORT int cudaGraphGetEdges(void* graph, void** from, void** to, std::size_t* count) {
  return graph_edges("cudaGraphGetEdges", graph, from, to, count);
}
WARPBOOK_EXPORT int cudaGraphNodeGetDependencies(void* node, void** before, std::size_t* count) {
  return node_neighbours("cudaGraphNodeGetDependencies", node, before, count, false);
}
WARPBOOK_EXPORT int cudaGraphNodeGetDependentNodes(void* node, void** after, std::size_t* count) {
  return node_neighbours("cudaGraphNodeGetDependentNodes", node, after, count, true);
}
#endif

}  // namespace warpbook::cudart
