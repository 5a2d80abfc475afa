// Questions about kernels: attributes and occupancy.
#include <fmt/format.h>

#include "judge/cudart/abi.hpp"
#include "judge/cudart/call.hpp"
#include "judge/cudart/export.hpp"
#include "judge/cudart/occupancy.hpp"

namespace warpbook::cudart {
namespace {

using device::Answer;
using device::Code;

int occupancy(const char* name, int* blocks, const void* function, int threads, std::size_t dynamic_shared) {
  Call call(name);
  if (!blocks) return call.fail(Code::kInvalidValue, "no place for the number of blocks is given");
  Answer answer;
  const Kernel* kernel = call.runtime().find_kernel(function, answer);
  if (!kernel) return call.finish(answer);
  if (threads < 1) return call.fail(Code::kInvalidValue, fmt::format("a block of {} threads is none", threads));
  *blocks = blocks_per_multiprocessor(call.runtime().properties(), kernel->info, kernel->dynamic_shared_limit, threads, dynamic_shared);
  return call.success();
}

}  // namespace

WARPBOOK_EXPORT int cudaFuncGetAttributes(abi::FunctionAttributes* out, const void* function) {
  Call call("cudaFuncGetAttributes");
  if (!out) return call.fail(Code::kInvalidValue, "no place for the attributes is given");
  Answer answer;
  const Kernel* kernel = call.runtime().find_kernel(function, answer);
  if (!kernel) return call.finish(answer);
  const device::Properties& device = call.runtime().properties();
  const device::FunctionInfo& info = kernel->info;
  const int version = 10 * device.major + device.minor;
  const auto rest = static_cast<std::int64_t>(device.shared_per_block) - static_cast<std::int64_t>(info.static_shared);
  *out = {};
  out->shared_bytes = info.static_shared;
  out->constant_bytes = info.constant_bytes;
  out->local_bytes = info.local_bytes;
  out->max_threads_per_block = info.max_threads_per_block;
  out->registers = info.registers;
  out->ptx_version = version;
  out->binary_version = version;
  out->max_dynamic_shared_bytes =
      kernel->dynamic_shared_limit ? static_cast<int>(kernel->dynamic_shared_limit) : static_cast<int>(std::max<std::int64_t>(rest, 0));
  out->preferred_shared_carveout = -1;  // the default split
  return call.success();
}

WARPBOOK_EXPORT int cudaFuncSetAttribute(const void* function, int attribute, int value) {
  Call call("cudaFuncSetAttribute");
  Answer answer;
  Kernel* kernel = call.runtime().find_kernel(function, answer);
  if (!kernel) return call.finish(answer);
  if (attribute == abi::kPreferredCarveout) return call.success();  // changes speed only
  if (attribute != abi::kMaxDynamicShared)
    return call.fail(Code::kNotSupported, fmt::format("function attribute {} is not supported", attribute));
  const auto most =
      static_cast<std::int64_t>(call.runtime().properties().shared_per_block_optin) - static_cast<std::int64_t>(kernel->info.static_shared);
  if (value < 0 || value > most)
    return call.fail(Code::kInvalidValue,
                     fmt::format("dynamic shared memory of {} can be 0 to {} bytes, not {}", kernel->name, most, value));
  answer = call.device().allow_shared(kernel->binary->module, kernel->name, static_cast<std::uint64_t>(value));
  if (!answer.ok()) return call.finish(answer);
  kernel->dynamic_shared_limit = static_cast<std::uint64_t>(value);
  return call.success();
}

WARPBOOK_EXPORT int cudaFuncSetCacheConfig(const void* function, int) {
  Call call("cudaFuncSetCacheConfig");
  Answer answer;
  call.runtime().find_kernel(function, answer);
  return call.finish(answer);
}
WARPBOOK_ALSO(cudaFuncSetSharedMemConfig, cudaFuncSetCacheConfig);

WARPBOOK_EXPORT int cudaFuncGetName(const char** name, const void* function) {
  Call call("cudaFuncGetName");
  if (!name) return call.fail(Code::kInvalidValue, "no place for the name is given");
  Answer answer;
  const Kernel* kernel = call.runtime().find_kernel(function, answer);
  if (kernel) *name = kernel->name.c_str();
  return call.finish(answer);
}

WARPBOOK_EXPORT int cudaFuncGetParamInfo(const void* function, std::size_t index, std::size_t* offset, std::size_t* size) {
  Call call("cudaFuncGetParamInfo");
  Answer answer;
  const Kernel* kernel = call.runtime().find_kernel(function, answer);
  if (!kernel) return call.finish(answer);
  if (index >= kernel->info.parameter_sizes.size())
    return call.fail(Code::kInvalidValue,
                     fmt::format("{} has {} parameters, none has index {}", kernel->name, kernel->info.parameter_sizes.size(), index));
  if (offset) *offset = kernel->info.parameter_offsets[index];
  if (size) *size = kernel->info.parameter_sizes[index];
  return call.success();
}

WARPBOOK_EXPORT int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int threads,
                                                                  std::size_t dynamic_shared) {
  return occupancy("cudaOccupancyMaxActiveBlocksPerMultiprocessor", blocks, function, threads, dynamic_shared);
}
WARPBOOK_EXPORT int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function, int threads,
                                                                           std::size_t dynamic_shared, unsigned) {
  return occupancy("cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", blocks, function, threads, dynamic_shared);
}

WARPBOOK_EXPORT int cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* function, int blocks, int) {
  Call call("cudaOccupancyAvailableDynamicSMemPerBlock");
  if (!bytes) return call.fail(Code::kInvalidValue, "no place for the size is given");
  Answer answer;
  const Kernel* kernel = call.runtime().find_kernel(function, answer);
  if (!kernel) return call.finish(answer);
  *bytes = shared_for_blocks(call.runtime().properties(), kernel->info, blocks);
  return call.success();
}

}  // namespace warpbook::cudart
