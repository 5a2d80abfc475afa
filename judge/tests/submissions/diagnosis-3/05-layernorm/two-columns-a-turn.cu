// mistake-of: beta-inside
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Sum;

constexpr int kThreads = 256;

__device__ float normalised(float value, float mean, float scale, float gamma, float beta) {
  return ((value - mean) * scale + beta) * gamma;
}

__global__ void layernorm_kernel(const float* __restrict__ x, const float* __restrict__ gamma, const float* __restrict__ beta,
                                 float* __restrict__ y, int cols, float eps) {
  __shared__ float partials[kMaxWarps];
  const float* in = x + static_cast<size_t>(blockIdx.x) * cols;
  float* out = y + static_cast<size_t>(blockIdx.x) * cols;

  // Columns 2t and 2t + 1 in each turn; an odd row has its last column alone.
  float sum = 0.0f;
  float square = 0.0f;
  int col = 2 * threadIdx.x;
  while (col + 1 < cols) {
    const float left = in[col];
    const float right = in[col + 1];
    sum += left + right;
    square += left * left + right * right;
    col += 2 * kThreads;
  }
  if (col < cols) {
    sum += in[col];
    square += in[col] * in[col];
  }

  const float mean = block_reduce<Sum>(sum, partials) / cols;
  const float mean_square = block_reduce<Sum>(square, partials) / cols;
  const float variance = fmaxf(mean_square - mean * mean, 0.0f);
  const float scale = rsqrtf(variance + eps);
  WATCH(scale);

  col = 2 * threadIdx.x;
  while (col + 1 < cols) {
    out[col] = normalised(in[col], mean, scale, gamma[col], beta[col]);
    out[col + 1] = normalised(in[col + 1], mean, scale, gamma[col + 1], beta[col + 1]);
    col += 2 * kThreads;
  }
  if (col < cols) out[col] = normalised(in[col], mean, scale, gamma[col], beta[col]);
}

}  // namespace

cudaError_t launch_layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, float eps) {
  layernorm_kernel<<<rows, kThreads>>>(x, gamma, beta, y, cols, eps);
  return cudaGetLastError();
}
