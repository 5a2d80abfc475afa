// mistake-of: padding-counts
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Sum;

constexpr int kThreads = 512;
constexpr int kHeld = 4;
constexpr int kMaxCols = kThreads * kHeld;

__device__ float load_slots(const float* __restrict__ row, int cols, float (&held)[kHeld]) {
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const int col = threadIdx.x + i * kThreads;
    held[i] = col < cols ? row[col] : 0.0f;
    sum += held[i];
    WATCH(held[i]);
  }
  return sum;
}

__global__ void __launch_bounds__(kThreads) layernorm_kernel(const float* __restrict__ x, const float* __restrict__ gamma,
                                                             const float* __restrict__ beta, float* __restrict__ y, int cols, float eps) {
  __shared__ float partials[kMaxWarps];
  const size_t offset = static_cast<size_t>(blockIdx.x) * cols;

  float held[kHeld];
  const float sum = load_slots(x + offset, cols, held);
  const float mean = block_reduce<Sum>(sum, partials) / cols;
  WATCH(mean);

  float squares = 0.0f;
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    squares += (held[i] - mean) * (held[i] - mean);
  }
  const float variance = block_reduce<Sum>(squares, partials) / cols;
  const float scale = rsqrtf(variance + eps);
  WATCH(variance);
  WATCH(scale);

#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const int col = threadIdx.x + i * kThreads;
    if (col < cols) y[offset + col] = (held[i] - mean) * scale * gamma[col] + beta[col];
  }
}

}  // namespace

cudaError_t launch_layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, float eps) {
  if (cols > kMaxCols) return cudaErrorInvalidValue;
  layernorm_kernel<<<rows, kThreads>>>(x, gamma, beta, y, cols, eps);
  return cudaGetLastError();
}
