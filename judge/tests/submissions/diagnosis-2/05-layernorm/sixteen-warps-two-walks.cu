// mistake-of: beta-inside
#include <cuda_runtime.h>

constexpr int WARPS = 16;

// walks the row twice before it writes: once for each of the two sums
__device__ float total(float v, float* shared) {
  for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffffu, v, o);
  __syncthreads();
  if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = v;
  __syncthreads();
  float all = 0.0f;
  for (int w = 0; w < WARPS; ++w) all += shared[w];
  return all;
}

__global__ void norm(const float* x, const float* gamma, const float* beta, float* y, int cols, float eps) {
  __shared__ float shared[WARPS];
  const size_t base = (size_t)blockIdx.x * cols;

  float s = 0.0f;
  for (int c = threadIdx.x; c < cols; c += 32 * WARPS) s += x[base + c];
  const float mean = total(s, shared) / cols;

  float q = 0.0f;
  for (int c = threadIdx.x; c < cols; c += 32 * WARPS) q += x[base + c] * x[base + c];
  const float meanOfSquares = total(q, shared) / cols;

  const float variance = fmaxf(meanOfSquares - mean * mean, 0.0f);
  const float rstd = 1.0f / sqrtf(variance + eps);
  for (int c = threadIdx.x; c < cols; c += 32 * WARPS) {
    y[base + c] = gamma[c] * ((x[base + c] - mean) * rstd + beta[c]);
  }
}

cudaError_t launch_layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, float eps) {
  norm<<<rows, 32 * WARPS>>>(x, gamma, beta, y, cols, eps);
  return cudaGetLastError();
}
