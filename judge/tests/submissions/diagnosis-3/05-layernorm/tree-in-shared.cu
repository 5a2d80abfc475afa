// mistake-of: clamp-after-eps
#include <cuda_runtime.h>

#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

constexpr int kThreads = 256;  // a power of two: the tree halves it down to 1

// Both sums go up the same tree in shared memory; no shuffles.
__global__ void layernorm_kernel(const float* __restrict__ x, const float* __restrict__ gamma, const float* __restrict__ beta,
                                 float* __restrict__ y, int cols, float eps) {
  __shared__ float2 tree[kThreads];
  const int t = threadIdx.x;
  const float* in = x + static_cast<size_t>(blockIdx.x) * cols;
  float* out = y + static_cast<size_t>(blockIdx.x) * cols;

  float2 mine = make_float2(0.0f, 0.0f);
  for (int col = t; col < cols; col += kThreads) {
    mine.x += in[col];
    mine.y += in[col] * in[col];
  }
  tree[t] = mine;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (t < half) {
      tree[t].x += tree[t + half].x;
      tree[t].y += tree[t + half].y;
    }
    __syncthreads();
  }

  const float mean = tree[0].x / cols;
  const float mean_square = tree[0].y / cols;
  const float scale = rsqrtf(fmaxf(mean_square - mean * mean + eps, 0.0f));
  WATCH(scale);

  for (int col = t; col < cols; col += kThreads) out[col] = (in[col] - mean) * scale * gamma[col] + beta[col];
}

}  // namespace

cudaError_t launch_layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, float eps) {
  layernorm_kernel<<<rows, kThreads>>>(x, gamma, beta, y, cols, eps);
  return cudaGetLastError();
}
