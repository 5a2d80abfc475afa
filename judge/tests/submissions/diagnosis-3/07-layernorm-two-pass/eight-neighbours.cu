// mistake-of: one-slot-too-many
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Sum;

constexpr int kThreads = 256;
constexpr int kHeld = 8;

// Thread t keeps the eight neighbours 8t to 8t + 7.
__global__ void __launch_bounds__(kThreads) layernorm_kernel(const float* __restrict__ x, const float* __restrict__ gamma,
                                                             const float* __restrict__ beta, float* __restrict__ y, int cols, float eps) {
  __shared__ float partials[kMaxWarps];
  const size_t offset = static_cast<size_t>(blockIdx.x) * cols;
  const int first = threadIdx.x * kHeld;

  float held[kHeld];
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    held[i] = 0.0f;
    if (first + i < cols) held[i] = x[offset + first + i];
    sum += held[i];
  }
  const float mean = block_reduce<Sum>(sum, partials) / cols;

  float squares = 0.0f;
#pragma unroll
  for (int i = kHeld - 1; i >= 0; --i) {
    const float distance = first + i <= cols ? held[i] - mean : 0.0f;
    squares += distance * distance;
  }
  const float variance = block_reduce<Sum>(squares, partials) / cols;
  const float scale = rsqrtf(variance + eps);
  WATCH(scale);

#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const int col = first + i;
    if (col < cols) y[offset + col] = (held[i] - mean) * scale * gamma[col] + beta[col];
  }
}

}  // namespace

cudaError_t launch_layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, float eps) {
  if (cols > kThreads * kHeld) return cudaErrorInvalidValue;
  layernorm_kernel<<<rows, kThreads>>>(x, gamma, beta, y, cols, eps);
  return cudaGetLastError();
}
