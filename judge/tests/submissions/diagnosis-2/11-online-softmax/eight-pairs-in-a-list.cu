// mistake-of: moves-one-side
#include <cuda_runtime.h>
#include <math.h>

struct MS {
  float m, s;
};

__device__ MS put(MS p, MS q) {
  if (p.s == 0.0f) return q;
  if (q.s == 0.0f) return p;
  if (p.m == -INFINITY || q.m == -INFINITY) return {fmaxf(p.m, q.m), p.s + q.s};  // a NaN is in it
  const float m = fmaxf(p.m, q.m);
  return {m, p.s + q.s * expf(q.m - m)};
}

// eight warps; each leaves its pair, and every thread goes through the eight pairs
__global__ void softmax2(const float* x, float* y, int cols) {
  __shared__ MS pairs[8];
  const size_t o = (size_t)blockIdx.x * cols;
  MS p = {-INFINITY, 0.0f};
  for (int c = threadIdx.x; c < cols; c += 256) {
    const float v = x[o + c];
    if (v == -INFINITY) continue;
    p = put(p, {v, v != v ? v : 1.0f});
  }
  for (int d = 1; d <= 16; d <<= 1) {
    MS q;
    q.m = __shfl_xor_sync(0xffffffffu, p.m, d);
    q.s = __shfl_xor_sync(0xffffffffu, p.s, d);
    p = put(p, q);
  }
  if ((threadIdx.x & 31) == 0) pairs[threadIdx.x >> 5] = p;
  __syncthreads();
  MS row = pairs[0];
  for (int w = 1; w < 8; ++w) row = put(row, pairs[w]);

  for (int c = threadIdx.x; c < cols; c += 256) {
    const float v = x[o + c];
    y[o + c] = row.s == 0.0f ? 0.0f : expf(v - row.m) / row.s;
  }
}

cudaError_t launch_softmax(const float* x, float* y, int rows, int cols) {
  softmax2<<<rows, 256>>>(x, y, cols);
  return cudaGetLastError();
}
