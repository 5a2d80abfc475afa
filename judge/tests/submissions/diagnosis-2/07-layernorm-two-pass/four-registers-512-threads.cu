// mistake-of: no-barrier-between
#include <cuda_runtime.h>

#define T 512
#define PER 4

// LayerNorm: the row sits in registers (4 values a thread), mean first, then the squared differences.
__device__ float reduceBlock(float v, float* s) {
#pragma unroll
  for (int k = 16; k >= 1; k /= 2) v += __shfl_xor_sync(0xffffffff, v, k);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  float r = 0;
#pragma unroll
  for (int k = 0; k < T / 32; ++k) r += s[k];
  return r;
}

__global__ void __launch_bounds__(T) ln(const float* x, const float* gamma, const float* beta, float* y, int cols, float eps) {
  __shared__ float s[T / 32];
  const float* row = x + (size_t)cols * blockIdx.x;
  float reg[PER];
  float sum = 0;
#pragma unroll
  for (int k = 0; k < PER; ++k) {
    int c = k * T + threadIdx.x;
    reg[k] = 0;
    if (c < cols) reg[k] = row[c];
    sum += reg[k];
  }
  float mu = reduceBlock(sum, s) / cols;

  float sq = 0;
#pragma unroll
  for (int k = 0; k < PER; ++k) {
    int c = k * T + threadIdx.x;
    if (c < cols) sq += (reg[k] - mu) * (reg[k] - mu);
  }
  float rs = rsqrtf(reduceBlock(sq, s) / cols + eps);

#pragma unroll
  for (int k = 0; k < PER; ++k) {
    int c = k * T + threadIdx.x;
    if (c < cols) y[(size_t)cols * blockIdx.x + c] = gamma[c] * ((reg[k] - mu) * rs) + beta[c];
  }
}

cudaError_t launch_layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, float eps) {
  if (cols > T * PER) return cudaErrorInvalidValue;
  ln<<<rows, T>>>(x, gamma, beta, y, cols, eps);
  return cudaGetLastError();
}
