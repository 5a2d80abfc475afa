// mistake-of: two-moments
#include <cuda_runtime.h>

// 128 threads, a tree over shared memory; the row is walked in memory (no registers), which works for any length up to 2048
__device__ float tree(float mine, float* a) {
  a[threadIdx.x] = mine;
  __syncthreads();
  for (int h = blockDim.x / 2; h != 0; h >>= 1) {
    if (threadIdx.x < h) a[threadIdx.x] += a[threadIdx.x + h];
    __syncthreads();
  }
  const float out = a[0];
  __syncthreads();
  return out;
}

__global__ void kernel(const float* x, const float* gamma, const float* beta, float* y, int cols, float eps) {
  __shared__ float a[128];
  x += (size_t)blockIdx.x * cols;
  y += (size_t)blockIdx.x * cols;

  float part = 0.0f;
  for (int j = threadIdx.x; j < cols; j += blockDim.x) part += x[j];
  const float mean = tree(part, a) / cols;

  part = 0.0f;
  for (int j = threadIdx.x; j < cols; j += blockDim.x) part += x[j] * x[j];
  const float variance = fmaxf(tree(part, a) / cols - mean * mean, 0.0f);

  const float scale = 1.0f / sqrtf(variance + eps);
  for (int j = threadIdx.x; j < cols; j += blockDim.x) y[j] = (x[j] - mean) * scale * gamma[j] + beta[j];
}

cudaError_t launch_layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, float eps) {
  if (cols > 2048) return cudaErrorInvalidValue;
  kernel<<<rows, 128>>>(x, gamma, beta, y, cols, eps);
  return cudaGetLastError();
}
