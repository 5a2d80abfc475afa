// mistake-of: padding-counts
#include <cuda_runtime.h>

namespace {

constexpr int kThreads = 128;
constexpr int kSlots = 16;

// Every thread gets the sum over the block.
__device__ float sum_of_block(float v, float* scratch) {
  for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
  if ((threadIdx.x & 31) == 0) scratch[threadIdx.x >> 5] = v;
  __syncthreads();
  return (scratch[0] + scratch[1]) + (scratch[2] + scratch[3]);
}

__global__ void normalise(const float* __restrict__ x, const float* __restrict__ gamma, const float* __restrict__ beta,
                          float* __restrict__ y, int cols, float eps) {
  __shared__ float first[4];
  __shared__ float second[4];
  const size_t base = (size_t)blockIdx.x * cols;
  const int t = threadIdx.x;

  float v[kSlots];
  float s = 0.0f;
#pragma unroll
  for (int k = 0; k < kSlots; ++k) {
    const int c = k * kThreads + t;
    v[k] = 0.0f;
    if (c < cols) v[k] = x[base + c];
    s += v[k];
  }
  const float mu = sum_of_block(s, first) / cols;

  float q = 0.0f;
#pragma unroll
  for (int k = 0; k < kSlots; ++k) {
    v[k] -= mu;
    q += v[k] * v[k];
  }
  const float rstd = rsqrtf(sum_of_block(q, second) / cols + eps);

#pragma unroll
  for (int k = 0; k < kSlots; ++k) {
    const int c = k * kThreads + t;
    if (c < cols) y[base + c] = v[k] * rstd * gamma[c] + beta[c];
  }
}

}  // namespace

cudaError_t launch_layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, float eps) {
  if (cols > kThreads * kSlots) return cudaErrorInvalidValue;
  normalise<<<rows, kThreads>>>(x, gamma, beta, y, cols, eps);
  return cudaGetLastError();
}
