// mistake-of: none
#include <cuda_runtime.h>

#include <cfloat>
#include <cmath>

#define FULL 0xffffffffu

struct Both {
  float total;
  float top;
};

__device__ inline void meet(Both& b, int distance) {
  float t = __shfl_xor_sync(FULL, b.total, distance);
  float u = __shfl_xor_sync(FULL, b.top, distance);
  b.total = b.total + t;
  b.top = fmaxf(b.top, u);
}

__global__ void sum_and_max(const float* __restrict__ in, float* __restrict__ sums, float* __restrict__ tops, int n) {
  const float* line = in + size_t(blockIdx.x) * n;
  Both b = {0.0f, -INFINITY};
  int i = threadIdx.x;
  // two columns a turn
  for (; i + 32 < n; i += 64) {
    float p = line[i], q = line[i + 1];
    b.total += p + q;
    b.top = fmaxf(b.top, fmaxf(p, q));
  }
  if (i < n) {
    b.total += line[i];
    b.top = fmaxf(b.top, line[i]);
  }
  meet(b, 1);
  meet(b, 2);
  meet(b, 4);
  meet(b, 8);
  meet(b, 16);
  if (threadIdx.x == 5) {
    sums[blockIdx.x] = b.total;
    tops[blockIdx.x] = b.top;
  }
}

cudaError_t launch_row_sum_max(const float* x, float* sum, float* max, int rows, int cols) {
  sum_and_max<<<rows, 32>>>(x, sum, max, cols);
  return cudaGetLastError();
}
