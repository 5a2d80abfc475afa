// mistake-of: two-moments
#include <cuda_runtime.h>

// 512 threads with four columns each, neighbours in memory. Sums by a tree in shared memory.
#define THREADS 512

__device__ float tree_sum(float* s) {
  const int t = threadIdx.x;
  __syncthreads();
  for (int k = THREADS / 2; k > 0; k /= 2) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }
  return s[0];
}

__global__ void layernorm_tree(const float* x, const float* gamma, const float* beta, float* y, int n, float eps) {
  __shared__ float a[THREADS], b[THREADS];
  const int t = threadIdx.x;
  const int c = 4 * t;
  const float* row = x + (size_t)blockIdx.x * n;
  float* out = y + (size_t)blockIdx.x * n;

  float e0 = c < n ? row[c] : 0.f;
  float e1 = c + 1 < n ? row[c + 1] : 0.f;
  float e2 = c + 2 < n ? row[c + 2] : 0.f;
  float e3 = c + 3 < n ? row[c + 3] : 0.f;

  a[t] = (e0 + e1) + (e2 + e3);
  b[t] = (e0 * e0 + e1 * e1) + (e2 * e2 + e3 * e3);
  const float mean = tree_sum(a) / n;
  const float var = fmaxf(tree_sum(b) / n - mean * mean, 0.f);
  e0 -= mean;
  e1 -= mean;
  e2 -= mean;
  e3 -= mean;

  const float f = 1.0f / sqrtf(var + eps);
  if (c < n) out[c] = e0 * f * gamma[c] + beta[c];
  if (c + 1 < n) out[c + 1] = e1 * f * gamma[c + 1] + beta[c + 1];
  if (c + 2 < n) out[c + 2] = e2 * f * gamma[c + 2] + beta[c + 2];
  if (c + 3 < n) out[c + 3] = e3 * f * gamma[c + 3] + beta[c + 3];
}

cudaError_t launch_layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, float eps) {
  if (cols > 4 * THREADS) return cudaErrorInvalidValue;
  layernorm_tree<<<rows, THREADS>>>(x, gamma, beta, y, cols, eps);
  return cudaGetLastError();
}
