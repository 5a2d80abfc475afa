// verdict: AC
// The same in a block of 1024 threads with four slots each, and with the accurate root: fewer registers a thread, more warps to wait for
// at the barrier.
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Sum;

constexpr int kThreads = 1024;
constexpr int kHeld = 4;

__global__ void __launch_bounds__(kThreads) fused_kernel(float* hidden,                     // [rows, cols], dense
                                                         float* residual,                   // [rows, cols], dense
                                                         const float* __restrict__ weight,  // [cols]
                                                         int cols, float eps) {
  __shared__ float partials[kMaxWarps];
  float* h = hidden + static_cast<size_t>(blockIdx.x) * cols;
  float* r = residual + static_cast<size_t>(blockIdx.x) * cols;
  float held[kHeld] = {};
  float squares = 0.0f;
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const int col = threadIdx.x + i * kThreads;
    if (col >= cols) continue;
    held[i] = h[col] + r[col];
    r[col] = held[i];
    squares = fmaf(held[i], held[i], squares);
  }
  const float root = sqrtf(block_reduce<Sum>(squares, partials) / cols + eps);
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const int col = threadIdx.x + i * kThreads;
    if (col < cols) h[col] = held[i] / root * weight[col];
  }
}

}  // namespace

cudaError_t launch_fused_add_rmsnorm(float* hidden, float* residual, const float* weight, int rows, int cols, float eps) {
  if (cols > kThreads * kHeld) return cudaErrorInvalidValue;
  fused_kernel<<<rows, kThreads>>>(hidden, residual, weight, cols, eps);
  return cudaGetLastError();
}
