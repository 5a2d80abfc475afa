// mistake-of: eight-slots
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Sum;

constexpr int kThreads = 512;
constexpr int kHeld = 4;
constexpr int kMaxCols = 4096;

__device__ float add_row(float* residual, const float* hidden, int cols, float (&held)[kHeld]) {
  float squares = 0.0f;
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const int col = threadIdx.x + i * kThreads;
    held[i] = 0.0f;
    if (col < cols) {
      held[i] = residual[col] + hidden[col];
      residual[col] = held[i];
    }
    squares += held[i] * held[i];
    WATCH(held[i]);
    WATCH(squares);
  }
  return squares;
}

__global__ void __launch_bounds__(kThreads) fused_add_rmsnorm_kernel(float* hidden, float* residual, const float* __restrict__ weight,
                                                                     int cols, float eps) {
  __shared__ float partials[kMaxWarps];
  const size_t offset = static_cast<size_t>(blockIdx.x) * cols;

  float held[kHeld];
  const float squares = add_row(residual + offset, hidden + offset, cols, held);
  const float scale = rsqrtf(block_reduce<Sum>(squares, partials) / cols + eps);
  WATCH(scale);

#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const int col = threadIdx.x + i * kThreads;
    if (col < cols) hidden[offset + col] = held[i] * scale * weight[col];
  }
}

}  // namespace

cudaError_t launch_fused_add_rmsnorm(float* hidden, float* residual, const float* weight, int rows, int cols, float eps) {
  if (cols > kMaxCols) return cudaErrorInvalidValue;
  fused_add_rmsnorm_kernel<<<rows, kThreads>>>(hidden, residual, weight, cols, eps);
  return cudaGetLastError();
}
