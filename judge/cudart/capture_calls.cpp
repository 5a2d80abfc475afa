// cudaStreamBeginCapture and its kin. What differs between versions 12 and 13 (edge data) is in library/versioned.cpp.
#include "judge/cudart/capture_calls.hpp"

#include "judge/cudart/capture.hpp"
#include "judge/cudart/export.hpp"

namespace warpbook::cudart {
namespace {

using device::Answer;
using device::Code;

Answer nodes_from(void* const* handles, std::size_t count, std::vector<GraphNode*>& nodes) {
  for (std::size_t i = 0; i < count; ++i) {
    nodes.push_back(find_node(handles[i]));
    if (!nodes.back()) return {Code::kInvalidValue, "a dependency is not a node of a graph"};
  }
  return {};
}

}  // namespace

int capture_info(const char* name, void* handle, int* status, unsigned long long* id, void** graph, void* const** dependencies,
                 std::size_t* count) {
  Call call(name);
  if (!status) return call.fail(Code::kInvalidValue, "no place for the status is given");
  if (const Answer known = check_stream(handle); !known.ok()) return call.finish(known);
  const Stream* stream = find_stream(handle);
  Capture* capture = stream ? stream->capture : nullptr;
  *status = !capture ? abi::kNotCapturing : capture->invalid ? abi::kCaptureInvalidated : abi::kCapturing;
  if (*status != abi::kCapturing) return call.success();
  if (id) *id = capture->number;
  if (graph) *graph = capture->graph;
  std::vector<GraphNode*>& tail = capture->tails[const_cast<Stream*>(stream)];
  if (dependencies) *dependencies = reinterpret_cast<void* const*>(tail.data());
  if (count) *count = tail.size();
  return call.success();
}

int update_dependencies(const char* name, void* handle, void* const* handles, std::size_t count, unsigned flags) {
  constexpr unsigned kAdd = 0, kSet = 1;
  Call call(name);
  if (const Answer known = check_stream(handle); !known.ok()) return call.finish(known);
  Stream* stream = find_stream(handle);
  if (!stream || !stream->capture) return call.fail(Code{401}, "the stream is not being captured");
  if (flags != kAdd && flags != kSet) return call.fail(Code::kInvalidValue, "the flags are neither add nor set");
  std::vector<GraphNode*> nodes;
  if (const Answer known = nodes_from(handles, count, nodes); !known.ok()) return call.finish(known);
  std::vector<GraphNode*>& tail = stream->capture->tails[stream];
  if (flags == kSet) tail.clear();
  tail.insert(tail.end(), nodes.begin(), nodes.end());
  return call.success();
}

WARPBOOK_EXPORT int cudaStreamBeginCapture(void* stream, int mode) {
  Call call("cudaStreamBeginCapture");
  return call.finish(begin_capture(stream, mode, nullptr, {}));
}
WARPBOOK_ALSO(cudaStreamBeginCapture_ptsz, cudaStreamBeginCapture);

WARPBOOK_EXPORT int cudaStreamBeginCaptureToGraph(void* stream, void* handle, void* const* dependencies, const void*, std::size_t count,
                                                  int mode) {
  Call call("cudaStreamBeginCaptureToGraph");
  Graph* graph = find_graph(handle);
  if (!graph) return call.fail(Code::kInvalidValue, "the graph does not exist");
  std::vector<GraphNode*> nodes;
  if (const Answer known = nodes_from(dependencies, count, nodes); !known.ok()) return call.finish(known);
  return call.finish(begin_capture(stream, mode, graph, std::move(nodes)));
}
WARPBOOK_ALSO(cudaStreamBeginCaptureToGraph_ptsz, cudaStreamBeginCaptureToGraph);

WARPBOOK_EXPORT int cudaStreamEndCapture(void* stream, void** out) {
  Call call("cudaStreamEndCapture");
  Graph* graph = nullptr;
  const Answer answer = end_capture(stream, graph);
  if (out) *out = graph;
  return call.finish(answer);
}
WARPBOOK_ALSO(cudaStreamEndCapture_ptsz, cudaStreamEndCapture);

WARPBOOK_EXPORT int cudaStreamIsCapturing(void* stream, int* status) {
  return capture_info("cudaStreamIsCapturing", stream, status, nullptr, nullptr, nullptr, nullptr);
}
WARPBOOK_ALSO(cudaStreamIsCapturing_ptsz, cudaStreamIsCapturing);

WARPBOOK_EXPORT int cudaThreadExchangeStreamCaptureMode(int* mode) {
  Call call("cudaThreadExchangeStreamCaptureMode");
  if (!mode || *mode < abi::kCaptureGlobal || *mode > abi::kCaptureRelaxed)
    return call.fail(Code::kInvalidValue, "the mode is none of cudaStreamCaptureMode");
  *mode = exchange_mode(static_cast<abi::CaptureMode>(*mode));
  return call.success();
}

}  // namespace warpbook::cudart
