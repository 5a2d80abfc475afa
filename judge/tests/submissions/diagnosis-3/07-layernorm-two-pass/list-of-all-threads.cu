// mistake-of: publishes-and-runs
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

constexpr int kThreads = 256;
constexpr int kHeld = 8;

// No warps: the threads write their sums side by side, and each thread adds up the whole list.
__device__ float add_list(const float* list) {
  float sum = 0.0f;
  for (int t = 0; t < kThreads; ++t) sum += list[t];
  return sum;
}

__global__ void __launch_bounds__(kThreads) layernorm_kernel(const float* __restrict__ x, const float* __restrict__ gamma,
                                                             const float* __restrict__ beta, float* __restrict__ y, int cols, float eps) {
  __shared__ float sums[kThreads];
  __shared__ float squares[kThreads];
  const size_t offset = static_cast<size_t>(blockIdx.x) * cols;

  float held[kHeld];
  float mine = 0.0f;
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const int col = threadIdx.x + i * kThreads;
    held[i] = col < cols ? x[offset + col] : 0.0f;
    mine += held[i];
  }
  sums[threadIdx.x] = mine;
  __syncthreads();
  const float mean = add_list(sums) / cols;

  mine = 0.0f;
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const int col = threadIdx.x + i * kThreads;
    if (col < cols) mine += (held[i] - mean) * (held[i] - mean);
  }
  squares[threadIdx.x] = mine;
  const float variance = add_list(squares) / cols;
  const float scale = rsqrtf(variance + eps);
  WATCH(scale);

#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const int col = threadIdx.x + i * kThreads;
    if (col < cols) y[offset + col] = (held[i] - mean) * scale * gamma[col] + beta[col];
  }
}

}  // namespace

cudaError_t launch_layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, float eps) {
  if (cols > kThreads * kHeld) return cudaErrorInvalidValue;
  layernorm_kernel<<<rows, kThreads>>>(x, gamma, beta, y, cols, eps);
  return cudaGetLastError();
}
