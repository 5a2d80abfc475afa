// mistake-of: one-warp-variance
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Sum;
using warpbook::kernel::warp_reduce;

constexpr int kThreads = 512;

__global__ void layernorm_kernel(const float* __restrict__ x, const float* __restrict__ gamma, const float* __restrict__ beta,
                                 float* __restrict__ y, int cols, float eps) {
  __shared__ float partials[kMaxWarps];
  const size_t offset = static_cast<size_t>(blockIdx.x) * cols;

  float my_x = 0.0f;
  float my_square = 0.0f;
  for (int col = threadIdx.x; col < cols; col += blockDim.x) {
    const float value = x[offset + col];
    my_x += value;
    my_square += value * value;
  }
  const float mean = block_reduce<Sum>(my_x, partials) / cols;
  const float mean_square = warp_reduce<Sum>(my_square) / cols;
  WATCH(mean);
  WATCH(mean_square);
  const float variance = fmaxf(mean_square - mean * mean, 0.0f);
  const float scale = rsqrtf(variance + eps);
  WATCH(scale);

  for (int col = threadIdx.x; col < cols; col += blockDim.x) {
    y[offset + col] = (x[offset + col] - mean) * scale * gamma[col] + beta[col];
  }
}

}  // namespace

cudaError_t launch_layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, float eps) {
  layernorm_kernel<<<rows, kThreads>>>(x, gamma, beta, y, cols, eps);
  return cudaGetLastError();
}
