// mistake-of: none
#include <cuda_runtime.h>
#include <math.h>

#define FULL 0xffffffffu

// four warps per block; warp w of block b reduces row 4 * b + w
__global__ void reduce_rows(const float* __restrict__ x, float* __restrict__ sum, float* __restrict__ max, int rows, int cols) {
  int lane = threadIdx.x % warpSize;
  int warps_in_block = blockDim.x / warpSize;
  int row = blockIdx.x * warps_in_block + threadIdx.x / warpSize;
  if (row >= rows) return;

  float acc = 0.f, top = -INFINITY;
  int i = lane;
  while (i < cols) {
    float v = x[(size_t)row * cols + i];
    acc += v;
    top = fmaxf(top, v);
    i += blockDim.x;
  }
#pragma unroll
  for (int o = 16; o; o >>= 1) {
    acc += __shfl_xor_sync(FULL, acc, o);
    top = fmaxf(top, __shfl_xor_sync(FULL, top, o));
  }
  if (lane == 0) sum[row] = acc;
  if (lane == 0) max[row] = top;
}

cudaError_t launch_row_sum_max(const float* x, float* sum, float* max, int rows, int cols) {
  const int threads = 128;
  const int per_block = threads / 32;
  reduce_rows<<<(rows + per_block - 1) / per_block, threads>>>(x, sum, max, rows, cols);
  return cudaGetLastError();
}
