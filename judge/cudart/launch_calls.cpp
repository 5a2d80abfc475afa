// From `kernel<<<grid, block, shared, stream>>>(a, b)` to a launch on the device.
//
// The compiler splits it in two: the configuration is pushed, then the kernel's host stub (which has the arguments) pops it and launches.
// `args[i]` points at argument i (work.cpp packs them); how long each is and where it lies in the parameter block is what the PTX declares,
// never what the caller says. Stubs of CUDA 13 go through __cudaGetKernel and __cudaLaunchKernel, older ones through cudaLaunchKernel: same
// function.
#include <fmt/format.h>

#include <vector>

#include "judge/cudart/capture.hpp"
#include "judge/cudart/export.hpp"

namespace warpbook::cudart {
namespace {

using device::Answer;
using device::Code;

struct Configuration {
  abi::Dim3 grid, block;
  std::size_t shared;
  void* stream;
};

std::vector<Configuration>& configurations() {
  thread_local std::vector<Configuration> stack;
  return stack;
}

int launch(Call& call, const void* function, const Configuration& with, void** arguments, bool cooperative) {
  if (const Answer known = check_stream(with.stream); !known.ok()) return call.finish(known);
  KernelWork work;
  const abi::KernelNode node{function, with.grid, with.block, 0, arguments, nullptr};
  if (const Answer answer = make_kernel_work(call, node, cooperative, work); !answer.ok()) return call.finish(answer);
  work.order.dynamic_shared = with.shared;
  return call.finish(submit(call, with.stream, std::move(work)));
}

/// Hints that change no result. Everything else (clusters, events, graphs) would.
bool is_hint(int attribute) {
  switch (attribute) {
    case abi::kIgnore:
    case abi::kAccessPolicyWindow:
    case abi::kSynchronizationPolicy:
    case abi::kClusterSchedulingPolicy:
    case abi::kProgrammaticSerialization:
    case abi::kPriority:
    case abi::kMemSyncDomainMap:
    case abi::kMemSyncDomain:
    case abi::kSharedCarveout:
    case abi::kNvlinkScheduling: return true;
    default: return false;
  }
}

}  // namespace

WARPBOOK_EXPORT unsigned __cudaPushCallConfiguration(abi::Dim3 grid, abi::Dim3 block, std::size_t shared, void* stream) {
  configurations().push_back({grid, block, shared, stream});
  return 0;
}

WARPBOOK_EXPORT int __cudaPopCallConfiguration(abi::Dim3* grid, abi::Dim3* block, std::size_t* shared, void** stream) {
  if (configurations().empty()) return Call("kernel launch").fail(Code{52}, "a kernel's host function was called without <<<...>>>");
  const Configuration top = configurations().back();
  configurations().pop_back();
  *grid = top.grid;
  *block = top.block;
  *shared = top.shared;
  *stream = top.stream;
  return 0;
}

/// The handle of a kernel is the address of its host function.
WARPBOOK_EXPORT int __cudaGetKernel(const void** kernel, const void* function) {
  *kernel = function;
  return 0;
}

WARPBOOK_EXPORT int cudaGetKernel(const void** kernel, const void* function) {
  Call call("cudaGetKernel");
  Answer answer;
  if (!call.runtime().find_kernel(function, answer)) return call.finish(answer);
  *kernel = function;
  return call.success();
}
WARPBOOK_ALSO(cudaGetFuncBySymbol, cudaGetKernel);

WARPBOOK_EXPORT int __cudaLaunchKernel(const void* kernel, abi::Dim3 grid, abi::Dim3 block, void** arguments, std::size_t shared,
                                       void* stream) {
  Call call("kernel launch");
  return launch(call, kernel, {grid, block, shared, stream}, arguments, false);
}
WARPBOOK_ALSO(__cudaLaunchKernel_ptsz, __cudaLaunchKernel);
WARPBOOK_ALSO(cudaLaunchKernel, __cudaLaunchKernel);
WARPBOOK_ALSO(cudaLaunchKernel_ptsz, __cudaLaunchKernel);

WARPBOOK_EXPORT int cudaLaunchCooperativeKernel(const void* function, abi::Dim3 grid, abi::Dim3 block, void** arguments, std::size_t shared,
                                                void* stream) {
  Call call("cudaLaunchCooperativeKernel");
  return launch(call, function, {grid, block, shared, stream}, arguments, true);
}
WARPBOOK_ALSO(cudaLaunchCooperativeKernel_ptsz, cudaLaunchCooperativeKernel);

WARPBOOK_EXPORT int cudaLaunchKernelExC(const abi::LaunchConfig* config, const void* function, void** arguments) {
  Call call("cudaLaunchKernelExC");
  if (!config) return call.fail(Code::kInvalidValue, "the configuration is a null pointer");
  bool cooperative = false;
  for (unsigned i = 0; i < config->attribute_count; ++i) {
    const abi::LaunchAttribute& attribute = config->attributes[i];
    if (attribute.id == abi::kCooperative) {
      cooperative = attribute.value.cooperative != 0;
    } else if (attribute.id == abi::kClusterDimension) {
      const abi::Dim3& c = attribute.value.cluster;
      if (std::uint64_t{c.x} * c.y * c.z != 1)
        return call.fail(Code::kNotSupported, fmt::format("clusters of {}x{}x{} blocks are not supported", c.x, c.y, c.z));
    } else if (!is_hint(attribute.id)) {
      return call.fail(Code::kNotSupported, fmt::format("launch attribute {} is not supported", attribute.id));
    }
  }
  return launch(call, function, {config->grid, config->block, config->dynamic_shared, config->stream}, arguments, cooperative);
}
WARPBOOK_ALSO(cudaLaunchKernelExC_ptsz, cudaLaunchKernelExC);

}  // namespace warpbook::cudart
