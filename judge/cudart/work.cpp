#include "judge/cudart/work.hpp"

#include <fmt/format.h>

#include <cstring>

#include "judge/cudart/choose_device.hpp"
#include "judge/cudart/copy.hpp"
#include "judge/cudart/graph.hpp"
#include "judge/cudart/streams.hpp"

namespace warpbook::cudart {
namespace {

using device::Answer;
using device::Code;

/// CUDA 13 answers every launch that it refuses with cudaErrorInvalidValue (measured on an H200: grids and blocks of 0 or too large, too
/// much shared memory, more threads than __launch_bounds__); CUDA 12 still told apart 9 and 701. The device's message stays.
Answer as_this_version_says(Answer answer) {
  constexpr int kCuda13 = 13000;
  const bool refused = answer.code == Code::kInvalidConfiguration || answer.code == Code::kLaunchOutOfResources;
  if (runtime_version() >= kCuda13 && refused) answer.code = Code::kInvalidValue;
  return answer;
}

/// The parameter block, laid out as the PTX declares.
std::vector<std::byte> pack(const device::FunctionInfo& info, void** arguments) {
  std::vector<std::byte> block(info.parameter_bytes);
  const std::size_t count = std::min(info.parameter_sizes.size(), info.parameter_offsets.size());
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t offset = info.parameter_offsets[i], size = info.parameter_sizes[i];
    if (offset <= block.size() && size <= block.size() - offset) std::memcpy(block.data() + offset, arguments[i], size);
  }
  return block;
}

struct Run {
  Call& call;

  Answer operator()(const KernelWork& work) const { return as_this_version_says(call.runtime().launch(work.order)); }
  Answer operator()(const CopyWork& work) const { return copy_volume(call.runtime(), work.copy); }
  Answer operator()(const FillWork& work) const {
    for (std::size_t z = 0; z < work.depth; ++z) {
      abi::Fill2D slice = work.fill;
      slice.to = static_cast<std::byte*>(slice.to) + z * work.slice_bytes;
      if (const Answer answer = fill_rows(call.device(), slice); !answer.ok()) return answer;
    }
    return call.device().synchronize();
  }
  Answer operator()(const HostWork& work) const {
    if (const Answer answer = call.device().synchronize(); !answer.ok()) return answer;
    call.runtime().show_output();
    call.unlock();
    work.function(work.data);
    call.lock();
    return {};
  }
  Answer operator()(const GraphWork& work) const { return work.graph->run(call); }
  Answer operator()(const RecordWork& work) const {
    work.event->recorded = std::chrono::steady_clock::now();
    return {};
  }
  // What they wait for has been done; memory of a graph is there before it runs.
  Answer operator()(const EmptyWork&) const { return {}; }
  Answer operator()(const WaitWork&) const { return {}; }
  Answer operator()(const AllocateWork&) const { return {}; }
  Answer operator()(const FreeWork&) const { return {}; }
};

}  // namespace

abi::NodeType type_of(const Work& work) {
  constexpr abi::NodeType kTypes[] = {abi::kKernelNode, abi::kCopyNode,      abi::kFillNode,        abi::kHostNode,     abi::kGraphNode,
                                      abi::kEmptyNode,  abi::kWaitEventNode, abi::kRecordEventNode, abi::kAllocateNode, abi::kFreeNode};
  static_assert(std::size(kTypes) == std::variant_size_v<Work>);
  return kTypes[work.index()];
}

Answer run_work(Call& call, const Work& work) { return std::visit(Run{call}, work); }

CopyWork copy_of(void* to, const void* from, std::size_t bytes, int direction) {
  return copy_of(to, bytes, from, bytes, bytes, 1, direction);
}

CopyWork copy_of(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width, std::size_t height,
                 int direction) {
  CopyWork work;
  work.copy.source = {const_cast<void*>(from), from_pitch, width, height};
  work.copy.target = {to, to_pitch, width, height};
  work.copy.extent = {width, height, 1};
  work.copy.direction = direction;
  return work;
}

Answer make_kernel_work(Call& call, const abi::KernelNode& node, bool cooperative, KernelWork& work) {
  Answer answer;
  const Kernel* kernel = call.runtime().find_kernel(node.function, answer);
  if (!kernel) return answer;
  if (!node.arguments && node.extra) return {Code::kNotSupported, "launch arguments in one packed buffer (`extra`) are not supported"};
  if (!node.arguments && !kernel->info.parameter_sizes.empty())
    return {Code::kInvalidValue, fmt::format("{} has parameters and got no arguments", kernel->name)};
  work.function = node.function;
  work.order.module = kernel->binary->module;
  work.order.function = kernel->name;
  work.order.grid = {node.grid.x, node.grid.y, node.grid.z};
  work.order.block = {node.block.x, node.block.y, node.block.z};
  work.order.dynamic_shared = node.dynamic_shared;
  work.order.dynamic_shared_limit = kernel->dynamic_shared_limit;
  work.order.cooperative = cooperative;
  work.order.parameters = pack(kernel->info, node.arguments);
  return answer;
}

}  // namespace warpbook::cudart
