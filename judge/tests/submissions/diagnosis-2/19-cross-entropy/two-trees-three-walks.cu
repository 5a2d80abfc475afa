// mistake-of: one-outside-the-scale
#include <cuda_runtime.h>
#include <math.h>

#define THREADS 128

__device__ float treeMax(float* s, float v) {
  s[threadIdx.x] = v;
  __syncthreads();
  for (int k = THREADS / 2; k > 0; k >>= 1) {
    if (threadIdx.x < k) s[threadIdx.x] = fmaxf(s[threadIdx.x], s[threadIdx.x + k]);
    __syncthreads();
  }
  v = s[0];
  __syncthreads();
  return v;
}

__device__ float treeSum(float* s, float v) {
  s[threadIdx.x] = v;
  __syncthreads();
  for (int k = THREADS / 2; k > 0; k >>= 1) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  v = s[0];
  __syncthreads();
  return v;
}

// maximum, sum, gradient: three walks
__global__ void crossEntropy(const float* logits, const int* targets, float* loss, float* grad, int cols, float scale) {
  __shared__ float s[THREADS];
  const int r = blockIdx.x;
  const int want = targets[r];
  const float* x = logits + (size_t)r * cols;
  float* g = grad + (size_t)r * cols;

  if (want == -100) {
    for (int c = threadIdx.x; c < cols; c += THREADS) g[c] = 0.0f;
    if (threadIdx.x == 0) loss[r] = 0.0f;
    return;
  }
  if (want < 0 || want >= cols) {
    for (int c = threadIdx.x; c < cols; c += THREADS) g[c] = NAN;
    if (threadIdx.x == 0) loss[r] = NAN;
    return;
  }

  float m = -INFINITY;
  for (int c = threadIdx.x; c < cols; c += THREADS) m = fmaxf(m, x[c]);
  m = treeMax(s, m);
  float sum = 0.0f;
  for (int c = threadIdx.x; c < cols; c += THREADS) sum += expf(x[c] - m);
  sum = treeSum(s, sum);

  for (int c = threadIdx.x; c < cols; c += THREADS) {
    float d = expf(x[c] - m) / sum * scale;
    if (c == want) d -= 1.0f;
    g[c] = d;
  }
  if (threadIdx.x == 0) loss[r] = (m - x[want]) + logf(sum);
}

cudaError_t launch_cross_entropy(const float* logits, const int* targets, float* loss, float* gradient, int rows, int cols, float scale) {
  crossEntropy<<<rows, THREADS>>>(logits, targets, loss, gradient, cols, scale);
  return cudaGetLastError();
}
