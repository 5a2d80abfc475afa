// Our declarations of the binary interface: pinned to numbers everywhere, compared with NVIDIA's headers where a toolkit is installed.
#include "judge/cudart/abi.hpp"

#include "judge/cudart/device_prop.hpp"
#include "judge/tests/catch.hpp"

#if __has_include(<driver_types.h>)
#include <driver_types.h>
#include <vector_types.h>
#endif

namespace abi = warpbook::cudart::abi;

TEST_CASE("sizes of what programs hand over") {
  CHECK(sizeof(abi::Dim3) == 12);
  CHECK(sizeof(abi::PointerAttributes) == 24);
  CHECK(sizeof(abi::LaunchAttribute) == 72);
  CHECK(sizeof(abi::LaunchConfig) == 56);
  CHECK(sizeof(abi::ChannelFormat) == 20);
  CHECK(sizeof(abi::DeviceProp12) == 1032);
  CHECK(sizeof(abi::DeviceProp13) == 1008);
}

TEST_CASE("filling the properties writes a name that fits and every figure of the device") {
  warpbook::device::Properties from;
  from.name = std::string(400, 'n');
  from.clock_khz = 123;
  abi::DeviceProp12 twelve;
  abi::fill_device_prop(twelve, from);
  CHECK(std::string(twelve.name) == std::string(255, 'n'));
  CHECK(twelve.clock_khz == 123);
  CHECK(twelve.shared_per_block_optin == 166912);
  abi::DeviceProp13 thirteen;
  abi::fill_device_prop(thirteen, from);
  CHECK(thirteen.max_threads_dim[2] == 64);
  CHECK(thirteen.max_grid_size[1] == 65535);
  CHECK(thirteen.multiprocessors == 108);
}

#if __has_include(<driver_types.h>)
#define SAME(ours, our_field, theirs, their_field)                        \
  CHECK(offsetof(abi::ours, our_field) == offsetof(theirs, their_field)); \
  CHECK(sizeof(abi::ours::our_field) == sizeof(theirs::their_field))

TEST_CASE("structures lie as in the toolkit's headers") {
  CHECK(sizeof(abi::Dim3) == sizeof(dim3));
  CHECK(sizeof(abi::LaunchAttribute) == sizeof(cudaLaunchAttribute));
  CHECK(offsetof(abi::LaunchAttribute, value) == offsetof(cudaLaunchAttribute, val));
  CHECK(sizeof(abi::LaunchConfig) == sizeof(cudaLaunchConfig_t));
  SAME(LaunchConfig, dynamic_shared, cudaLaunchConfig_t, dynamicSmemBytes);
  SAME(LaunchConfig, attributes, cudaLaunchConfig_t, attrs);
  SAME(LaunchConfig, attribute_count, cudaLaunchConfig_t, numAttrs);
  SAME(PointerAttributes, device, cudaPointerAttributes, device);
  SAME(PointerAttributes, device_pointer, cudaPointerAttributes, devicePointer);
  SAME(PointerAttributes, host_pointer, cudaPointerAttributes, hostPointer);
  SAME(FunctionAttributes, local_bytes, cudaFuncAttributes, localSizeBytes);
  SAME(FunctionAttributes, registers, cudaFuncAttributes, numRegs);
  SAME(FunctionAttributes, max_dynamic_shared_bytes, cudaFuncAttributes, maxDynamicSharedSizeBytes);
  SAME(FunctionAttributes, preferred_shared_carveout, cudaFuncAttributes, preferredShmemCarveout);
  CHECK(sizeof(abi::Copy3D) == sizeof(cudaMemcpy3DParms));
  SAME(Copy3D, source, cudaMemcpy3DParms, srcPtr);
  SAME(Copy3D, target_position, cudaMemcpy3DParms, dstPos);
  SAME(Copy3D, extent, cudaMemcpy3DParms, extent);
  SAME(Copy3D, direction, cudaMemcpy3DParms, kind);
  CHECK(sizeof(abi::Fill2D) == sizeof(cudaMemsetParams));
  SAME(Fill2D, element_bytes, cudaMemsetParams, elementSize);
  SAME(Fill2D, width, cudaMemsetParams, width);
  CHECK(sizeof(abi::KernelNode) == sizeof(cudaKernelNodeParams));
  SAME(KernelNode, dynamic_shared, cudaKernelNodeParams, sharedMemBytes);
  SAME(KernelNode, arguments, cudaKernelNodeParams, kernelParams);
  CHECK(sizeof(abi::HostNode) == sizeof(cudaHostNodeParams));
  CHECK(sizeof(abi::UpdateInfo) == sizeof(cudaGraphExecUpdateResultInfo));
  CHECK(sizeof(abi::FunctionAttributes) <= sizeof(cudaFuncAttributes));
  CHECK(static_cast<int>(abi::kByAddress) == cudaMemcpyDefault);
  CHECK(static_cast<int>(abi::kManaged) == cudaMemoryTypeManaged);
  CHECK(static_cast<int>(abi::kMaxDynamicShared) == cudaFuncAttributeMaxDynamicSharedMemorySize);
  CHECK(static_cast<int>(abi::kClusterDimension) == cudaLaunchAttributeClusterDimension);
  CHECK(static_cast<int>(abi::kSharedCarveout) == cudaLaunchAttributePreferredSharedMemoryCarveout);
}

#if __has_include(<cuda_runtime_api.h>)
#include <cuda_runtime_api.h>
#endif
#if defined(CUDART_VERSION) && CUDART_VERSION >= 13000
#define OUR_PROP DeviceProp13
#else
#define OUR_PROP DeviceProp12
#endif

TEST_CASE("cudaDeviceProp lies as in the toolkit's headers") {
  CHECK(sizeof(abi::OUR_PROP) == sizeof(cudaDeviceProp));
  SAME(OUR_PROP, total_global_mem, cudaDeviceProp, totalGlobalMem);
  SAME(OUR_PROP, warp_size, cudaDeviceProp, warpSize);
  SAME(OUR_PROP, max_threads_dim, cudaDeviceProp, maxThreadsDim);
  SAME(OUR_PROP, max_grid_size, cudaDeviceProp, maxGridSize);
  SAME(OUR_PROP, total_const_mem, cudaDeviceProp, totalConstMem);
  SAME(OUR_PROP, major, cudaDeviceProp, major);
  SAME(OUR_PROP, multiprocessors, cudaDeviceProp, multiProcessorCount);
  SAME(OUR_PROP, max_texture_3d_alt, cudaDeviceProp, maxTexture3DAlt);
  SAME(OUR_PROP, max_surface_cubemap_layered, cudaDeviceProp, maxSurfaceCubemapLayered);
  SAME(OUR_PROP, concurrent_kernels, cudaDeviceProp, concurrentKernels);
  SAME(OUR_PROP, unified_addressing, cudaDeviceProp, unifiedAddressing);
  SAME(OUR_PROP, memory_bus_bits, cudaDeviceProp, memoryBusWidth);
  SAME(OUR_PROP, l2_bytes, cudaDeviceProp, l2CacheSize);
  SAME(OUR_PROP, max_threads_per_multiprocessor, cudaDeviceProp, maxThreadsPerMultiProcessor);
  SAME(OUR_PROP, shared_per_multiprocessor, cudaDeviceProp, sharedMemPerMultiprocessor);
  SAME(OUR_PROP, cooperative_launch, cudaDeviceProp, cooperativeLaunch);
  SAME(OUR_PROP, shared_per_block_optin, cudaDeviceProp, sharedMemPerBlockOptin);
  SAME(OUR_PROP, max_blocks_per_multiprocessor, cudaDeviceProp, maxBlocksPerMultiProcessor);
  SAME(OUR_PROP, reserved_shared_per_block, cudaDeviceProp, reservedSharedMemPerBlock);
  SAME(OUR_PROP, unified_function_pointers, cudaDeviceProp, unifiedFunctionPointers);
}
#endif
