#pragma once
// Types that a compiled program and the runtime library agree on by layout alone. Declared here in our own words, since the project
// builds without a CUDA toolkit; abi_test.cpp compares sizes and offsets with the toolkit's headers where there is one.
#include <cstddef>
#include <cstdint>

namespace warpbook::cudart::abi {

struct Dim3 {
  std::uint32_t x, y, z;
};

/// cudaMemcpyKind.
enum CopyDirection : int { kHostToHost = 0, kHostToDevice = 1, kDeviceToHost = 2, kDeviceToDevice = 3, kByAddress = 4 };

/// cudaMemoryType.
enum MemoryType : int { kUnregistered = 0, kHost = 1, kDevice = 2, kManaged = 3 };

/// cudaPointerAttributes as far as versions 12 and 13 agree (13 adds reserved words behind).
struct PointerAttributes {
  int type;
  int device;
  void* device_pointer;
  void* host_pointer;
};

/// cudaFuncAttributes as far as versions 12 and 13 fill it (both reserve words behind).
struct FunctionAttributes {
  std::size_t shared_bytes, constant_bytes, local_bytes;
  int max_threads_per_block, registers, ptx_version, binary_version, cache_mode_ca, max_dynamic_shared_bytes, preferred_shared_carveout;
};

/// cudaFuncAttribute.
enum FunctionAttribute : int { kMaxDynamicShared = 8, kPreferredCarveout = 9 };

/// cudaLaunchAttribute: an id and 64 bytes whose meaning it decides.
struct LaunchAttribute {
  int id;
  char pad[4];
  union {
    char bytes[64];
    int cooperative;
    Dim3 cluster;
  } value;
};

/// cudaLaunchAttributeID, those that matter here.
enum LaunchAttributeId : int {
  kIgnore = 0,
  kAccessPolicyWindow = 1,
  kCooperative = 2,
  kSynchronizationPolicy = 3,
  kClusterDimension = 4,
  kClusterSchedulingPolicy = 5,
  kProgrammaticSerialization = 6,
  kPriority = 8,
  kMemSyncDomainMap = 9,
  kMemSyncDomain = 10,
  kSharedCarveout = 14,
  kNvlinkScheduling = 16,
};

/// cudaLaunchConfig_t.
struct LaunchConfig {
  Dim3 grid, block;
  std::size_t dynamic_shared;
  void* stream;
  LaunchAttribute* attributes;
  unsigned attribute_count;
};

/// cudaChannelFormatDesc.
struct ChannelFormat {
  int x, y, z, w, kind;
};

/// cudaPos: in bytes where there are no arrays.
struct Position {
  std::size_t x, y, z;
};

/// cudaExtent: width in bytes where there are no arrays.
struct Extent {
  std::size_t width, height, depth;
};

/// cudaPitchedPtr: rows `pitch` bytes apart, slices of `height` rows.
struct PitchedPointer {
  void* pointer;
  std::size_t pitch, width, height;
};

/// cudaMemcpy3DParms.
struct Copy3D {
  void* source_array;
  Position source_position;
  PitchedPointer source;
  void* target_array;
  Position target_position;
  PitchedPointer target;
  Extent extent;
  int direction;
};

/// cudaMemsetParams: `width` counts elements of 1, 2 or 4 bytes.
struct Fill2D {
  void* to;
  std::size_t pitch;
  unsigned value, element_bytes;
  std::size_t width, height;
};

/// cudaKernelNodeParams.
struct KernelNode {
  const void* function;
  Dim3 grid, block;
  unsigned dynamic_shared;
  void** arguments;
  void** extra;
};

/// cudaHostNodeParams.
struct HostNode {
  void (*function)(void*);
  void* data;
};

/// cudaGraphNodeType.
enum NodeType : int {
  kKernelNode = 0,
  kCopyNode = 1,
  kFillNode = 2,
  kHostNode = 3,
  kGraphNode = 4,
  kEmptyNode = 5,
  kWaitEventNode = 6,
  kRecordEventNode = 7,
  kAllocateNode = 10,
  kFreeNode = 11,
};

/// cudaStreamCaptureStatus and cudaStreamCaptureMode.
enum CaptureStatus : int { kNotCapturing = 0, kCapturing = 1, kCaptureInvalidated = 2 };
enum CaptureMode : int { kCaptureGlobal = 0, kCaptureThreadLocal = 1, kCaptureRelaxed = 2 };

/// cudaGraphExecUpdateResultInfo and the results that are told apart here.
enum UpdateResult : int { kUpdated = 0, kTopologyChanged = 2, kNodeTypeChanged = 3 };
struct UpdateInfo {
  int result;
  void *node, *from_node;
};

}  // namespace warpbook::cudart::abi
