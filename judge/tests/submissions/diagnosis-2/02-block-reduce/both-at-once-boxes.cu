// mistake-of: no-barrier-before-collecting
#include <cuda_runtime.h>
#include <math.h>

struct Both {
  float sum, max;
};

// lanes [0, width) of the warp; lane 0 ends with everything
__device__ Both inWarp(Both v, unsigned who, int lane, int width) {
  for (int step = 1; step < 32; step <<= 1) {
    const bool there = lane + step < width;
    float s = __shfl_sync(who, v.sum, there ? lane + step : lane);
    float m = __shfl_sync(who, v.max, there ? lane + step : lane);
    if (there) {
      v.sum += s;
      v.max = fmaxf(v.max, m);
    }
  }
  return v;
}

__global__ void reduceRow(const float* __restrict__ x, float* __restrict__ sum, float* __restrict__ max, int cols) {
  __shared__ Both box[32];
  const int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
  const int nWarps = (blockDim.x + 31) >> 5;
  const int width = min(32, (int)blockDim.x - w * 32);
  const unsigned who = 0xffffffffu >> (32 - width);

  Both v = {0.0f, -INFINITY};
  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    const float e = x[(size_t)blockIdx.x * cols + c];
    v.sum += e;
    v.max = fmaxf(v.max, e);
  }
  v = inWarp(v, who, lane, width);
  if (lane == 0) box[w] = v;

  // thread 0 runs through the boxes and is the one that writes
  if (threadIdx.x == 0) {
    Both all = box[0];
    for (int i = 1; i < nWarps; ++i) {
      all.sum += box[i].sum;
      all.max = fmaxf(all.max, box[i].max);
    }
    sum[blockIdx.x] = all.sum;
    max[blockIdx.x] = all.max;
  }
}

cudaError_t launch_row_sum_max(const float* x, float* sum, float* max, int rows, int cols, int threads) {
  reduceRow<<<rows, threads>>>(x, sum, max, cols);
  return cudaGetLastError();
}
