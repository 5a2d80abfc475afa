// CUDA's errors arrive late and in silence: a launch that the device refuses returns nothing, the kernel does not run, and
// the output keeps whatever stood there. A launch function of the workbook therefore returns cudaError_t, and what stands
// here are the two ways in which it comes by one. Rejected: printing and exiting, as most samples do. A launch function is
// a library; whoever called it decides what a failure means.
#pragma once
#include <cuda_runtime.h>

namespace warpbook::kernel {

/// The error of the launch just made (cudaSuccess if there was none); reading it clears it, so ask once after each launch.
/// It sees what the runtime refused (grid, block, shared memory), not what happens later while the kernel runs.
inline cudaError_t launch_status() { return cudaGetLastError(); }

}  // namespace warpbook::kernel

/// Leaves the enclosing function with the error of a runtime call, if it has one:
/// `WARPBOOK_TRY(cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));`
#define WARPBOOK_TRY(call)                                      \
  do {                                                          \
    const cudaError_t warpbook_status = (call);                 \
    if (warpbook_status != cudaSuccess) return warpbook_status; \
  } while (false)
