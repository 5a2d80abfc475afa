#pragma once
// cudaDeviceProp in its two layouts: version 12 carries ten fields that version 13 dropped. Filling it is one template; which fields a
// layout has is asked at compile time.
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "judge/device/device.hpp"

namespace warpbook::cudart::abi {

/// cudaDeviceProp of CUDA 13.
struct DeviceProp13 {
  char name[256];
  unsigned char uuid[16];
  char luid[8];
  unsigned luid_device_node_mask;
  std::size_t total_global_mem, shared_per_block;
  int registers_per_block, warp_size;
  std::size_t mem_pitch;
  int max_threads_per_block, max_threads_dim[3], max_grid_size[3];
  std::size_t total_const_mem;
  int major, minor;
  std::size_t texture_alignment, texture_pitch_alignment;
  int multiprocessors, integrated, can_map_host_memory;
  int max_texture_1d, max_texture_1d_mipmap, max_texture_2d[2], max_texture_2d_mipmap[2], max_texture_2d_linear[3],
      max_texture_2d_gather[2];
  int max_texture_3d[3], max_texture_3d_alt[3], max_texture_cubemap, max_texture_1d_layered[2], max_texture_2d_layered[3];
  int max_texture_cubemap_layered[2], max_surface_1d, max_surface_2d[2], max_surface_3d[3], max_surface_1d_layered[2];
  int max_surface_2d_layered[3], max_surface_cubemap, max_surface_cubemap_layered[2];
  std::size_t surface_alignment;
  int concurrent_kernels, ecc, pci_bus, pci_device, pci_domain, tcc_driver, async_engines, unified_addressing;
  int memory_bus_bits, l2_bytes, persisting_l2_max, max_threads_per_multiprocessor, stream_priorities, global_l1, local_l1;
  std::size_t shared_per_multiprocessor;
  int registers_per_multiprocessor, managed_memory, multi_gpu_board, multi_gpu_board_group, host_native_atomic, pageable_access;
  int concurrent_managed_access, compute_preemption, can_use_host_pointer_for_registered, cooperative_launch;
  std::size_t shared_per_block_optin;
  int pageable_access_uses_host_tables, direct_managed_access_from_host, max_blocks_per_multiprocessor, access_policy_max_window;
  std::size_t reserved_shared_per_block;
  int host_register, sparse_array, host_register_read_only, timeline_semaphore_interop, memory_pools, gpu_direct_rdma;
  unsigned gpu_direct_rdma_flush_options;
  int gpu_direct_rdma_ordering;
  unsigned memory_pool_handle_types;
  int deferred_mapping, ipc_event, cluster_launch, unified_function_pointers, numa_config, numa_id, mps, host_numa_id;
  unsigned gpu_pci_device_id, gpu_pci_subsystem_id;
  int host_numa_multinode_ipc, reserved[56];
};

/// cudaDeviceProp of CUDA 12 (what cudaGetDeviceProperties_v2 fills).
struct DeviceProp12 {
  char name[256];
  unsigned char uuid[16];
  char luid[8];
  unsigned luid_device_node_mask;
  std::size_t total_global_mem, shared_per_block;
  int registers_per_block, warp_size;
  std::size_t mem_pitch;
  int max_threads_per_block, max_threads_dim[3], max_grid_size[3], clock_khz;
  std::size_t total_const_mem;
  int major, minor;
  std::size_t texture_alignment, texture_pitch_alignment;
  int device_overlap, multiprocessors, kernel_timeout, integrated, can_map_host_memory, compute_mode;
  int max_texture_1d, max_texture_1d_mipmap, max_texture_1d_linear, max_texture_2d[2], max_texture_2d_mipmap[2];
  int max_texture_2d_linear[3], max_texture_2d_gather[2];
  int max_texture_3d[3], max_texture_3d_alt[3], max_texture_cubemap, max_texture_1d_layered[2], max_texture_2d_layered[3];
  int max_texture_cubemap_layered[2], max_surface_1d, max_surface_2d[2], max_surface_3d[3], max_surface_1d_layered[2];
  int max_surface_2d_layered[3], max_surface_cubemap, max_surface_cubemap_layered[2];
  std::size_t surface_alignment;
  int concurrent_kernels, ecc, pci_bus, pci_device, pci_domain, tcc_driver, async_engines, unified_addressing, memory_clock_khz;
  int memory_bus_bits, l2_bytes, persisting_l2_max, max_threads_per_multiprocessor, stream_priorities, global_l1, local_l1;
  std::size_t shared_per_multiprocessor;
  int registers_per_multiprocessor, managed_memory, multi_gpu_board, multi_gpu_board_group, host_native_atomic, double_ratio;
  int pageable_access, concurrent_managed_access, compute_preemption, can_use_host_pointer_for_registered, cooperative_launch;
  int cooperative_multi_device_launch;
  std::size_t shared_per_block_optin;
  int pageable_access_uses_host_tables, direct_managed_access_from_host, max_blocks_per_multiprocessor, access_policy_max_window;
  std::size_t reserved_shared_per_block;
  int host_register, sparse_array, host_register_read_only, timeline_semaphore_interop, memory_pools, gpu_direct_rdma;
  unsigned gpu_direct_rdma_flush_options;
  int gpu_direct_rdma_ordering;
  unsigned memory_pool_handle_types;
  int deferred_mapping, ipc_event, cluster_launch, unified_function_pointers, reserved[63];
};

inline constexpr int kWarpSize = 32;
inline constexpr std::size_t kConstantBytes = 65536, kLargestPitch = 2147483647, kTextureAlignment = 512, kTexturePitchAlignment = 32;

/// Fills a layout from what the device says of itself; what a virtual device does not have stays zero.
template <class Prop>
void fill_device_prop(Prop& prop, const device::Properties& from) {
  std::memset(&prop, 0, sizeof prop);
  const std::size_t length = std::min(from.name.size(), sizeof prop.name - 1);
  std::memcpy(prop.name, from.name.data(), length);
  prop.total_global_mem = from.memory;
  prop.shared_per_block = static_cast<std::size_t>(from.shared_per_block);
  prop.registers_per_block = from.registers_per_block;
  prop.warp_size = kWarpSize;
  prop.mem_pitch = kLargestPitch;
  prop.max_threads_per_block = from.max_threads_per_block;
  std::copy(from.max_block.begin(), from.max_block.end(), prop.max_threads_dim);
  std::copy(from.max_grid.begin(), from.max_grid.end(), prop.max_grid_size);
  prop.total_const_mem = kConstantBytes;
  prop.major = from.major;
  prop.minor = from.minor;
  prop.texture_alignment = kTextureAlignment;
  prop.texture_pitch_alignment = kTexturePitchAlignment;
  prop.surface_alignment = kTextureAlignment;
  prop.multiprocessors = from.multiprocessors;
  prop.concurrent_kernels = 1;
  prop.async_engines = 1;
  prop.unified_addressing = 1;
  prop.memory_bus_bits = from.memory_bus_bits;
  prop.l2_bytes = from.l2_bytes;
  prop.max_threads_per_multiprocessor = from.max_threads_per_multiprocessor;
  prop.stream_priorities = 1;
  prop.global_l1 = 1;
  prop.local_l1 = 1;
  prop.shared_per_multiprocessor = static_cast<std::size_t>(from.shared_per_multiprocessor);
  prop.registers_per_multiprocessor = from.registers_per_block;
  prop.cooperative_launch = 1;
  prop.shared_per_block_optin = static_cast<std::size_t>(from.shared_per_block_optin);
  prop.max_blocks_per_multiprocessor = from.max_blocks_per_multiprocessor;
  prop.reserved_shared_per_block = static_cast<std::size_t>(from.reserved_shared_per_block);
  if constexpr (requires { prop.clock_khz; }) {
    prop.clock_khz = from.clock_khz;
    prop.memory_clock_khz = from.memory_clock_khz;
    prop.device_overlap = 1;
    prop.double_ratio = 2;
  }
}

}  // namespace warpbook::cudart::abi
