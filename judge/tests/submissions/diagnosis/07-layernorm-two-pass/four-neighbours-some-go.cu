// mistake-of: reduced-in-branch
#include <cuda_runtime.h>

// 512 threads with four columns each, neighbours in memory. Sums by shuffles.
#define THREADS 512

__device__ float sum_all(float v, float* s) {
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  v = 0.f;
  for (int k = 0; k < THREADS / 32; ++k) v += s[k];
  return v;
}

__global__ void layernorm_tree(const float* x, const float* gamma, const float* beta, float* y, int n, float eps) {
  __shared__ float a[THREADS / 32], b[THREADS / 32];
  const int t = threadIdx.x;
  const int c = 4 * t;
  const float* row = x + (size_t)blockIdx.x * n;
  float* out = y + (size_t)blockIdx.x * n;

  float e0 = c < n ? row[c] : 0.f;
  float e1 = c + 1 < n ? row[c + 1] : 0.f;
  float e2 = c + 2 < n ? row[c + 2] : 0.f;
  float e3 = c + 3 < n ? row[c + 3] : 0.f;

  const float mean = sum_all((e0 + e1) + (e2 + e3), a) / n;

  if (c >= n) return;  // nothing left to do for these

  e0 = c < n ? e0 - mean : 0.f;
  e1 = c + 1 < n ? e1 - mean : 0.f;
  e2 = c + 2 < n ? e2 - mean : 0.f;
  e3 = c + 3 < n ? e3 - mean : 0.f;
  const float var = sum_all((e0 * e0 + e1 * e1) + (e2 * e2 + e3 * e3), b) / n;

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
