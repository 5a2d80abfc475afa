// mistake-of: adds-sums
#include <cuda_runtime.h>
#include <math.h>

#define ALL 0xffffffffu
#define WARPS 16

// The factor that takes a sum from one maximum to another. A part without logits has nothing to take.
__device__ float factor(float from, float to) { return from == to ? 1.0f : expf(from - to); }

__device__ void absorb(float& m, float& l, float m2, float l2) {
  const float top = fmaxf(m, m2);
  l = l * factor(m, top) + l2 * factor(m2, top);
  m = top;
}

__global__ void softmax_online(const float* __restrict__ x, float* __restrict__ y, int cols) {
  __shared__ float ms[WARPS], ls[WARPS];
  const float* row = x + (size_t)blockIdx.x * cols;
  const int w = threadIdx.x / 32;

  float m = -INFINITY, l = 0.0f;
  int i = threadIdx.x;
  while (i < cols) {
    if (row[i] != -INFINITY) absorb(m, l, row[i], 1.0f);
    i += 32 * WARPS;
  }
  for (int d = 1; d < 32; d *= 2) {
    const float om = __shfl_xor_sync(ALL, m, d);
    const float ol = __shfl_xor_sync(ALL, l, d);
    absorb(m, l, om, ol);
  }
  if (threadIdx.x % 32 == 0) {
    ms[w] = m;
    ls[w] = l;
  }
  __syncthreads();
  m = -INFINITY;
  l = 0.0f;
  for (int k = 0; k < WARPS; ++k) {
    m = fmaxf(m, ms[k]);
    l += ls[k];
  }

  const float inv = l == 0.0f ? 0.0f : 1.0f / l;
  for (i = threadIdx.x; i < cols; i += 32 * WARPS) {
    const float v = row[i];
    y[(size_t)blockIdx.x * cols + i] = inv * (v == -INFINITY ? 0.0f : expf(v - m));
  }
}

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  softmax_online<<<rows, 32 * WARPS>>>(x, y, cols);
  return cudaGetLastError();
}
