// Graphs as a whole: made, asked, instantiated, launched. Nodes one by one are in node_calls.cpp.
#include <algorithm>

#include "judge/cudart/capture.hpp"
#include "judge/cudart/capture_calls.hpp"
#include "judge/cudart/export.hpp"

namespace warpbook::cudart {
namespace {

using device::Answer;
using device::Code;

const Answer kNoGraph{Code::kInvalidValue, "the graph does not exist (destroyed, or never created)"};
const Answer kNoExec{Code::kInvalidValue, "the executable graph does not exist (destroyed, or never instantiated)"};
const Answer kNoNode{Code::kInvalidValue, "the node is not one of a live graph"};

/// Gives a list the way CUDA does: its length when there is no room for it, else as much as fits, the rest of the room null.
int give(Call& call, const std::vector<void*>& list, void** out, std::size_t* count) {
  if (!count) return call.fail(Code::kInvalidValue, "no place for the number of nodes is given");
  if (out)
    for (std::size_t i = 0; i < *count; ++i) out[i] = i < list.size() ? list[i] : nullptr;
  *count = out ? std::min(*count, list.size()) : list.size();
  return call.success();
}

int instantiate(Call& call, void** out, const void* handle, unsigned long long flags) {
  if (!out) return call.fail(Code::kInvalidValue, "no place for the executable graph is given");
  *out = nullptr;
  const Graph* graph = find_graph(handle);
  if (!graph) return call.finish(kNoGraph);
  if (graph->order().size() != graph->nodes().size()) return call.fail(Code::kInvalidValue, "nodes of the graph wait for themselves");
  auto exec = std::make_unique<GraphExec>();
  exec->graph = graph->clone();
  exec->flags = flags;
  *out = keep(std::move(exec));
  return call.success();
}

/// Takes the work of `from` over where both have the same shape.
abi::UpdateInfo update(Graph& into, const Graph& from) {
  if (into.nodes().size() != from.nodes().size()) return {abi::kTopologyChanged, nullptr, nullptr};
  for (std::size_t i = 0; i < from.nodes().size(); ++i) {
    GraphNode *mine = into.nodes()[i].get(), *theirs = from.nodes()[i].get();
    if (type_of(mine->work) != type_of(theirs->work)) return {abi::kNodeTypeChanged, theirs, nullptr};
    if (mine->dependencies.size() != theirs->dependencies.size()) return {abi::kTopologyChanged, theirs, nullptr};
  }
  for (std::size_t i = 0; i < from.nodes().size(); ++i) into.nodes()[i]->work = from.nodes()[i]->work;
  return {abi::kUpdated, nullptr, nullptr};
}

}  // namespace

int change_dependencies(const char* name, void* handle, void* const* from, void* const* to, std::size_t count, bool add) {
  Call call(name);
  const Graph* graph = find_graph(handle);
  if (!graph) return call.finish(kNoGraph);
  for (std::size_t i = 0; i < count; ++i) {
    GraphNode *before = find_node(from[i]), *after = find_node(to[i]);
    if (!before || !after || before->graph != graph || after->graph != graph) return call.finish(kNoNode);
    auto& list = after->dependencies;
    const bool there = std::find(list.begin(), list.end(), before) != list.end();
    if (there == add) return call.fail(Code::kInvalidValue, add ? "the edge is there already" : "there is no such edge");
    if (add) list.push_back(before);
    if (!add) std::erase(list, before);
  }
  return call.success();
}

int graph_edges(const char* name, void* handle, void** from, void** to, std::size_t* count) {
  Call call(name);
  const Graph* graph = find_graph(handle);
  if (!graph) return call.finish(kNoGraph);
  std::vector<void*> begins, ends;
  for (const auto& node : graph->nodes())
    for (GraphNode* before : node->dependencies) {
      begins.push_back(before);
      ends.push_back(node.get());
    }
  std::size_t room = count ? *count : 0;
  if (from && to && count) give(call, begins, from, &room);
  return give(call, ends, from && to ? to : nullptr, count);
}

int node_neighbours(const char* name, void* handle, void** neighbours, std::size_t* count, bool dependents) {
  Call call(name);
  const GraphNode* node = find_node(handle);
  if (!node) return call.finish(kNoNode);
  std::vector<void*> list;
  if (!dependents) list.assign(node->dependencies.begin(), node->dependencies.end());
  for (const auto& other : node->graph->nodes())
    if (dependents && std::find(other->dependencies.begin(), other->dependencies.end(), node) != other->dependencies.end())
      list.push_back(other.get());
  return give(call, list, neighbours, count);
}

WARPBOOK_EXPORT int cudaGraphCreate(void** out, unsigned flags) {
  Call call("cudaGraphCreate");
  if (!out || flags != 0) return call.fail(Code::kInvalidValue, "no place for the graph is given, or flags that must be 0 are not");
  *out = keep(std::make_unique<Graph>());
  return call.success();
}

WARPBOOK_EXPORT int cudaGraphDestroy(void* graph) {
  Call call("cudaGraphDestroy");
  return destroy_graph(graph) ? call.success() : call.finish(kNoGraph);
}

WARPBOOK_EXPORT int cudaGraphClone(void** out, void* handle) {
  Call call("cudaGraphClone");
  const Graph* graph = find_graph(handle);
  if (!out || !graph) return call.finish(kNoGraph);
  *out = keep(graph->clone());
  return call.success();
}

WARPBOOK_EXPORT int cudaGraphNodeFindInClone(void** out, void* original, void* clone) {
  Call call("cudaGraphNodeFindInClone");
  const Graph* graph = find_graph(clone);
  if (!out || !graph) return call.finish(kNoGraph);
  *out = graph->find(static_cast<const GraphNode*>(original));
  return *out ? call.success() : call.finish(kNoNode);
}

WARPBOOK_EXPORT int cudaGraphGetNodes(void* handle, void** nodes, std::size_t* count) {
  Call call("cudaGraphGetNodes");
  const Graph* graph = find_graph(handle);
  if (!graph) return call.finish(kNoGraph);
  std::vector<void*> list;
  for (const auto& node : graph->nodes()) list.push_back(node.get());
  return give(call, list, nodes, count);
}

WARPBOOK_EXPORT int cudaGraphGetRootNodes(void* handle, void** nodes, std::size_t* count) {
  Call call("cudaGraphGetRootNodes");
  const Graph* graph = find_graph(handle);
  if (!graph) return call.finish(kNoGraph);
  std::vector<void*> list;
  for (const auto& node : graph->nodes())
    if (node->dependencies.empty()) list.push_back(node.get());
  return give(call, list, nodes, count);
}

WARPBOOK_EXPORT int cudaGraphInstantiate(void** out, void* graph, unsigned long long flags) {
  Call call("cudaGraphInstantiate");
  return instantiate(call, out, graph, flags);
}
WARPBOOK_ALSO(cudaGraphInstantiateWithFlags, cudaGraphInstantiate);

/// Flags, a stream to upload on, and two answers: which node is wrong, and what is wrong with it (0: nothing).
struct InstantiateParams {
  unsigned long long flags;
  void* upload_stream;
  void* error_node;
  int result;
};
WARPBOOK_EXPORT int cudaGraphInstantiateWithParams(void** out, void* graph, InstantiateParams* params) {
  Call call("cudaGraphInstantiateWithParams");
  if (!params) return call.fail(Code::kInvalidValue, "the parameters are a null pointer");
  const int code = instantiate(call, out, graph, params->flags);
  params->error_node = nullptr;
  params->result = code == 0 ? 0 : 1;
  return code;
}
WARPBOOK_ALSO(cudaGraphInstantiateWithParams_ptsz, cudaGraphInstantiateWithParams);

WARPBOOK_EXPORT int cudaGraphExecGetFlags(void* handle, unsigned long long* flags) {
  Call call("cudaGraphExecGetFlags");
  const GraphExec* exec = find_exec(handle);
  if (!exec || !flags) return call.finish(kNoExec);
  *flags = exec->flags;
  return call.success();
}

WARPBOOK_EXPORT int cudaGraphExecDestroy(void* exec) {
  Call call("cudaGraphExecDestroy");
  return destroy_exec(exec) ? call.success() : call.finish(kNoExec);
}

WARPBOOK_EXPORT int cudaGraphUpload(void* exec, void* stream) {
  Call call("cudaGraphUpload");
  if (!find_exec(exec)) return call.finish(kNoExec);
  return call.finish(check_stream(stream));
}
WARPBOOK_ALSO(cudaGraphUpload_ptsz, cudaGraphUpload);

WARPBOOK_EXPORT int cudaGraphLaunch(void* handle, void* stream) {
  Call call("cudaGraphLaunch");
  const GraphExec* exec = find_exec(handle);
  if (!exec) return call.finish(kNoExec);
  // A copy: a host function of the graph may destroy the handle.
  return call.finish(submit(call, stream, GraphWork{std::shared_ptr<Graph>(exec->graph->clone())}));
}
WARPBOOK_ALSO(cudaGraphLaunch_ptsz, cudaGraphLaunch);

WARPBOOK_EXPORT int cudaGraphExecUpdate(void* handle, void* from, abi::UpdateInfo* info) {
  constexpr Code kUpdateFailure{910};
  Call call("cudaGraphExecUpdate");
  const GraphExec* exec = find_exec(handle);
  const Graph* graph = find_graph(from);
  if (!exec || !graph) return call.finish(!exec ? kNoExec : kNoGraph);
  const abi::UpdateInfo result = update(*exec->graph, *graph);
  if (info) *info = result;
  return result.result == abi::kUpdated ? call.success() : call.fail(kUpdateFailure, "the graph has another shape than the executable one");
}

}  // namespace warpbook::cudart
