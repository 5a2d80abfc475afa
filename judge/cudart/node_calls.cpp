// Nodes of graphs one by one: made by hand, asked, changed. Kinds of nodes that are not here are in unsupported.def.
#include "judge/cudart/capture.hpp"
#include "judge/cudart/export.hpp"

namespace warpbook::cudart {
namespace {

using device::Answer;
using device::Code;

const Answer kNoSuchNode{Code::kInvalidValue, "the node is not one of a live graph, or of another kind"};

int add(Call& call, void** out, const void* handle, void* const* dependencies, std::size_t count, Work work) {
  Graph* graph = find_graph(handle);
  if (!out || !graph) return call.fail(Code::kInvalidValue, "the graph does not exist, or there is no place for the node");
  std::vector<GraphNode*> before;
  for (std::size_t i = 0; i < count; ++i) {
    before.push_back(find_node(dependencies[i]));
    if (!before.back() || before.back()->graph != graph) return call.finish(kNoSuchNode);
  }
  *out = graph->add(std::move(work), std::move(before));
  return call.success();
}

int kernel_work(Call& call, const abi::KernelNode* parameters, KernelWork& work) {
  if (!parameters) return call.fail(Code::kInvalidValue, "the parameters are a null pointer");
  return call.finish(make_kernel_work(call, *parameters, false, work));
}

/// The work of a node if it is of kind T, else null.
template <class T>
T* work_of(void* handle) {
  GraphNode* node = find_node(handle);
  return node ? std::get_if<T>(&node->work) : nullptr;
}

/// The same of a node's copy in an executable graph.
template <class T>
T* work_in(void* exec_handle, void* handle) {
  const GraphExec* exec = find_exec(exec_handle);
  GraphNode* node = exec ? exec->graph->find(static_cast<const GraphNode*>(handle)) : nullptr;
  return node ? std::get_if<T>(&node->work) : nullptr;
}

/// Replaces what a node does, `place` being its work or null.
template <class T>
int set(Call& call, T* place, T work) {
  if (!place) return call.finish(kNoSuchNode);
  *place = std::move(work);
  return call.success();
}

int set_kernel(const char* name, KernelWork* (*find)(void*, void*), void* exec, void* node, const abi::KernelNode* parameters) {
  Call call(name);
  KernelWork work;
  if (const int code = kernel_work(call, parameters, work); code != 0) return code;
  return set(call, find(exec, node), std::move(work));
}

KernelWork* in_graph(void*, void* node) { return work_of<KernelWork>(node); }
KernelWork* in_exec(void* exec, void* node) { return work_in<KernelWork>(exec, node); }

FillWork fill_of(const abi::Fill2D* parameters) {
  FillWork work;
  if (parameters) work.fill = *parameters;
  if (work.fill.height <= 1) work.fill.pitch = work.fill.width * work.fill.element_bytes;  // "unused if height is 1"
  return work;
}

HostWork host_of(const abi::HostNode* parameters) { return parameters ? HostWork{parameters->function, parameters->data} : HostWork{}; }

}  // namespace

WARPBOOK_EXPORT int cudaGraphAddKernelNode(void** out, void* graph, void* const* dependencies, std::size_t count,
                                           const abi::KernelNode* parameters) {
  Call call("cudaGraphAddKernelNode");
  KernelWork work;
  if (const int code = kernel_work(call, parameters, work); code != 0) return code;
  return add(call, out, graph, dependencies, count, std::move(work));
}

WARPBOOK_EXPORT int cudaGraphAddMemcpyNode1D(void** out, void* graph, void* const* dependencies, std::size_t count, void* to,
                                             const void* from, std::size_t bytes, int direction) {
  Call call("cudaGraphAddMemcpyNode1D");
  return add(call, out, graph, dependencies, count, copy_of(to, from, bytes, direction));
}

WARPBOOK_EXPORT int cudaGraphAddMemcpyNode(void** out, void* graph, void* const* dependencies, std::size_t count,
                                           const abi::Copy3D* parameters) {
  Call call("cudaGraphAddMemcpyNode");
  if (!parameters) return call.fail(Code::kInvalidValue, "the parameters are a null pointer");
  return add(call, out, graph, dependencies, count, CopyWork{*parameters});
}

WARPBOOK_EXPORT int cudaGraphAddMemsetNode(void** out, void* graph, void* const* dependencies, std::size_t count,
                                           const abi::Fill2D* parameters) {
  Call call("cudaGraphAddMemsetNode");
  if (!parameters) return call.fail(Code::kInvalidValue, "the parameters are a null pointer");
  return add(call, out, graph, dependencies, count, fill_of(parameters));
}

WARPBOOK_EXPORT int cudaGraphAddHostNode(void** out, void* graph, void* const* dependencies, std::size_t count,
                                         const abi::HostNode* parameters) {
  Call call("cudaGraphAddHostNode");
  if (!parameters || !parameters->function) return call.fail(Code::kInvalidValue, "the host function is a null pointer");
  return add(call, out, graph, dependencies, count, host_of(parameters));
}

WARPBOOK_EXPORT int cudaGraphAddEmptyNode(void** out, void* graph, void* const* dependencies, std::size_t count) {
  Call call("cudaGraphAddEmptyNode");
  return add(call, out, graph, dependencies, count, EmptyWork{});
}

WARPBOOK_EXPORT int cudaGraphAddChildGraphNode(void** out, void* graph, void* const* dependencies, std::size_t count, void* child) {
  Call call("cudaGraphAddChildGraphNode");
  const Graph* inner = find_graph(child);
  if (!inner || child == graph) return call.fail(Code::kInvalidValue, "the child graph does not exist, or is the graph itself");
  return add(call, out, graph, dependencies, count, GraphWork{std::shared_ptr<Graph>(inner->clone())});
}

WARPBOOK_EXPORT int cudaGraphAddEventRecordNode(void** out, void* graph, void* const* dependencies, std::size_t count, void* event) {
  Call call("cudaGraphAddEventRecordNode");
  if (!find_event(event)) return call.finish(no_such_event());
  return add(call, out, graph, dependencies, count, RecordWork{find_event(event)});
}

WARPBOOK_EXPORT int cudaGraphAddEventWaitNode(void** out, void* graph, void* const* dependencies, std::size_t count, void* event) {
  Call call("cudaGraphAddEventWaitNode");
  if (!find_event(event)) return call.finish(no_such_event());
  return add(call, out, graph, dependencies, count, WaitWork{find_event(event)});
}

WARPBOOK_EXPORT int cudaGraphDestroyNode(void* handle) {
  Call call("cudaGraphDestroyNode");
  GraphNode* node = find_node(handle);
  if (!node) return call.finish(kNoSuchNode);
  node->graph->remove(node);
  return call.success();
}

WARPBOOK_EXPORT int cudaGraphNodeGetType(void* handle, int* type) {
  Call call("cudaGraphNodeGetType");
  const GraphNode* node = find_node(handle);
  if (!node || !type) return call.finish(kNoSuchNode);
  *type = type_of(node->work);
  return call.success();
}

WARPBOOK_EXPORT int cudaGraphNodeSetEnabled(void* exec_handle, void* handle, unsigned enabled) {
  Call call("cudaGraphNodeSetEnabled");
  const GraphExec* exec = find_exec(exec_handle);
  GraphNode* node = exec ? exec->graph->find(static_cast<const GraphNode*>(handle)) : nullptr;
  if (!node) return call.finish(kNoSuchNode);
  node->enabled = enabled != 0;
  return call.success();
}
WARPBOOK_EXPORT int cudaGraphNodeGetEnabled(void* exec_handle, void* handle, unsigned* enabled) {
  Call call("cudaGraphNodeGetEnabled");
  const GraphExec* exec = find_exec(exec_handle);
  const GraphNode* node = exec ? exec->graph->find(static_cast<const GraphNode*>(handle)) : nullptr;
  if (!node || !enabled) return call.finish(kNoSuchNode);
  *enabled = node->enabled ? 1 : 0;
  return call.success();
}

WARPBOOK_EXPORT int cudaGraphKernelNodeGetParams(void* handle, abi::KernelNode* out) {
  Call call("cudaGraphKernelNodeGetParams");
  KernelWork* work = work_of<KernelWork>(handle);
  if (!work || !out) return call.finish(kNoSuchNode);
  Answer answer;
  const Kernel* kernel = call.runtime().find_kernel(work->function, answer);
  if (!kernel) return call.finish(answer);
  std::vector<void*>& arguments = find_node(handle)->arguments;
  arguments.clear();
  for (const std::uint32_t offset : kernel->info.parameter_offsets) arguments.push_back(work->order.parameters.data() + offset);
  const device::Launch& order = work->order;
  *out = {work->function,
          {order.grid.x, order.grid.y, order.grid.z},
          {order.block.x, order.block.y, order.block.z},
          static_cast<unsigned>(order.dynamic_shared),
          arguments.data(),
          nullptr};
  return call.success();
}
WARPBOOK_EXPORT int cudaGraphKernelNodeSetParams(void* node, const abi::KernelNode* parameters) {
  return set_kernel("cudaGraphKernelNodeSetParams", in_graph, nullptr, node, parameters);
}
WARPBOOK_EXPORT int cudaGraphExecKernelNodeSetParams(void* exec, void* node, const abi::KernelNode* parameters) {
  return set_kernel("cudaGraphExecKernelNodeSetParams", in_exec, exec, node, parameters);
}

WARPBOOK_EXPORT int cudaGraphMemcpyNodeGetParams(void* handle, abi::Copy3D* out) {
  Call call("cudaGraphMemcpyNodeGetParams");
  const CopyWork* work = work_of<CopyWork>(handle);
  if (!work || !out) return call.finish(kNoSuchNode);
  *out = work->copy;
  return call.success();
}
WARPBOOK_EXPORT int cudaGraphMemcpyNodeSetParams1D(void* node, void* to, const void* from, std::size_t bytes, int direction) {
  Call call("cudaGraphMemcpyNodeSetParams1D");
  return set(call, work_of<CopyWork>(node), copy_of(to, from, bytes, direction));
}
WARPBOOK_EXPORT int cudaGraphExecMemcpyNodeSetParams1D(void* exec, void* node, void* to, const void* from, std::size_t bytes,
                                                       int direction) {
  Call call("cudaGraphExecMemcpyNodeSetParams1D");
  return set(call, work_in<CopyWork>(exec, node), copy_of(to, from, bytes, direction));
}
WARPBOOK_EXPORT int cudaGraphMemcpyNodeSetParams(void* node, const abi::Copy3D* parameters) {
  Call call("cudaGraphMemcpyNodeSetParams");
  return set(call, parameters ? work_of<CopyWork>(node) : nullptr, CopyWork{parameters ? *parameters : abi::Copy3D{}});
}
WARPBOOK_EXPORT int cudaGraphExecMemcpyNodeSetParams(void* exec, void* node, const abi::Copy3D* parameters) {
  Call call("cudaGraphExecMemcpyNodeSetParams");
  return set(call, parameters ? work_in<CopyWork>(exec, node) : nullptr, CopyWork{parameters ? *parameters : abi::Copy3D{}});
}

WARPBOOK_EXPORT int cudaGraphMemsetNodeGetParams(void* handle, abi::Fill2D* out) {
  Call call("cudaGraphMemsetNodeGetParams");
  const FillWork* work = work_of<FillWork>(handle);
  if (!work || !out) return call.finish(kNoSuchNode);
  *out = work->fill;
  return call.success();
}
WARPBOOK_EXPORT int cudaGraphMemsetNodeSetParams(void* node, const abi::Fill2D* parameters) {
  Call call("cudaGraphMemsetNodeSetParams");
  return set(call, parameters ? work_of<FillWork>(node) : nullptr, fill_of(parameters));
}
WARPBOOK_EXPORT int cudaGraphExecMemsetNodeSetParams(void* exec, void* node, const abi::Fill2D* parameters) {
  Call call("cudaGraphExecMemsetNodeSetParams");
  return set(call, parameters ? work_in<FillWork>(exec, node) : nullptr, fill_of(parameters));
}

WARPBOOK_EXPORT int cudaGraphHostNodeGetParams(void* handle, abi::HostNode* out) {
  Call call("cudaGraphHostNodeGetParams");
  const HostWork* work = work_of<HostWork>(handle);
  if (!work || !out) return call.finish(kNoSuchNode);
  *out = {work->function, work->data};
  return call.success();
}
WARPBOOK_EXPORT int cudaGraphHostNodeSetParams(void* node, const abi::HostNode* parameters) {
  Call call("cudaGraphHostNodeSetParams");
  return set(call, parameters && parameters->function ? work_of<HostWork>(node) : nullptr, host_of(parameters));
}
WARPBOOK_EXPORT int cudaGraphExecHostNodeSetParams(void* exec, void* node, const abi::HostNode* parameters) {
  Call call("cudaGraphExecHostNodeSetParams");
  return set(call, parameters && parameters->function ? work_in<HostWork>(exec, node) : nullptr, host_of(parameters));
}

}  // namespace warpbook::cudart
